"""A workspace as one of the two domains of the AutoKB paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autokb.core.domain import DomainSpec
from autokb.core.nouns import Chunk, KnowledgeBase, RawIssue
from autokb.stores.published import published_spec, read_published
from autokb.stores.workspace import Workspace

MEDICAL, TROUBLESHOOTING = "Medical", "Troubleshooting"


@dataclass(frozen=True)
class Subject:
    """A workspace as one of the paper's domains."""

    workspace: Workspace
    kb: KnowledgeBase
    spec: DomainSpec
    chunks: tuple[Chunk, ...]
    raw_issues: Mapping[str, RawIssue]

    @property
    def domain(self) -> str:
        """The domain of the paper that it stands beside."""
        return MEDICAL if MEDICAL.casefold() in self.spec.name.casefold() else TROUBLESHOOTING

    @property
    def name(self) -> str:
        """The row of its figures."""
        return f"{self.domain}: {self.spec.name}"


def open_subject(workspace: Workspace) -> Subject:
    """Read what a workspace has published."""
    with workspace.file() as file:
        published = read_published(file)
    spec = published_spec(workspace, published)
    return Subject(workspace, published.kb, spec, published.chunks, published.raw_issues)
