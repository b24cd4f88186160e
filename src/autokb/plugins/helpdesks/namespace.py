"""Messages that helpdesks send, and the notes that go back."""

from __future__ import annotations

from collections.abc import Mapping

from autokb.app import SupportKB
from autokb.plugins.helpdesks.desk import HelpdeskDesk, WorkDone


class HelpdesksNamespace:
    """Messages that helpdesks send, and the notes that go back; the settings name the helpdesks.

    ``take`` is for who receives webhooks, ``work`` for who sends notes; any number of threads, processes and machines
    may do either at once.
    """

    def __init__(self, kb: SupportKB) -> None:
        self._desk = HelpdeskDesk(lambda: kb.workspace, kb.suggest, kb.usage.give_feedback)

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
