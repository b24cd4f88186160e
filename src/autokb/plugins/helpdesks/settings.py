"""``helpdesks:`` of the settings: whose customers' messages come in, and where the suggestions go back to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from autokb.core.errors import BadEntryError, shown_value
from autokb.core.helpdesk_settings import (
    CUSTOMER_FROM,
    NOTE,
    HelpdeskSettings,
    ReplyTo,
    VariableEntry,
    required_of,
    usual_variable,
)
from autokb.core.plugins import is_of_plugin
from autokb.core.setting_values import read_number, web_address

HELPDESKS = ("chatwoot", "zendesk", "intercom")
INTERCOM = "https://api.intercom.io"
_ALL = ("url", "account", "reply", "customer_from", "reply_after_agent", "token_env", "secret_env")
# The name of an environment variable as they are usually written: few pasted secrets look like one.
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
_NO_VARIABLE = (
    "must be the NAME of an environment variable, in capitals with an underscore, such as DESK_TOKEN; the secret "
    "itself belongs into that variable, and nowhere else"
)
_WORD = re.compile(r"[A-Za-z0-9@._%+-]{1,200}")
_PAGE = re.compile(r"/(app|api)(/|$)")  # in the path of a page of Chatwoot, or of its interface


class HelpdesksSection:
    """The section, read as a settings model of pydantic is."""

    @staticmethod
    def model_validate(value: Mapping[Any, Any]) -> dict[str, HelpdeskSettings]:
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


def _read_variable(name: str, entry: VariableEntry, filled: Mapping[str, Any]) -> str:
    value = filled.get(entry, usual_variable(name, entry))
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
