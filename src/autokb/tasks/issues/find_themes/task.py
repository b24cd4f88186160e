"""The task that finds broad themes over raw issues (prompt G.6)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from pydantic import Field, WithJsonSchema

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.heuristics.themes.find import MOST_THEMES, FoundTheme, FoundThemes, find_themes
from autokb.heuristics.themes.problem_names import Titles
from autokb.tasks.prompts import examples as prompt_examples
from autokb.tasks.prompts import spelled_reply, unescaped
from autokb.tasks.task import Read, ReplyError, Task, outside_key
from autokb.tasks.wire import wire

LINE_CHARACTERS = 240  # of an issue: enough to see its kind
MOST_LINES = 300  # issues in a request: the lists of a few hundred that the paper shows whole fit
MOST_CHARACTERS = 60_000  # of all lines, some 15,000 tokens: a model with a window of 32,000 can read them and reply
MOST_COMPARED = 6_000  # issues that the choice is made from; comparing more takes seconds and shows no further theme
DECIMALS = 6  # of a cosine; smaller differences come from the order of a sum


def issue_line(text: str) -> str:
    """Return an issue as one line, cut at the last word that fits."""
    whole = " ".join(text.split())
    return whole if len(whole) <= LINE_CHARACTERS else whole[:LINE_CHARACTERS].rsplit(" ", 1)[0] + " …"


def sample_issues(issues: Sequence[str], vectors: Any) -> list[int]:
    """Return the positions of the issues that are shown, in order; all of them where they fit.

    Of too many, each further one is the one least like those chosen before it (farthest first), so that rare kinds
    of issues are seen too. Without ``vectors`` (a unit row for each issue) they are spread evenly.
    """
    sizes = [len(issue_line(text)) for text in issues]
    if len(issues) <= MOST_LINES and sum(sizes) <= MOST_CHARACTERS:
        return list(range(len(issues)))
    most = MOST_LINES if vectors is None else MOST_COMPARED
    order = [int(n) for n in np.unique(np.linspace(0, len(issues) - 1, min(len(issues), most)).astype(int))]
    if vectors is not None:
        order = _farthest_first(np.asarray(vectors)[order], order)
    left, found = MOST_CHARACTERS, []
    for position in order:
        left -= sizes[position]
        if left < 0:
            break
        found.append(position)
    return sorted(found)


def _farthest_first(rows: Any, positions: Sequence[int]) -> list[int]:
    """Return up to MOST_LINES positions, from the most central issue on; of equals the first."""
    unit = np.asarray(rows, dtype=np.float64)
    nearest = np.full(len(unit), -np.inf)
    here = int(np.round(unit @ unit.mean(axis=0), DECIMALS).argmax())
    found = [here]
    while len(found) < min(MOST_LINES, len(unit)):
        nearest = np.maximum(nearest, np.round(unit @ unit[here], DECIMALS))
        nearest[here] = np.inf
        here = int(nearest.argmin())
        found.append(here)
    return [positions[n] for n in found]


@dataclass(frozen=True, slots=True)
class FindThemes:
    """What the domain is about and all raw issues; ``vectors`` has a unit row for each issue.

    ``subjects`` are the issues without the words of attribute values (none: the issues as they are). ``titles`` are
    lines, one an issue and empty where it has none, that can name a theme offline; ``title_vectors``
    has a unit row for each. With ``sorts_all`` a model gives every issue its theme at once; all of them must fit into
    the request.
    """

    domain: str
    issues: tuple[str, ...]
    vectors: Any = outside_key()
    subjects: tuple[str, ...] = ()
    language: str = only_if_other_than(ENGLISH)
    titles: tuple[str, ...] = only_if_other_than(())
    title_vectors: Any = outside_key()
    sorts_all: bool = only_if_other_than(False)


class FindThemesTask(Task[FindThemes, FoundThemes]):
    """Which broad themes do these issues have? A request shows a line an issue; a few issues show each theme."""

    version = 4
    offline_revision = 3
    input = FindThemes
    output = FoundThemes
    name_characters = 80  # of a theme
    most_examples = 5  # issues that show a theme: its centre needs a few, the rest is sorted by assign_theme
    theme_tokens = (72, 44)  # at most and usually: a name, a few numbers, what is around them
    number_tokens = 3  # of an issue's number and the comma behind it

    def offline(self, item: FindThemes) -> FoundThemes:
        """Group the issues by their vectors; the product's name, which precedes the colon, names no theme."""
        product = item.domain.split(":", 1)[0]
        titles = Titles(item.titles, item.title_vectors) if item.titles else None
        return find_themes(item.subjects or item.issues, item.vectors, product, item.language, titles)

    def check(self, item: FindThemes, reply: FoundThemes) -> None:
        """Refuse themes that are missing, share a name, or name an issue twice or one that is not there."""
        names = [theme.name.casefold() for theme in reply.themes]
        members = [member for theme in reply.themes for member in theme.members]
        wrong = {
            "There are issues but no theme.": item.issues and not reply.themes,
            "Every theme needs a name of its own.": len(set(names)) < len(names) or not all(map(str.strip, names)),
            "Only one theme can be the miscellaneous one.": sum(theme.miscellaneous for theme in reply.themes) > 1,
            "An issue stands in two themes.": len(set(members)) < len(members),
            "A theme names an issue that is not in the list.": set(members) - set(range(len(item.issues))),
            "Every theme needs at least one issue that shows it.": not all(theme.members for theme in reply.themes),
        }
        for message, found in wrong.items():
            if found:
                raise ReplyError(message)

    def values(self, items: Sequence[FindThemes]) -> Mapping[str, Any]:
        """Return the domain, and as many issues as fit."""
        (item,) = items
        return {
            "domain": item.domain,
            "issues": [issue_line(item.issues[n]) for n in sample_issues(item.issues, item.vectors)],
            "total": len(item.issues),
            "most": MOST_THEMES,
            "longest": self.name_characters,
            "shown_by": self.most_examples,
            "sorts_all": item.sorts_all,
        }

    def examples(self, items: Sequence[FindThemes]) -> Sequence[Mapping[str, Any]]:
        """Return the examples, whose themes name all of their issues; the field is called as the request has it."""
        field = _numbers_field(items[0])
        return [
            {**example, "reply": spelled_reply(_renamed(example["reply"], field))}
            for example in prompt_examples(self.package)
        ]

    def entry(self, items: Sequence[FindThemes]) -> Mapping[str, Any]:
        """Return the field of the one entry: themes with the numbers of the issues that show them.

        Only the JSON schema bounds the numbers: one that is not there costs its example, not the whole reply.
        """
        item = items[0]
        shown = len(sample_issues(item.issues, item.vectors))
        most = shown if item.sorts_all else self.most_examples
        number: Any = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": shown})]
        theme: Any = wire(
            "Theme",
            title=Annotated[str, Field(min_length=1, max_length=self.name_characters, alias="name")],
            **{_numbers_field(item): Annotated[list[number], Field(min_length=1, max_length=most)]},
            miscellaneous=bool,
        )
        return {"themes": Annotated[list[theme], Field(min_length=1, max_length=MOST_THEMES)]}

    def read(self, item: FindThemes, entry: Any) -> Read[FoundThemes]:
        """Read the themes; those of one name are one, one that no issue shows is left out."""
        reader = _ThemeReader(sample_issues(item.issues, item.vectors))
        for theme in entry.themes:
            reader.add(
                " ".join(unescaped(theme.title).split()), getattr(theme, _numbers_field(item)), theme.miscellaneous
            )
        if not (found := reader.themes()):
            raise ReplyError("No theme has an issue of the list as an example.")
        return Read(FoundThemes(themes=found), complaints=tuple(reader.complaints))

    def tokens(self, item: FindThemes) -> tuple[int, int]:
        """Return the tokens of the themes: usually there are as many as offline are tried first."""
        most = min(MOST_THEMES, len(item.issues))
        usual = min(most, max(3, round(math.sqrt(len(item.issues) / 2))))
        sorted_too = len(item.issues) * self.number_tokens if item.sorts_all else 0
        return 32 + most * self.theme_tokens[0] + sorted_too, 16 + usual * self.theme_tokens[1] + sorted_too


def _numbers_field(item: FindThemes) -> str:
    """Return what the numbers of a theme's issues are called: some that show it, or all that have it."""
    return "issues" if item.sorts_all else "examples"


def _renamed(reply: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    """Return an example's reply with this name for the numbers of its issues."""
    answers = [
        {
            "number": answer["number"],
            "themes": [
                {field if name == "examples" else name: value for name, value in theme.items()}
                for theme in answer["themes"]
            ],
        }
        for answer in reply["answers"]
    ]
    return {"answers": answers}


class _ThemeReader:
    """Themes as they are read one after the other; what does not fit is a complaint."""

    def __init__(self, shown: Sequence[int]) -> None:
        self.complaints: list[str] = []
        self._shown = shown  # positions of the issues, by their number in the prompt less one
        self._names: dict[str, str] = {}
        self._members: dict[str, list[int]] = {}
        self._taken: set[int] = set()
        self._miscellaneous: str | None = None

    def add(self, name: str, numbers: Sequence[int], miscellaneous: bool) -> None:
        """Take one theme, with the numbers of the issues that show it."""
        if not name:
            self.complaints.append("A theme has no name.")
            return
        key = name.casefold()
        if key in self._names:
            self.complaints.append(f"Two themes are called {name!r}.")
        self._names.setdefault(key, name)
        if miscellaneous and self._miscellaneous not in (None, key):
            self.complaints.append(f"{name!r}: only one theme can be the miscellaneous one.")
        elif miscellaneous:
            self._miscellaneous = key
        members = self._members.setdefault(key, [])
        for number in dict.fromkeys(numbers):
            if not 1 <= number <= len(self._shown):
                self.complaints.append(f"{name!r}: there is no issue {number}.")
            elif number in self._taken:
                self.complaints.append(f"{name!r}: issue {number} shows another theme already.")
            else:
                self._taken.add(number)
                members.append(self._shown[number - 1])

    def themes(self) -> tuple[FoundTheme, ...]:
        """Return the themes that an issue shows, the miscellaneous one last."""
        empty = [self._names[key] for key, members in self._members.items() if not members]
        self.complaints += [f"{name!r} has no example of its own and is left out." for name in empty]
        found = [
            FoundTheme(name=self._names[key], members=tuple(sorted(members)), miscellaneous=key == self._miscellaneous)
            for key, members in self._members.items()
            if members
        ]
        return tuple(sorted(found, key=lambda theme: theme.miscellaneous))


TASK = FindThemesTask()
