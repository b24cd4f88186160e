"""``helpdesks:`` of the settings: whose customers' messages come in, and where the suggestions go back to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, get_args

from autokb.core.errors import BadEntryError, shown_value
from autokb.core.helpdesk_settings import (
    HelpdeskSettings,
    ReplyTo,
    VariableEntry,
    required_of,
    usual_variable,
)
from autokb.core.plugins import is_of_plugin
from autokb.core.setting_values import web_address
from autokb.core.validation import Entry, Switch, number, one_of, read_as, refuse_unknown

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
_OF_PLUGIN = ("user", "admin")  # what one of a plug-in may have besides


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
    place = ("settings.yaml", "helpdesks", known)
    if not isinstance(entries, Mapping):
        raise BadEntryError(f"{': '.join(place)}: write a mapping with {', '.join(required_of(known))}.")
    filled = {str(entry): given for entry, given in entries.items() if given is not None}
    _check_entries(known, filled, place)
    filled = {"url": INTERCOM, **{entry: usual_variable(known, entry) for entry in get_args(VariableEntry)}, **filled}
    kinds = _READ_AS | _OF.get(known, {})
    return HelpdeskSettings(
        name=known, **{entry: read_as(kinds[entry], given, *place, entry) for entry, given in filled.items()}
    )


def _check_entries(name: str, filled: Mapping[str, Any], place: tuple[str, ...]) -> None:
    """Refuse an entry that a helpdesk does not have, and one that it lacks."""
    further = _OF_PLUGIN if is_of_plugin(name) else ()
    refuse_unknown(filled, tuple(dict.fromkeys((*required_of(name), *_ALL, *further))), *place)
    if missing := [entry for entry in required_of(name) if entry not in filled]:
        raise BadEntryError(f"{': '.join(place)}: it needs {missing[0]}.")


def _read_word(value: Any) -> str | None:
    text = str(value).strip() if type(value) in (str, int) else ""
    return text if _WORD.fullmatch(text) else None


def _read_account(value: Any) -> str:
    """Read the number of an account of Chatwoot."""
    if not (text := str(value).strip()).isdecimal():
        raise ValueError("must be the number that stands in Chatwoot's address, behind /accounts/")
    return text


def _read_variable(value: Any) -> str:
    if not isinstance(value, str) or not _VARIABLE.fullmatch(value.strip()):
        raise ValueError(_NO_VARIABLE)
    return value.strip()


def _url(page: str) -> Entry:
    """Return the entry of an address whose path has nothing of a ``page``, which was copied from a browser."""

    def read(value: Any) -> str | None:
        text = value.strip() if isinstance(value, str) else ""
        parts = web_address(text)
        if "@" in text:  # before what is wrong is shown: it may be a password
            raise ValueError("must have no user and password; the token has its place in the environment")
        if parts is None or parts.query or parts.fragment:
            return None
        if re.search(page, parts.path):
            must = "must end with the name of the host, as https://desk.example.com does"
            raise ValueError(f"{must}, not {shown_value(value)}")
        return text.rstrip("/")

    return Entry("an address such as https://desk.example.com", read)


_Text = Annotated[str, Entry("a number or a word", _read_word)]
_Variable = Annotated[str, Entry(read=_read_variable)]
_Host = Annotated[str, _url("[^/]")]
_READ_AS: dict[str, Any] = {
    "url": Annotated[str, _url("(?!)")],  # below a folder there may be a helpdesk of one's own
    "account": _Text,
    "user": _Text,
    "admin": _Text,
    "reply": Annotated[ReplyTo, one_of(*get_args(ReplyTo))],
    "reply_after_agent": Switch,
    "customer_from": Annotated[float, number(0, 1, "a probability, more than 0 and at most 1", exclusive=True)],
    "token_env": _Variable,
    "secret_env": _Variable,
}
_OF: dict[str, dict[str, Any]] = {  # ours by their names
    "chatwoot": {"account": Annotated[str, Entry(read=_read_account)], "url": Annotated[str, _url(r"/(app|api)(/|$)")]},
    "zendesk": {"url": _Host},
    "intercom": {"url": _Host},
}
