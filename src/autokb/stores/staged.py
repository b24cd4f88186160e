"""What was added and waits for the next build, as nouns."""

from __future__ import annotations

from autokb.core.nouns import Document, RawIssue
from autokb.stores.codecs import DOCUMENT, RAW_ISSUE
from autokb.stores.database import damaged_rows
from autokb.stores.workspace_file import WorkspaceFile


def staged_documents(file: WorkspaceFile) -> list[Document]:
    """Return the added documents, ordered by id."""
    with damaged_rows("staged"):
        return [DOCUMENT.read(s.body, id=s.id) for s in file.staged("documents")]


def staged_raw_issues(file: WorkspaceFile) -> list[RawIssue]:
    """Return the added raw issues, ordered by id."""
    with damaged_rows("staged"):
        return [RAW_ISSUE.read(s.body, id=s.id) for s in file.staged("issues")]
