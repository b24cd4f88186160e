"""Every error a person can meet, each with the exit status that the command line gives it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

HIDDEN = "HIDDEN"  # stands for a value that may not be shown
_SHOWN = 60  # characters of a value that is refused
_NO_MARKS = {2: None, 3: None}
_VALUE = re.compile("\x02([^\x02]*)\x02([^\x03]*)\x03")  # what somebody wrote, and what stands for it
_NOT_VALUE = re.compile(f",? not {_VALUE.pattern}")


class AutokbError(Exception):
    """Something failed; the message is a sentence that says what to do."""

    exit_status = 1


class BadInputError(AutokbError):
    """What the user gave cannot be used as it is."""

    exit_status = 2


class BadEntryError(BadInputError):
    """An entry of a file of settings cannot be used; ``without_values`` says so without what anybody wrote there.

    The sentence is given with the marks of ``as_value`` and ``shown_value``.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(_VALUE.sub(r"\1", sentence))
        self.without_values = _VALUE.sub(r"\2", _NOT_VALUE.sub("", sentence))


@contextmanager
def hide_values() -> Iterator[None]:
    """Raise a BadEntryError as a BadInputError without its values: what a service says stays in journals and logs."""
    try:
        yield
    except BadEntryError as error:
        raise BadInputError(error.without_values) from None


def as_value(text: str, hidden: str = HIDDEN) -> str:
    """Mark what somebody wrote, for the sentence of a BadEntryError; ``hidden`` stands where it may not be shown."""
    return f"\x02{text.translate(_NO_MARKS)}\x02{hidden}\x03"


def shown_value(value: Any) -> str:
    """Return a value as somebody wrote it, cut and marked; a number may have thousands of digits."""
    if isinstance(value, int) and abs(value) >= 10**_SHOWN:
        return as_value(f"a number of more than {_SHOWN} digits")
    text = repr(value)
    return as_value(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


class NothingPublishedError(BadInputError):
    """Nothing of the kind that was asked for is published yet."""


class UnknownIdError(BadInputError):
    """Nothing has the id that was given."""


class NotForRoleError(BadInputError):
    """There is what was asked for, and the role of who asks does not see it."""


class ChangedMeanwhileError(BadInputError):
    """What was to be changed is no longer as it was when it was read."""


class StoppedOnPurposeError(AutokbError):
    """The work stopped where it was told to and can go on; ``result`` (a Result, or None) is what it did until then."""

    exit_status = 3

    def __init__(self, sentence: str, result: object = None) -> None:
        super().__init__(sentence)
        self.result = result


class HalfLostError(AutokbError):
    """What was to be published has less than half of what readers see; ``reasons`` are sentences that say of what."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__(
            f"Nothing was published; readers see what they saw. {' '.join(reasons)} Check what was added; where "
            "that is meant, add --force --author NAME, which goes on record."
        )
        self.reasons = reasons


class StageFailedError(AutokbError):
    """More items of a build's stage failed than the settings tolerate, so nothing was published.

    ``result`` is what the build did until then. The exit status is 3 where the same command may go on later, else 1.
    """

    def __init__(self, sentence: str, *, can_go_on: bool) -> None:
        super().__init__(sentence)
        self.exit_status = 3 if can_go_on else 1
        self.result: object = None


class RepliesAwaitedError(StoppedOnPurposeError):
    """The work needs replies that come later, with a batch."""


class WorkspaceBusyError(BadInputError):
    """Another process is building this workspace."""


class UnwritableWorkspaceError(AutokbError):
    """The workspace cannot be written: its disk is full, or its folder is read-only; nothing was changed."""


class StoreAwayError(AutokbError):
    """The server that keeps the workspace cannot be reached, or was lost meanwhile; what was confirmed is kept."""


class AutokbWarning(UserWarning):
    """What a person should know although the work goes on; the command line shows it as a sentence."""


class UnreadableFileError(AutokbError):
    """One file cannot be read; the others go on."""
