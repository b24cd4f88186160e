"""Messages that helpdesks send, and the notes that go back."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from autokb.app.memory import WorkspaceMemory
    from autokb.helpdesks.desk import GivesFeedback, HelpdeskDesk, Suggests, WorkDone


class HelpdesksDoor:
    """Messages that helpdesks send, and the notes that go back; the settings name the helpdesks.

    ``take`` is for who receives webhooks, ``work`` for who sends notes; any number of threads, processes and machines
    may do either at once.
    """

    def __init__(self, memory: WorkspaceMemory, suggest: Suggests, give_feedback: GivesFeedback) -> None:
        self._memory, self._suggest, self._give_feedback = memory, suggest, give_feedback

    @property
    def are_named(self) -> bool:
        """Whether the settings name a helpdesk."""
        return bool(self._memory.workspace.settings.helpdesks)

    def take(self, helpdesk: str, headers: Mapping[str, str], body: bytes, *, token: str = "") -> str:
        """Store the message of a webhook, once; returns ``taken``, ``known``, ``skipped`` or ``not_ours``.

        ``headers`` have names in lower case, ``token`` is what the address says. What no helpdesk of the settings
        signed raises NotSignedError, what another account of the helpdesk sent is ``not_ours``. A message that was
        taken is on the disk when this returns.
        """
        return self._desk.take(helpdesk, headers, token, body)

    def work(self) -> WorkDone:
        """Write the note that is due, or compare the reply; its ``wait`` says after how many seconds more is due."""
        return self._desk.work()

    def counts(self) -> dict[str, int]:
        """Return how many messages are open, done and failed."""
        return self._desk.waiting()

    def close(self) -> None:
        """Close the connections that this thread has to helpdesks."""
        self._desk.close()

    @cached_property
    def _desk(self) -> HelpdeskDesk:
        from autokb.helpdesks.desk import HelpdeskDesk

        return HelpdeskDesk(lambda: self._memory.workspace, self._suggest, self._give_feedback)
