"""What must not stand in a text that somebody pastes into an issue: places, people, machines, addresses, keys."""

from __future__ import annotations

import getpass
import re
import shlex
import socket
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlsplit

from autokb.core.settings import Settings
from autokb.llm.keys import SHORTEST_SECRET, scrubbed
from autokb.llm.prices import known_model
from autokb.text.masking import mask

URL = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*)://[^\s'\"<>]+")
PATH = re.compile(r"(?<![\w~./-])/(?:[^\s/'\"]+/)*[^\s/'\",;:)]+")  # absolute, and none of those that have a name here


class PrivateWords:
    """Hides them, in sentences of errors and in names that people chose."""

    def __init__(self, folder: Path, settings: Settings) -> None:
        places = {str(Path.home()): "~", tempfile.gettempdir(): "TEMP"}
        for spelling in (str(folder), str(folder.absolute()), str(folder.resolve())):
            places[shlex.quote(spelling)] = places[spelling] = "WORKSPACE"
        for spelling in _folders(settings):
            places[spelling] = places[str(Path(spelling).expanduser().absolute())] = "FOLDER"
        self._places = sorted(
            ((place, name) for place, name in places.items() if place not in ("", "/", ".")), key=_by_length
        )
        machine = socket.gethostname()
        words = {machine: "HOST", machine.partition(".")[0]: "HOST", _user(): "USER"}
        words |= dict.fromkeys((*_parts_of_addresses(settings), *_own_models(settings)), "HIDDEN")
        self._words = sorted(
            ((one, name) for one, name in words.items() if len(one) >= SHORTEST_SECRET and one != "autokb"),
            key=_by_length,
        )

    def hide(self, text: str) -> str:
        """Return a text without them; what stands for something says what it was: WORKSPACE, ~, HOST, USER, ..."""
        text = scrubbed(text)
        for place, name in self._places:
            text = re.sub(rf"(?<![\w.~/-]){re.escape(place)}(?![\w-])", name, text)
        text = PATH.sub("PATH", URL.sub(r"\1://HIDDEN", text))
        for word, name in self._words:
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", name, text, flags=re.IGNORECASE)
        return mask([text]).texts[0]


def _by_length(one: tuple[str, str]) -> int:
    return -len(one[0])


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # of nobody in the list of users
        return ""


def _folders(settings: Settings) -> Iterator[str]:
    """Yield the folders that the settings name."""
    for name in (settings.embedder, settings.reranker):
        kind, _, folder = name.partition(":")
        if kind == "local" and folder.strip():
            yield folder.strip()
    yield from (source.path for source in settings.sources.values() if source.path)


def _own_models(settings: Settings) -> Iterator[str]:
    """Yield the names of models that are in no public list, as fine-tuned ones, which have the customer's name."""
    named = {settings.model, settings.ask.model, settings.embedder, *settings.tasks.values()}
    for provider, _, name in (one.partition(":") for one in named):
        listed = known_model(provider, name.partition("?")[0])
        if name and not (listed and re.fullmatch(rf"{re.escape(listed.id)}[\d-]*(\?.*)?", name)):
            yield name


def _parts_of_addresses(settings: Settings) -> Iterator[str]:
    """Yield the users, passwords, machines and paths of all addresses that the settings name."""
    for address in _addresses(asdict(settings)):
        try:
            parts = urlsplit(address[address.index("//") :])
            found = (parts.netloc, parts.hostname, parts.username, parts.password, parts.path.strip("/"), parts.query)
        except ValueError:  # no address
            found = (address, None, None, None, "", "")
        yield from filter(None, found)


def _addresses(value: object) -> Iterator[str]:
    if isinstance(value, str):
        if "//" in value:
            yield value
    elif isinstance(value, Mapping):
        yield from (one for inner in value.values() for one in _addresses(inner))
    elif isinstance(value, Iterable):
        yield from (one for inner in value for one in _addresses(inner))
