"""A new workspace, from a shipped domain, a file of one's own, or a commented start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autokb.app.add import add
from autokb.core.errors import BadInputError
from autokb.core.results import Result
from autokb.domains import domain_text, examples_folder, names
from autokb.stores.workspace import DOMAIN_FILE, new_workspace, read_yaml_file

BLANK_DOMAIN = """\
# What your support domain is about. Fill in what customers' problems depend on, then add documents and issues.
name: {name}
description: What the product is and who asks about it.
#language: en          # of issues and documents, by its code of two letters; en without it, de is known too
attributes: {{}}
#  os: {{kind: closed, values: [Android, iOS], synonyms: {{iOS: [iphone, ipad]}}}}
#  condition: {{kind: open, examples: [Diabetes, Asthma]}}
rules: []
#  - {{id: no-support, text: Do not send the customer to support., patterns: ['contact (our|customer) support']}}
"""


@dataclass(frozen=True, slots=True)
class Created(Result):
    """A new workspace and what it holds."""

    workspace: str
    domain: str
    documents: int
    issues: int


def create(folder: Path, domain: str = "", *, examples: bool = False) -> Created:
    """Make a workspace and add the domain's own examples when asked; one that fails or is killed makes none.

    A ``domain.yaml`` that stands in the folder already is used where no other domain is named.
    """
    text = _domain_text(folder, domain)
    source = examples_folder(domain) if examples and domain in names() else None
    if examples and source is None:
        with_examples = [n for n in names() if examples_folder(n) is not None]
        raise BadInputError(f"--examples needs a domain that ships some: --domain {' or '.join(with_examples)}.")
    documents = issues = 0
    with new_workspace(folder, text) as workspace:
        if source is not None:
            documents = add(workspace, [source / "documents"], "documents").added
            issues = add(workspace, [source / "issues"], "issues").added
    return Created(str(folder), workspace.spec.name, documents, issues)


def _domain_text(folder: Path, domain: str) -> str:
    if not domain and (folder / DOMAIN_FILE).exists():
        domain = str(folder / DOMAIN_FILE)
    if not domain:
        return BLANK_DOMAIN.format(name=folder.resolve().name or "domain")
    if domain in names():
        return domain_text(domain)
    path = Path(domain)
    if not path.is_file():
        raise BadInputError(f"{domain!r} is no file and no shipped domain; the domains are {', '.join(names())}.")
    return read_yaml_file(path, domain)
