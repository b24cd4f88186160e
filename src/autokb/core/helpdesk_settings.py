"""What a helpdesk of the settings is, once it is read: how it is reached, and where its suggestions go."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

ReplyTo = Literal["note", "customer"]
NOTE, CUSTOMER = get_args(ReplyTo)
CUSTOMER_FROM = 0.9  # probability that the first suggestion is right, from which it goes to the customer if it may
# What each must have beside what all may have: its account, who its token belongs to, who writes its notes.
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "chatwoot": ("url", "account"),
    "zendesk": ("url", "user"),
    "intercom": ("admin",),
}
_OF_PLUGIN = ("url",)  # what a plug-in's must have; it may have all others
VariableEntry = Literal["token_env", "secret_env"]


@dataclass(frozen=True, slots=True)
class HelpdeskSettings:
    """One helpdesk, of ours or PLUGIN.NAME; what it does not have is empty.

    Where it has an ``account``, webhooks of others are not taken: the number of Chatwoot's, the ``account_id`` of
    Zendesk, the ``app_id`` of Intercom.
    ``token_env`` and ``secret_env`` are the names of the environment variables with the token of its interface and the
    secret of its webhooks. Suggestions go back as a ``note``; with ``reply: customer`` what is sure enough, from
    ``customer_from`` on, goes to the customer, unless an agent has written or is assigned; with ``reply_after_agent``
    then as well.
    """

    name: str
    url: str
    account: str = ""
    user: str = ""
    admin: str = ""
    reply: ReplyTo = "note"
    customer_from: float = CUSTOMER_FROM
    reply_after_agent: bool = False
    token_env: str = ""
    secret_env: str = ""

    def missing_variables(self, says: str = "is not set, so") -> str:
        """Return a sentence that names the variables which are not in the environment; nothing where both are.

        What it ``says`` stands between a variable and what it is needed for.
        """
        needed: dict[VariableEntry, str] = {"secret_env": "its webhooks are refused", "token_env": "its notes wait"}
        lacks = [
            f"{self.variable(entry)} {says} {what}"
            for entry, what in needed.items()
            if not os.environ.get(getattr(self, entry))
        ]
        return f"Helpdesk {self.name}: {'; '.join(lacks)}." if lacks else ""

    def variable(self, entry: VariableEntry) -> str:
        """Return what a sentence calls a variable: its name if that is the usual one, or if it is set.

        Any other name may be a secret that somebody pasted there.
        """
        name: str = getattr(self, entry)
        is_shown = name == usual_variable(self.name, entry) or name in os.environ
        return name if is_shown else f"the variable that {entry} names"


def required_of(name: str) -> tuple[str, ...]:
    """Return the entries that a helpdesk must have."""
    return _REQUIRED.get(name, _OF_PLUGIN)


def usual_variable(name: str, entry: VariableEntry) -> str:
    """Return the name of the environment variable that holds a secret where the settings name none."""
    return f"AUTOKB_{name}_{entry.removesuffix('_env')}".upper().replace(".", "_")
