"""Questions that feedback says were resolved: raw issues of the next build, and history until it has run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from autokb.core.in_use import Feedback, resolved_questions
from autokb.core.nouns import RawIssue
from autokb.stores.codecs import RAW_ISSUE
from autokb.stores.database import damaged_rows
from autokb.stores.feedback import feedback_ids
from autokb.stores.published import Published
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.masking import mask

SOURCE = "feedback"  # what `autokb sources` calls them, and `autokb remove` takes out again


def fed_questions(feedback: Iterable[Feedback]) -> Iterator[RawIssue]:
    """Give a raw issue for each question that counts as resolved, under its feedback's id, private data masked."""
    for one in resolved_questions(feedback):
        (text,) = mask([one.query]).texts
        yield RawIssue(one.id, text, date=one.date[:10], resolved_by=one.documents)


def staged_feedback(file: WorkspaceFile) -> dict[str, RawIssue]:
    """Return the raw issues that were fed and wait for the next build or came into the last one, by id.

    The id tells them, for an import stages them under the name of its file.
    """
    ids = feedback_ids(file)
    if not ids:
        return {}
    with damaged_rows("staged"):
        return {s.id: RAW_ISSUE.read(s.body, id=s.id) for s in file.staged("issues") if s.id in ids}


def with_fed_questions(file: WorkspaceFile, published: Published) -> Published:
    """Return what is published with the fed questions that no build has taken yet among its raw issues.

    Those that a build took and that were taken back since resolve nothing any more.
    """
    ids = feedback_ids(file)
    if not ids:
        return published
    fed = staged_feedback(file)
    raw = {
        i: replace(issue, resolved_by=()) if i in ids and i not in fed else issue
        for i, issue in published.raw_issues.items()
    }
    return replace(published, raw_issues={**fed, **raw})
