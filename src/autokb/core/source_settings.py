"""One source of ``sources:`` in the settings: what ``sync`` keeps a workspace in step with.

The plug-in ``sync`` reads the section; what it makes is kept here, for plug-ins of others get it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ARTICLES, TICKETS = CONTENTS = ("articles", "tickets")  # of Zendesk
USUAL_WAIT = 3_600  # seconds between two runs of ``sync --watch``
USUAL_CHECK = 86_400  # seconds between two readings of a whole list, which tell what was deleted


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """One source; what its type does not have is empty.

    ``every`` and ``check_deleted`` are seconds. ``token_env`` is the name of the environment variable with the secret,
    ``user`` who it belongs to. ``allow_networks`` are the private networks that it may reach. ``prefix`` stands before
    the ids of its tickets, so that two trackers can count from 1. ``as_kind`` is what its items are added as. A source
    of a plug-in has ``options``: what else was written.
    """

    name: str
    type: str
    as_kind: str = "documents"
    every: int = USUAL_WAIT
    path: str = ""
    url: str = ""
    branch: str = ""
    folder: str = ""
    urls: tuple[str, ...] = ()
    sitemap: str = ""
    repo: str = ""
    jql: str = ""
    api: int = 3
    content: str = ARTICLES
    locale: str = ""
    user: str = ""
    token_env: str = ""
    prefix: str = ""
    comments: bool = True
    check_deleted: int = USUAL_CHECK
    allow_networks: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> tuple[object, ...]:
        """What says which items it has and how they are added: another place is read from the beginning."""
        where = (self.type, self.as_kind, self.path, self.url, self.branch, self.folder, self.repo, self.jql)
        own = [sorted(self.options.items())] if self.options else []
        return (*where, self.content, self.locale, self.prefix, self.comments, sorted(self.fields.items()), *own)

    def place_on_disk(self, workspace: Path) -> Path:
        """Return where one of type folder lies, of which a relative path begins in the folder of the workspace."""
        return (workspace / Path(self.path).expanduser()).resolve()
