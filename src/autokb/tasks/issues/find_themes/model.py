"""How a model is asked which themes there are: one request, a line an issue, each theme shown by a few of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.issues.find_themes.offline import MOST
from autokb.tasks.issues.find_themes.reply import FoundTheme, FoundThemes
from autokb.tasks.issues.find_themes.sample import chosen, line
from autokb.tasks.issues.find_themes.shapes import FindThemes
from autokb.tasks.prompts import Verbatim, examples, unescaped
from autokb.tasks.reply import ReplyError

PACKAGE = "autokb.tasks.issues.find_themes"
NAME = 80  # characters of a theme's name
SHOWN_BY = 5  # issues that show a theme: its centre needs a few, the rest is sorted by the next task
THEME_TOKENS = (72, 44)  # at most and usually: a name, a few numbers, what stands around them


def values(items: Sequence[FindThemes]) -> Mapping[str, Any]:
    """Return the template's variables: the domain, and as many issues as fit."""
    (item,) = items
    return {
        "domain": item.domain,
        "issues": [line(item.issues[n]) for n in chosen(item.issues, item.vectors)],
        "total": len(item.issues),
        "most": MOST,
        "longest": NAME,
        "shown_by": SHOWN_BY,
        "examples": [
            {**entry, "reply": Verbatim(json.dumps(entry["reply"], ensure_ascii=False))} for entry in examples(PACKAGE)
        ],
    }


def entry(items: Sequence[FindThemes]) -> type[Wire]:
    """Return the type of the one entry: themes with the numbers of the issues that show them.

    Only the JSON schema bounds the numbers: one that is not there costs its example, not the whole reply.
    """
    shown = len(chosen(items[0].issues, items[0].vectors))
    number: Any = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": shown})]
    theme: Any = wire(
        "Theme",
        title=Annotated[str, Field(min_length=1, max_length=NAME, alias="name")],
        examples=Annotated[list[number], Field(min_length=1, max_length=SHOWN_BY)],
        miscellaneous=bool,
    )
    return wire("Entry", number=Literal[1], themes=Annotated[list[theme], Field(min_length=1, max_length=MOST)])


def read(
    items: Sequence[FindThemes], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[FoundThemes, tuple[str, ...]]:
    """Turn the entry into the task's answer; themes of one name are one, one that no issue shows is left out."""
    (item,) = items
    reading = _Reading(chosen(item.issues, item.vectors))
    for theme in entry.themes:
        reading.add(" ".join(unescaped(theme.title).split()), theme.examples, theme.miscellaneous)
    if not (found := reading.themes()):
        raise ReplyError("No theme has an issue of the list as an example.")
    return FoundThemes(themes=found), tuple(reading.complaints)


class _Reading:
    """Themes as they are read one after the other; what does not fit is a complaint."""

    def __init__(self, shown: Sequence[int]) -> None:
        self.complaints: list[str] = []
        self._shown = shown
        self._names: dict[str, str] = {}
        self._members: dict[str, list[int]] = {}
        self._taken: set[int] = set()
        self._odd: str | None = None

    def add(self, name: str, numbers: Sequence[int], miscellaneous: bool) -> None:
        """Take one theme."""
        if not name:
            self.complaints.append("A theme has no name.")
            return
        key = name.casefold()
        if key in self._names:
            self.complaints.append(f"Two themes are called {name!r}.")
        self._names.setdefault(key, name)
        if miscellaneous and self._odd not in (None, key):
            self.complaints.append(f"{name!r}: only one theme can be the miscellaneous one.")
        elif miscellaneous:
            self._odd = key
        self._members.setdefault(key, []).extend(self._usable(name, numbers))

    def _usable(self, name: str, numbers: Sequence[int]) -> list[int]:
        usable = []
        for number in dict.fromkeys(numbers):
            if not 1 <= number <= len(self._shown):
                self.complaints.append(f"{name!r}: there is no issue {number}.")
            elif number in self._taken:
                self.complaints.append(f"{name!r}: issue {number} shows another theme already.")
            else:
                self._taken.add(number)
                usable.append(self._shown[number - 1])
        return usable

    def themes(self) -> tuple[FoundTheme, ...]:
        """Return the themes that an issue shows, the miscellaneous one last."""
        empty = [self._names[key] for key, members in self._members.items() if not members]
        self.complaints += [f"{name!r} has no example of its own and is left out." for name in empty]
        found = [
            FoundTheme(name=self._names[key], members=tuple(sorted(members)), miscellaneous=key == self._odd)
            for key, members in self._members.items()
            if members
        ]
        return tuple(sorted(found, key=lambda theme: theme.miscellaneous))


def tokens(item: FindThemes) -> tuple[int, int]:
    """Return the most and the usual number of tokens: usually there are as many themes as offline looks for."""
    most = min(MOST, len(item.issues))
    usual = min(most, max(3, round(math.sqrt(len(item.issues) / 2))))
    return 32 + most * THEME_TOKENS[0], 16 + usual * THEME_TOKENS[1]


ASKING = Asking(PACKAGE, values, entry, read, tokens)
