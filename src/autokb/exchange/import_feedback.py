"""Feedback as an export's lines tell it, and how a workspace takes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autokb.core.ids import short_id
from autokb.core.in_use import Feedback
from autokb.core.nouns import Skipped
from autokb.core.storable import without_surrogates
from autokb.exchange.imported import Imported
from autokb.exchange.jsonl_schema import Lines, take_out
from autokb.pipeline.fed_questions import SOURCE, fed_questions, staged_feedback
from autokb.stores.codecs import RAW_ISSUE, Body
from autokb.stores.feedback import (
    FEEDBACK,
    KIND,
    feedback_body,
    feedback_ids,
    keep_feedback,
    read_feedback,
    replace_all_feedback,
)
from autokb.stores.workspace_file import Staged, WorkspaceFile
from autokb.text.control_characters import printable_name, replace_controls
from autokb.text.masking import find_private, mask

NAMES = ("conversation", "author", "group", "date")


@dataclass(frozen=True, slots=True)
class FileFeedback:
    """The feedback of a file in the order of its numbers, and the ids of what had been fed there."""

    feedback: tuple[Feedback, ...] = ()
    fed: frozenset[str] = frozenset()


def feedback_lines(file: WorkspaceFile) -> list[Body]:
    """Return a line for each feedback that nobody took back, private data of its texts masked; ``fed`` where it is."""
    fed = staged_feedback(file)
    return [
        {**feedback_body(_masked(one)), "kind": KIND, "id": one.id, **({"fed": True} if one.id in fed else {})}
        for one in read_feedback(file)
    ]


def _masked(one: Feedback) -> Feedback:
    query, text = mask([one.query, one.text]).texts
    conversation = short_id("chat", one.conversation) if find_private(one.conversation) else one.conversation
    return replace(one, query=query, text=text, conversation=conversation)


def separate_feedback(lines: Lines) -> FileFeedback:
    """Take the feedback out of an export's lines; what has no number comes last."""
    bodies = take_out(lines, KIND)
    found = sorted(
        (_read_line(i, body) for i, body in bodies.items()), key=lambda one: (one.number == 0, one.number, one.id)
    )
    return FileFeedback(tuple(found), frozenset(i for i, body in bodies.items() if body.get("fed")))


def _read_line(feedback: str, body: Mapping[str, object]) -> Feedback:
    one = FEEDBACK.read(body, id=feedback)
    names = {name: printable_name(without_surrogates(getattr(one, name))) for name in NAMES}
    texts = {
        name: replace_controls(without_surrogates(getattr(one, name))).strip()
        for name in ("query", "text", "suggested")
    }
    return replace(one, **names, **texts)  # type: ignore[arg-type]


def put_feedback(file: WorkspaceFile, found: FileFeedback) -> None:
    """Make the feedback of a file all that there is, what was fed there staged; call it inside a transaction.

    Call it when the raw issues of the file are staged: those that a build took are among them.
    """
    replace_all_feedback(file, found.feedback)
    staged = staged_feedback(file)
    missing = (one for one in fed_questions(found.feedback) if one.id in found.fed and one.id not in staged)
    file.stage("issues", [Staged(issue.id, "", SOURCE, RAW_ISSUE.body(issue)) for issue in missing])


def take_feedback(file: WorkspaceFile, found: Sequence[Feedback]) -> Imported:
    """Store the feedback of a file that is not known here; call it inside a transaction.

    It is not fed, and what was taken back here stays so, whatever a file says.
    """
    undone = feedback_ids(file, undone=True)
    taken = 0
    skipped = []
    for one in found:
        if one.id in undone:
            reason = "was taken back here since, which counts; to have it again, use: autokb feedback add"
            skipped.append(Skipped(f"{KIND} {one.id}", reason))
        else:
            taken += keep_feedback(file, one) is not None
    return Imported(taken, len(found) - taken - len(skipped), tuple(skipped))
