"""``helpdesks:`` of the settings: whose customers' messages come in, and where the suggestions go back to."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from autokb.core.errors import BadEntryError, shown_value
from autokb.core.plugins import is_of_plugin
from autokb.core.setting_values import read_number, web_address

HELPDESKS = ("chatwoot", "zendesk", "intercom")
ReplyTo = Literal["note", "customer"]
NOTE, CUSTOMER = get_args(ReplyTo)
INTERCOM = "https://api.intercom.io"
CUSTOMER_FROM = 0.9  # probability that the first suggestion is right, from which it goes to the customer if it may
# What each must have beside what all may have: its account, who its token belongs to, who writes its notes.
_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "chatwoot": ("url", "account"),
    "zendesk": ("url", "user"),
    "intercom": ("admin",),
}
_OF_PLUGIN = ("url",)  # what a plug-in's must have; it may have all others
_ALL = ("url", "account", "reply", "customer_from", "reply_after_agent", "token_env", "secret_env")
# The name of an environment variable as they are usually written: few pasted secrets look like one.
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
_NO_VARIABLE = (
    "must be the NAME of an environment variable, in capitals with an underscore, such as DESK_TOKEN; the secret "
    "itself belongs into that variable, and nowhere else"
)
_WORD = re.compile(r"[A-Za-z0-9@._%+-]{1,200}")
_PAGE = re.compile(r"/(app|api)(/|$)")  # in the path of a page of Chatwoot, or of its interface
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
        is_shown = name == _usual_variable(self.name, entry) or name in os.environ
        return name if is_shown else f"the variable that {entry} names"


def required_of(name: str) -> tuple[str, ...]:
    """Return the entries that a helpdesk must have."""
    return _REQUIRED.get(name, _OF_PLUGIN)


def read_helpdesks(value: Mapping[Any, Any]) -> dict[str, HelpdeskSettings]:
    """Read the mapping under ``helpdesks:`` (BadEntryError names the entry)."""
    return {str(name): _read_helpdesk(name, entries) for name, entries in value.items()}


def _read_helpdesk(name: Any, entries: Any) -> HelpdeskSettings:
    known = str(name)
    if known not in HELPDESKS and not is_of_plugin(known):
        listed = ", ".join(HELPDESKS)
        raise BadEntryError(f"settings.yaml: helpdesks: takes {listed} or PLUGIN.NAME, not {shown_value(name)}.")
    if not isinstance(entries, Mapping):
        raise _error(known, f"write a mapping with {', '.join(required_of(known))}")
    filled = {str(entry): given for entry, given in entries.items() if given is not None}
    _check_entries(known, filled)
    words = {
        entry: _read_word(known, entry, filled[entry]) for entry in ("account", "user", "admin") if entry in filled
    }
    led = _read_one_of(known, "reply_after_agent", filled.get("reply_after_agent", False), ("true", "false"))
    return HelpdeskSettings(
        name=known,
        url=_read_url(known, filled.get("url", INTERCOM)),
        reply=cast("ReplyTo", _read_one_of(known, "reply", filled.get("reply", NOTE), get_args(ReplyTo))),
        customer_from=_read_share(known, filled.get("customer_from", CUSTOMER_FROM)),
        reply_after_agent=led == "true",
        token_env=_read_variable(known, "token_env", filled),
        secret_env=_read_variable(known, "secret_env", filled),
        **words,
    )


def _check_entries(name: str, filled: Mapping[str, Any]) -> None:
    """Refuse an entry that a helpdesk does not have, and one that it lacks."""
    further = ("user", "admin") if is_of_plugin(name) else ()
    takes = tuple(dict.fromkeys((*required_of(name), *_ALL, *further)))
    if stray := [entry for entry in filled if entry not in takes]:
        raise _error(name, f"it takes {', '.join(takes)}, not {shown_value(stray[0])}")
    if missing := [entry for entry in required_of(name) if entry not in filled]:
        raise _error(name, f"it needs {missing[0]}")


def _read_word(name: str, entry: str, value: Any) -> str:
    text = str(value).strip() if type(value) in (str, int) else ""
    if (name, entry) == ("chatwoot", "account") and not text.isdecimal():
        raise _error(name, "account must be the number that stands in Chatwoot's address, behind /accounts/")
    if not _WORD.fullmatch(text):
        raise _error(name, f"{entry} must be a number or a word, not {shown_value(value)}")
    return text


def _usual_variable(name: str, entry: VariableEntry) -> str:
    return f"AUTOKB_{name}_{entry.removesuffix('_env')}".upper().replace(".", "_")


def _read_variable(name: str, entry: VariableEntry, filled: Mapping[str, Any]) -> str:
    value = filled.get(entry, _usual_variable(name, entry))
    if not isinstance(value, str) or not _VARIABLE.fullmatch(value.strip()):
        raise _error(name, f"{entry} {_NO_VARIABLE}")
    return value.strip()


def _read_url(name: str, value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    parts = web_address(text)
    if "@" in text:  # before what is wrong is shown: it may be a password
        raise _error(name, "url must have no user and password; the token has its place in the environment")
    if parts is None or parts.query or parts.fragment:
        raise _error(name, f"url must be an address such as https://desk.example.com, not {shown_value(value)}")
    _refuse_page(name, parts.path, value)
    return text.rstrip("/")


def _refuse_page(name: str, path: str, value: Any) -> None:
    """Refuse the address of a page, copied from a browser; below a folder there may be a helpdesk of one's own."""
    if path.strip("/") and not is_of_plugin(name) and (name != "chatwoot" or _PAGE.search(path)):
        raise _error(
            name, f"url must end with the name of the host, as https://desk.example.com does, not {shown_value(value)}"
        )


def _read_one_of(name: str, entry: str, value: Any, known: Sequence[str]) -> str:
    """Read one of some words; settings.yaml gives true and false as they are written."""
    if str(value).lower() not in known:
        raise _error(name, f"{entry} must be {' or '.join(known)}, not {shown_value(value)}")
    return str(value).lower()


def _read_share(name: str, value: Any) -> float:
    share = read_number(value)
    if not 0 < share <= 1:
        raise _error(name, f"customer_from must be a probability, more than 0 and at most 1, not {shown_value(value)}")
    return share


def _error(name: str, reason: str) -> BadEntryError:
    return BadEntryError(f"settings.yaml: helpdesks: {name}: {reason}.")
