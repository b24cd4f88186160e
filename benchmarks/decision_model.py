"""What people decided and what must be shown then, worked out without a line of the product.

Everything is a list of choices in the order in which they were made, and each question is answered by walking it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Place = tuple[str, str, str, tuple[str, ...]]  # tree, document, text and steps as they were built
FORBIDDEN = re.compile(r"contact (our|customer) support", re.IGNORECASE)  # what the kettles' rule forbids
NUMBERS = itertools.count(1)
SHOWN = ("displayed", "repaired", "approved")
Verdict = Literal["approved", "rejected", "hidden"]


@dataclass(frozen=True)
class Built:
    """A solution as a build or a person's own writing left it."""

    id: str
    place: Place
    status: str
    breaks_rule: bool = False

    @property
    def text(self) -> str:
        """The text as it was built."""
        return self.place[2]


@dataclass
class Choice:
    """One decision of a person, with a number of its own wherever it goes.

    An edit that a build made to keep an approved text is ``kept_from`` what the build had written before.
    ``seen`` is the text that an edit was made on in a file, with the kind of the file's text; ``by_file`` says that a
    changed status of a file told the verdict.
    """

    kind: Literal["edit", "verdict", "written"]
    solution: str
    text: str  # of an edit or a solution by hand; the one that a verdict was given for
    place: Place | None = None
    verdict: str = ""
    seen: tuple[str, str] | None = None
    by_file: bool = False
    kept_from: str = ""
    undone: bool = False
    node: str = ""
    tree: str = ""
    number: int = field(default_factory=NUMBERS.__next__)


@dataclass(frozen=True)
class Export:
    """What an export said when it was written: texts, statuses and the choices that it holds."""

    texts: Mapping[str, str]
    statuses: Mapping[str, str]
    built: Mapping[str, Built]
    choices: Sequence[Choice]

    @property
    def numbers(self) -> set[int]:
        """The choices in the file by their numbers."""
        return {c.number for c in self.choices if not c.undone}


@dataclass
class Model:
    """What is built, what people chose, and what follows."""

    choices: list[Choice] = field(default_factory=list)
    built: dict[str, Built] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    seeds: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    orphans: list[Choice] = field(default_factory=list)

    def see_build(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Take in what was built, from the lines of an export; every choice learns where its solution is now."""
        edited = self._counting("edit", self.here)
        before = {i: one.text for i, one in self.built.items() if self.statuses[i] == "approved" and i not in edited}
        issues = [line for line in lines if line["kind"] == "issue"]
        self.parents = {line["id"]: line.get("parent_id") for line in issues}
        self.seeds = {line["id"]: line.get("seed") or "" for line in issues}
        self.built = {
            line["id"]: Built(
                line["id"],
                self._place(line["issue_id"], line["evidence"][0]["document"], line["text"], line["steps"]),
                line.get("built_status", line["status"]),
                any(rule["verdict"] == "broken" for rule in line.get("rules") or ()),
            )
            for line in lines
            if line["kind"] == "solution" and "by_hand" not in line
        }
        self._keep_approved(before)
        self._follow(lines)
        self.work_out()
        for choice in self.choices:
            if choice.solution in self.here:
                choice.place = self.here[choice.solution].place

    def _follow(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Have choices whose tree is gone look in the tree that the build names, for only it knows which is nearest."""
        stored = sorted(
            (line for line in lines if line["kind"] in ("edit", "verdict")), key=lambda line: line["number"]
        )
        lasting = [c for c in self.choices if c.kind != "written" and not c.undone]
        for line, choice in zip(stored, lasting, strict=False):  # where they differ, the comparison afterwards says so
            tree = line.get("origin", {}).get("tree", "")
            if choice.place and choice.place[0] not in self.parents and tree in self.parents:
                choice.place = (tree, *choice.place[1:])

    def _keep_approved(self, before: Mapping[str, str]) -> None:
        """Have an edit by nobody keep each text that was approved, where the build wrote another one."""
        for solution, text in sorted(before.items()):
            if solution in self.built and self.built[solution].text != text:
                self.choose(Choice("edit", solution, text, kept_from=text))

    def keeps_approved(self, solution: str) -> Choice | None:
        """Return the edit that keeps an approved text whose source says otherwise by now."""
        edit = self._counting("edit", self.here).get(solution)
        built = self.here[solution].text
        return edit if edit is not None and edit.kept_from not in ("", built) else None

    @property
    def here(self) -> dict[str, Built]:
        """Everything that is there, by hand or built."""
        by_hand = {c.solution: self._by_hand(c) for c in self.choices if c.kind == "written"}
        return {**self.built, **by_hand}

    def _place(self, node: str, document: str, text: str, steps: Sequence[str]) -> Place:
        root = node
        while (parent := self.parents.get(root)) is not None:
            root = parent
        return root, document, text, tuple(steps)

    def _node(self, choice: Choice) -> str:
        return next((n for n in (choice.node, choice.tree) if n in self.parents), choice.node)

    def _by_hand(self, choice: Choice) -> Built:
        return Built(choice.solution, self._place(self._node(choice), "", choice.text, ()), "approved")

    # -- what is shown -----------------------------------------------------------------------------

    def work_out(self) -> None:
        """Work out texts, statuses and orphans afresh."""
        here = self.here
        edits, verdicts = self._counting("edit", here), self._counting("verdict", here)
        self.texts = {i: edits[i].text if i in edits else built.text for i, built in here.items()}
        self.statuses = {i: self._status(b, edits.get(i), verdicts.get(i)) for i, b in here.items()}
        self.orphans = [
            c
            for c in self.choices
            if not c.undone and c.kind != "written" and c.solution not in here
            if not self._twins(c, here) and not self._strays(c, here)
        ]

    def _twins(self, choice: Choice, here: Mapping[str, Built]) -> list[str]:
        """Return what has the text of a lost choice in its tree, or else in another tree of the same seed."""
        if choice.kind == "written" or choice.solution in here or choice.place is None:
            return []
        alike = [one for one in here.values() if one.place[1:3] == choice.place[1:3]]
        for wanted in (choice.place[0], self.seeds.get(choice.place[0])):
            near = [b.id for b in alike if wanted and wanted in (b.place[0], self.seeds.get(b.place[0]))]
            if near:
                return near
        return []

    def _strays(self, choice: Choice, here: Mapping[str, Built]) -> list[str]:
        """Return what has the text of a lost edit in any tree, without a choice of its own or of a twin."""
        if choice.kind != "edit" or choice.solution in here or choice.place is None or self._twins(choice, here):
            return []
        chosen = {i for c in self.choices for i in (c.solution, *self._twins(c, here)) if c.kind != "written"}
        return [i for i, one in here.items() if one.place[1:3] == choice.place[1:3] and i not in chosen]

    def _counting(self, kind: str, here: Mapping[str, Built]) -> dict[str, Choice]:
        """Return the choice that counts for each solution: its own last one, else the last one of a lost twin."""
        counting = {}
        lasting = [c for c in self.choices if c.kind == kind and not c.undone]
        twins = [(c, self._twins(c, here)) for c in lasting]
        strays = [(c, self._strays(c, here)) for c in lasting]
        for i in here:
            own = [c for c in lasting if c.solution == i]
            followed = [c for c, to in twins if i in to] or [c for c, to in strays if i in to]
            if chosen := own or followed:
                counting[i] = chosen[-1]
        return counting

    def _status(self, built: Built, edit: Choice | None, verdict: Choice | None) -> str:
        text, status = edit.text if edit else built.text, built.status
        if edit and status == "withheld" and built.breaks_rule:
            status = "displayed"
        if edit and status == "approved" and text != built.text:
            status = "displayed"
        if edit and status in SHOWN and FORBIDDEN.search(text):
            status = "withheld"
        if verdict is None:
            return status
        if verdict.verdict != "approved":
            return verdict.verdict
        if status not in SHOWN:
            return status
        if verdict.text == text:
            return "approved"
        return "displayed" if status == "approved" else status

    def count_followed(self) -> int:
        """Return how many solutions are as somebody left a twin of theirs that is gone."""
        here = self.here
        counting = [self._counting(kind, here) for kind in ("edit", "verdict")]
        return sum(choice.solution != i for found in counting for i, choice in found.items())

    def counting_verdict(self, solution: str) -> Choice | None:
        """Return the verdict that counts for a solution."""
        return self._counting("verdict", self.here).get(solution)

    # -- what people do ----------------------------------------------------------------------------

    def choose(self, choice: Choice) -> None:
        """Take a choice in as the last one."""
        here = self.here.get(choice.solution)
        place = here.place if here else choice.place
        if choice.kind == "written":
            place = self._place(choice.node, "", choice.text, ())
        self.choices.append(replace(choice, place=place))
        self.work_out()

    def undo(self, solution: str) -> None:
        """Take the verdict back that counts for a solution."""
        verdict = self.counting_verdict(solution)
        assert verdict is not None
        verdict.undone = True
        self.work_out()

    def export(self) -> Export:
        """Remember what an export says now."""
        return Export(dict(self.texts), dict(self.statuses), self.here, [replace(c) for c in self.choices])

    # -- what imports do ---------------------------------------------------------------------------

    def take_text(self, export: Export, solution: str, text: str) -> bool:
        """Take a text that was changed in a Markdown or CSV export; says whether that is a new decision."""
        seen = ("shown", export.texts[solution])
        if solution not in self.texts or self.texts[solution] == text:
            return False
        if self.texts[solution] != export.texts[solution] and self._has(solution, text, seen, set()):
            return False  # the same file again
        self.choose(Choice("edit", solution, text, seen=seen))
        return True

    def take_built_text(self, export: Export, solution: str, text: str) -> bool:
        """Take a text that was changed in a solution's line of a JSONL export."""
        seen = ("built", export.built[solution].text)
        if self.texts.get(solution) == text or self._has(solution, text, seen, export.numbers):
            return False
        self.choose(Choice("edit", solution, text, export.built[solution].place, seen=seen))
        return True

    def take_status(self, export: Export, solution: str, status: str, text: str) -> int:
        """Take a status that was changed in a solution's line of a JSONL export, whose text was changed to ``text``."""
        if status in ("approved", "rejected", "hidden"):
            text = text or export.texts[solution]
            if self.statuses.get(solution) == status or self._has_verdict(solution, status, text, export.numbers):
                return False
            place = export.built[solution].place
            self.choose(Choice("verdict", solution, text, place, verdict=status, by_file=True))
            return True
        lifted = [c for c in export.choices if c.kind == "verdict" and not c.undone and c.solution == solution]
        open_ones = [c for c in self.choices if not c.undone and c.number in {x.number for x in lifted}]
        for choice in open_ones:
            choice.undone = True
        self.work_out()
        return len(open_ones)

    def take_edit_line(self, export: Export, line: Choice, text: str) -> bool:
        """Take an edit whose own line of a JSONL export was changed to another text."""
        seen = ("edit", line.text)
        if self.texts.get(line.solution) == text or self._has(line.solution, text, seen, export.numbers):
            return False
        self.choose(Choice("edit", line.solution, text, line.place, seen=seen))
        return True

    def take_verdict_line(self, export: Export, line: Choice, verdict: str) -> bool:
        """Take a verdict whose own line of a JSONL export was changed to another one."""
        known = self._has_verdict(line.solution, verdict, line.text, export.numbers)
        if known or self.statuses.get(line.solution) == verdict:
            return False
        self.choose(Choice("verdict", line.solution, line.text, line.place, verdict=verdict, by_file=True))
        return True

    def take_all(self, export: Export) -> int:
        """Take the choices of another workspace that are not known here."""
        known, taken = {c.number for c in self.choices}, 0
        for choice in export.choices:
            if choice.undone or choice.number in known or self._has_equal(choice, export.numbers):
                continue
            self.choose(choice)
            taken += 1
        return taken

    def _has_equal(self, choice: Choice, known: set[int]) -> bool:
        """Return whether a choice with a line of its own came in by another way before."""
        if choice.kind == "written":
            return any((c.kind, c.solution) == ("written", choice.solution) for c in self.choices)
        if choice.kind == "verdict":
            return choice.by_file and self._has_verdict(choice.solution, choice.verdict, choice.text, known)
        return choice.seen is not None and self._has(choice.solution, choice.text, choice.seen, known)

    def _has_verdict(self, solution: str, verdict: str, text: str, known: set[int]) -> bool:
        return any(
            (c.by_file, c.solution, c.verdict, c.text) == (True, solution, verdict, text) and c.number not in known
            for c in self.choices
        )

    def _has(self, solution: str, text: str, seen: tuple[str, str], known: set[int]) -> bool:
        """Return whether this edit was taken already, by another way than the choices that the file knows."""
        return any(
            (c.kind, c.solution, c.text, c.seen) == ("edit", solution, text, seen) and c.number not in known
            for c in self.choices
        )
