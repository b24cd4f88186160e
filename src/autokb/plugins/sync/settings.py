"""``sources:`` of the settings: what each type of source takes, and one sentence for what it does not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_network
from typing import Annotated, Any

from autokb.core.errors import BadEntryError, shown_value
from autokb.core.plugins import is_of_plugin
from autokb.core.setting_values import web_address
from autokb.core.source_settings import CONTENTS, TICKETS, SourceSettings
from autokb.core.validation import Entry, Switch, one_of, read_as, refuse_unknown, whole_number

KINDS = ("documents", "issues", "tickets", "chats")
LONGEST_WAIT = 31_536_000  # seconds; a year, and more is a slip of the keyboard
MOST_ADDRESSES = 50_000  # of one source; as many as one sitemap may have (sitemaps.org)
GITHUB = "https://api.github.com"
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}  # seconds
_DURATION = re.compile(r"([0-9]{1,9})\s*([smhd])")
_PLAIN_URL = re.compile(r"[^#?\\\s]+")
RESERVED = ("build", "date", "error")  # what the answer of ``sync`` has beside its sources
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_FIELDS = ("text", "title", "id", "date", "resolved_by")
_NET = ("token_env", "allow_networks")
_OF_PLUGIN = (*_NET, "type", "every", "as", "prefix", "check_deleted")  # the entries of a plug-in's source that we read
_API = (*_NET, "url", "user", "as", "prefix", "comments", "check_deleted")
# What each type must have, and what it may have beside ``type`` and ``every``.
TYPES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "folder": (("path",), ("as", "fields")),
    "git": (("url",), (*_NET, "user", "branch", "folder", "as", "fields")),
    "web": ((), ("urls", "sitemap", "allow_networks")),
    "zendesk": (("url",), (*_API, "content", "locale")),
    "jira": (("url", "jql"), (*_API, "api")),
    "github": (("repo",), _API),
}


class SourcesSection:
    """The section, read as a settings model of pydantic is."""

    @staticmethod
    def model_validate(value: Mapping[Any, Any]) -> dict[str, SourceSettings]:
        """Read the mapping under ``sources:`` (BadEntryError names the entry)."""
        return {str(name): _read_source(str(name), entries) for name, entries in value.items()}


def _read_source(name: str, entries: Any) -> SourceSettings:
    where = f"the source {shown_value(name)}"
    _check_name(name, where)
    given = entries.get("type") if isinstance(entries, Mapping) else None
    if str(given) not in TYPES and not is_of_plugin(str(given)):
        wrong = "" if given is None else f", not {shown_value(given)}"
        raise _error(where, f"write a mapping with a type: {', '.join(TYPES)}{wrong}")
    kind = str(given)
    filled = {str(entry): value for entry, value in entries.items() if value is not None}
    _check_entries(where, kind, filled)
    own = set(filled) if kind in TYPES else {*_OF_PLUGIN}
    read: dict[str, Any] = {"options": {entry: filled.pop(entry) for entry in filled.keys() - own}}
    for entry, value in filled.items():
        read[_ATTRIBUTES.get(entry, entry)] = read_as(_READ_AS.get(entry, _Word), value, "settings.yaml", where, entry)
    return SourceSettings(name=name, **_with_usual(where, kind, read))


def _check_name(name: str, where: str) -> None:
    if not _NAME.fullmatch(name):
        raise _error(where, "its name takes letters, digits, - and _, at most 64")
    if name in RESERVED:
        raise _error(where, f"choose another name: {', '.join(RESERVED)} are other entries of what sync prints")


def _check_entries(where: str, kind: str, entries: Mapping[str, Any]) -> None:
    """Refuse an entry that a type does not have, and one that it lacks."""
    if kind not in TYPES:  # a plug-in's, which reads its own
        return
    required, optional = TYPES[kind]
    refuse_unknown(entries, ("type", "every", *required, *optional), "settings.yaml", f"{where} of type {kind}")
    if missing := [entry for entry in required if not entries.get(entry)]:
        raise _error(where, f"a source of type {kind} needs {missing[0]}")
    if kind == "web" and not (entries.get("urls") or entries.get("sitemap")):
        raise _error(where, "a source of type web needs urls or a sitemap")


def _with_usual(where: str, kind: str, read: dict[str, Any]) -> dict[str, Any]:
    """Return the entries with what a type has where nobody said it, and refuse what it cannot be added as."""
    tracker = kind in ("jira", "github") or (kind == "zendesk" and read.get("content") == TICKETS)
    usual: dict[str, Any] = {"as_kind": "tickets" if tracker else "documents"}
    if kind == "github":
        usual["url"] = GITHUB
    found = usual | read
    if tracker and found["as_kind"] not in ("tickets", "issues"):
        raise _error(where, f"as must be tickets or issues, not {found['as_kind']}")
    if kind == "zendesk" and not tracker and found["as_kind"] != "documents":
        raise _error(where, "articles are documents; content: tickets has the others")
    return found


def _word(words: str, pattern: str) -> Entry:
    def read(value: Any) -> str | None:
        text = str(value).strip() if type(value) in (str, int) else ""
        return text if re.fullmatch(pattern, text) and not text.startswith("-") else None

    return Entry(words, read)


def _duration(least: int) -> Entry:
    def read(value: Any) -> int | None:
        found = _DURATION.fullmatch(str(value).strip().casefold())
        seconds = int(found[1]) * _UNITS[found[2]] if found else -1
        return seconds if least <= seconds <= LONGEST_WAIT else None

    return Entry("a time such as 30m, 1h or 1d, at most a year", read)


def _read_list(value: Any) -> Sequence[Any]:
    found = value if isinstance(value, list) else [value]
    if len(found) > MOST_ADDRESSES:
        raise ValueError(f"has {len(found):,} entries, and {MOST_ADDRESSES:,} can be read; split the source")
    return found


def _read_address(value: Any) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    parts = web_address(text)
    if parts and "@" in parts.netloc:
        raise ValueError("must have no user and password; name the variable that has them: token_env")
    return text if parts else None


def _read_url(value: Any) -> str | None:
    """Read where a tracker or a repository is; git takes paths and ssh too."""
    text = value.strip() if isinstance(value, str) else ""
    is_web = text.startswith(("http://", "https://"))
    if not is_web and not _is_place_for_git(text):
        return None
    # The host that is checked must be the one that is asked, so no address that programs read in two ways.
    is_path = ":" not in text or text.startswith("file://")
    if not is_path and (not _PLAIN_URL.fullmatch(text) or text.count("@") > 1):
        raise ValueError(f"must have no #, ?, \\ or blank and at most one @, not {shown_value(text)}")
    address = _read_address(text) if is_web else text
    return address.rstrip("/") if is_web and address else address


def _is_place_for_git(text: str) -> bool:
    """Return whether git reads a text as a path or an address, and not as an option or the name of a program."""
    return bool(text) and not text.startswith("-") and "::" not in text and all(ord(c) >= 32 for c in text)


def _read_network(value: Any) -> str | None:
    try:
        return str(ip_network(str(value).strip()))
    except ValueError:
        return None


def _read_fields(value: Any) -> dict[str, str] | None:
    if not isinstance(value, Mapping) or not set(value) <= set(_FIELDS):
        return None
    return {str(one): str(path).strip() for one, path in value.items() if path is not None}


_Word = Annotated[str, _word("a word", r"(?s:.+)")]
_Address = Annotated[str, Entry("an address such as https://docs.example.com/", _read_address)]
_Network = Annotated[str, Entry("a network such as 10.2.0.0/16", _read_network)]
_ATTRIBUTES = {"as": "as_kind"}
# What an entry is read as that is no word.
_READ_AS: Mapping[str, Any] = {
    "token_env": Annotated[str, _word("the name of an environment variable", "[A-Za-z_][A-Za-z0-9_]*")],
    "repo": Annotated[str, _word("OWNER/NAME", r"[\w.-]+/[\w.-]+")],
    "every": Annotated[int, _duration(1)],
    "check_deleted": Annotated[int, _duration(0)],
    "urls": Annotated[tuple[_Address, ...], Entry(read=_read_list)],
    "sitemap": _Address,
    "url": Annotated[str, Entry("an address or a path", _read_url)],
    "allow_networks": Annotated[tuple[_Network, ...], Entry(read=_read_list)],
    "fields": Annotated[dict[str, str], Entry(f"a mapping with {', '.join(_FIELDS)}", _read_fields)],
    "comments": Switch,
    "api": Annotated[int, whole_number(2, 3, "2 or 3")],
    "as": Annotated[str, one_of(*KINDS)],
    "content": Annotated[str, one_of(*CONTENTS)],
}


def _error(where: str, reason: str) -> BadEntryError:
    return BadEntryError(f"settings.yaml: {where}: {reason}.")
