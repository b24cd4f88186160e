"""``sources:`` of the settings: what each type of source takes, and one sentence for what it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_network
from typing import Any

from autokb.core.errors import BadEntryError, shown_value
from autokb.core.plugins import is_of_plugin
from autokb.core.setting_values import web_address
from autokb.core.source_settings import CONTENTS, TICKETS, SourceSettings

KINDS = ("documents", "issues", "tickets", "chats")
LONGEST_WAIT = 31_536_000  # seconds; a year, and more is a slip of the keyboard
MOST_ADDRESSES = 50_000  # of one source; as many as one sitemap may have (sitemaps.org)
GITHUB = "https://api.github.com"
_Reader = Callable[[str, str, Any], Any]
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


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise _error(name, "its name takes letters, digits, - and _, at most 64")
    if name in RESERVED:
        raise _error(name, f"choose another name: {', '.join(RESERVED)} are other entries of what sync prints")


def _read_source(name: str, entries: Any) -> SourceSettings:
    _check_name(name)
    given = entries.get("type") if isinstance(entries, Mapping) else None
    if str(given) not in TYPES and not is_of_plugin(str(given)):
        wrong = "" if given is None else f", not {shown_value(given)}"
        raise _error(name, f"write a mapping with a type: {', '.join(TYPES)}{wrong}")
    kind = str(entries["type"])
    filled = {str(entry): given for entry, given in entries.items() if given is not None}
    _check_entries(name, kind, filled)
    own = set(filled) if kind in TYPES else {*_OF_PLUGIN}
    read: dict[str, Any] = {"options": {entry: filled.pop(entry) for entry in filled.keys() - own}}
    for entry, given in filled.items():
        reader: _Reader = _READERS.get(entry, _read_word)
        read[_ATTRIBUTES.get(entry, entry)] = reader(name, entry, given)
    return SourceSettings(name=name, **_with_usual(name, kind, read))


def _check_entries(name: str, kind: str, entries: Mapping[str, Any]) -> None:
    """Refuse an entry that a type does not have, and one that it lacks."""
    if kind not in TYPES:  # a plug-in's, which reads its own
        return
    required, optional = TYPES[kind]
    known = ("type", "every", *required, *optional)
    if stray := [entry for entry in entries if entry not in known]:
        raise _error(name, f"a source of type {kind} takes {', '.join(known)}, not {shown_value(stray[0])}")
    if missing := [entry for entry in required if not entries.get(entry)]:
        raise _error(name, f"a source of type {kind} needs {missing[0]}")
    if kind == "web" and not (entries.get("urls") or entries.get("sitemap")):
        raise _error(name, "a source of type web needs urls or a sitemap")


def _with_usual(name: str, kind: str, read: dict[str, Any]) -> dict[str, Any]:
    """Return the entries with what a type has where nobody said it, and refuse what it cannot be added as."""
    tracker = kind in ("jira", "github") or (kind == "zendesk" and read.get("content") == TICKETS)
    usual: dict[str, Any] = {"as_kind": "tickets" if tracker else "documents"}
    if kind == "github":
        usual["url"] = GITHUB
    found = usual | read
    if tracker and found["as_kind"] not in ("tickets", "issues"):
        raise _error(name, f"as must be tickets or issues, not {found['as_kind']}")
    if kind == "zendesk" and not tracker and found["as_kind"] != "documents":
        raise _error(name, "articles are documents; content: tickets has the others")
    return found


def _read_word(name: str, entry: str, value: Any) -> str:
    text = str(value).strip() if type(value) in (str, int) else ""
    pattern, wanted = _PATTERNS.get(entry, (None, "a word"))
    if not text or text.startswith("-") or (pattern and not pattern.fullmatch(text)):
        raise _error(name, f"{entry} must be {wanted}, not {shown_value(value)}")
    return text


def _read_duration(name: str, entry: str, value: Any) -> int:
    found = _DURATION.fullmatch(str(value).strip().casefold())
    seconds = int(found[1]) * _UNITS[found[2]] if found else -1
    if not (0 if entry == "check_deleted" else 1) <= seconds <= LONGEST_WAIT:
        raise _error(name, f"{entry} must be a time such as 30m, 1h or 1d, at most a year, not {shown_value(value)}")
    return seconds


def _read_list(name: str, entry: str, value: Any) -> Sequence[Any]:
    found = value if isinstance(value, list) else [value]
    if len(found) > MOST_ADDRESSES:
        raise _error(name, f"{entry} has {len(found):,} entries, and {MOST_ADDRESSES:,} can be read; split the source")
    return found


def _read_address(name: str, entry: str, value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    parts = web_address(text)
    if parts is None:
        raise _error(name, f"{entry} must be an address such as https://docs.example.com/, not {shown_value(value)}")
    if "@" in parts.netloc:
        raise _error(name, f"{entry} must have no user and password; name the variable that has them: token_env")
    return text


def _read_url(name: str, entry: str, value: Any) -> str:
    """Read where a tracker or a repository is; git takes paths and ssh too."""
    text = value.strip() if isinstance(value, str) else ""
    if text.startswith(("http://", "https://")):
        _check_plain(name, text)
        return _read_address(name, entry, text).rstrip("/")
    if not text or text.startswith("-") or "::" in text or any(ord(c) < 32 for c in text):
        raise _error(name, f"url must be an address or a path, not {shown_value(value)}")
    _check_plain(name, text)
    return text


def _check_plain(name: str, url: str) -> None:
    """Refuse an address that programs read in two ways: the host that is checked must be the one that is asked."""
    is_path = ":" not in url or url.startswith("file://")
    if not is_path and (not _PLAIN_URL.fullmatch(url) or url.count("@") > 1):
        raise _error(name, f"url must have no #, ?, \\ or blank and at most one @, not {shown_value(url)}")


def _read_addresses(name: str, entry: str, value: Any) -> tuple[str, ...]:
    return tuple(_read_address(name, entry, one) for one in _read_list(name, entry, value))


def _read_networks(name: str, entry: str, value: Any) -> tuple[str, ...]:
    try:
        return tuple(str(ip_network(str(one).strip())) for one in _read_list(name, entry, value))
    except ValueError:
        raise _error(name, f"{entry} takes networks such as 10.2.0.0/16, not {shown_value(value)}") from None


def _read_fields(name: str, entry: str, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not set(value) <= set(_FIELDS):
        raise _error(name, f"{entry} must be a mapping with {', '.join(_FIELDS)}")
    return {str(one): str(path).strip() for one, path in value.items() if path is not None}


def _one_of(*known: str) -> _Reader:
    def read(name: str, entry: str, value: Any) -> str:
        text = str(value).strip().casefold()
        if text not in known:
            raise _error(name, f"{entry} must be {' or '.join(known)}, not {shown_value(value)}")
        return text

    return read


def _read_switch(name: str, entry: str, value: Any) -> bool:
    return bool(_one_of("true", "false")(name, entry, value) == "true")


def _read_version(name: str, entry: str, value: Any) -> int:
    return int(_one_of("2", "3")(name, entry, value))


_ATTRIBUTES = {"as": "as_kind"}
_READERS: Mapping[str, _Reader] = {
    "token_env": _read_word,
    "every": _read_duration,
    "check_deleted": _read_duration,
    "urls": _read_addresses,
    "sitemap": _read_address,
    "url": _read_url,
    "allow_networks": _read_networks,
    "fields": _read_fields,
    "comments": _read_switch,
    "api": _read_version,
    "as": _one_of(*KINDS),
    "content": _one_of(*CONTENTS),
}
_PATTERNS = {
    "token_env": (re.compile(r"[A-Za-z_][A-Za-z0-9_]*"), "the name of an environment variable"),
    "repo": (re.compile(r"[\w.-]+/[\w.-]+"), "OWNER/NAME"),
}


def _error(name: str, reason: str) -> BadEntryError:
    return BadEntryError(f"settings.yaml: the source {shown_value(name)}: {reason}.")
