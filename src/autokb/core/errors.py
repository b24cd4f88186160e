"""Every error a person can meet, each with the exit status that the command line gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autokb.core.results import Result


class AutokbError(Exception):
    """Something failed; the message is a sentence that says what to do."""

    exit_status = 1


class BadInputError(AutokbError):
    """What the user gave cannot be used as it is."""

    exit_status = 2


class NothingPublishedError(BadInputError):
    """Nothing of the kind that was asked for is published yet."""


class UnknownIdError(BadInputError):
    """Nothing has the id that was given."""


class NotForRoleError(BadInputError):
    """There is what was asked for, and the role of who asks does not see it."""


class ChangedMeanwhileError(BadInputError):
    """What was to be changed is no longer as it was when it was read."""


class StoppedOnPurposeError(AutokbError):
    """The work stopped where it was told to and can go on; ``result`` is what it did until then."""

    exit_status = 3

    def __init__(self, sentence: str, result: Result | None = None) -> None:
        super().__init__(sentence)
        self.result = result


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
