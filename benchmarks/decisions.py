"""Random sequences of what people do with a knowledge base: is each decision kept, shown and found again?

``python -m benchmarks.decisions --sequences 1000 --seed 1`` runs them and stores the counts; ``--only N`` runs one
again and says what it does. Each sequence works on a copy of one built workspace, offline, in this process, and is held
against ``decision_model`` after every step.
"""

from __future__ import annotations

import argparse
import copy
import csv
import io
import json
import random
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any
from unittest.mock import patch

from autokb.app import SupportKB
from autokb.app.namespaces import curation
from autokb.app.namespaces.curation import Judged
from autokb.core.errors import BadInputError
from autokb.exchange.import_kb import import_file
from autokb.sources import Fields
from benchmarks.decision_model import SHOWN, Choice, Export, Model
from benchmarks.figures import Figure, Result, show, write
from benchmarks.running import folder, write_jsonl

SEQUENCES, SEED = 1000, 1
STEPS = (8, 15)  # of a sequence, at least and at most
DOMAIN = """
name: kettles
attributes:
  os: {kind: closed, values: [Android, iOS], synonyms: {iOS: [iphone, ipad]}}
  model: {kind: closed, values: [Classic, Smart]}
rules:
  - {id: no-support, text: Do not send the customer to support., patterns: [contact (our|customer) support]}
"""
Page = list[list[str]]  # sections: a heading with what stands under it, and the steps
PAGES: dict[str, Page] = {
    "descaling.md": [
        ["# Descaling\n\nTo remove lime scale:", "Fill it with water and citric acid.", "Boil it.", "Rinse it twice."]
    ],
    "app.md": [
        ["# The kettle app"],
        ["## Connect on Android", "Open the app on the Android phone.", "Tap Add kettle.", "Hold the button."],
        ["## Connect on iPhone", "Open the app on the iPhone.", "Allow local network access.", "Tap the kettle."],
    ],
    "leaks.md": [
        ["# Water leaks\n\nIf water leaks from the base:", "Empty the kettle.", "Press the seal back into its groove."]
    ],
    "noise.md": [["# Loud noise", "Descale the kettle.", "Put it on an even surface.", "Fill in more water."]],
}
MORE_PAGES: dict[str, Page] = {
    "pairing.md": [
        ["# Pairing again"],
        ["## Connect on iPhone", "Forget the kettle in the app.", "Open the app on the iPhone and tap Join."],
        ["## Connect on Android", "Forget the kettle in the app.", "Open the app on the Android phone and tap Join."],
    ],
    "seals.md": [["# A new seal\n\nIf water still leaks:", "Order a seal.", "Press it into the base of the kettle."]],
    "filter.md": [["# White flakes", "Take the lime filter out.", "Rinse the filter under hot water."]],
}
STEP_TEXTS = ("Wait for one hour.", "Unplug the kettle.", "Open the app again.", "Rinse it with vinegar.")
HEADINGS = ("Pair it", "Lime scale", "The kettle is loud", "Water under the kettle", "Phones")
ISSUES = {
    "k1": ("App does not connect on my iPhone", "descaling.md"),
    "k2": ("The app can't connect to the kettle, Android phone", "app.md"),
    "k3": ("app won't connect android", "app.md"),
    "k4": ("iphone app doesnt find kettle", "app.md"),
    "k5": ("White flakes in the water", "descaling.md"),
    "k6": ("How do I remove lime scale", "descaling.md"),
    "k7": ("Water leaks from the bottom", "leaks.md"),
    "k8": ("kettle leaking water on the table", ""),
    "k9": ("It is very loud when boiling", "noise.md"),
    "k10": ("loud noise from my Smart kettle", ""),
}
MORE_ISSUES = {
    "k11": ("kettle is leaking at the base", "leaks.md"),
    "k12": ("my android phone does not find the Smart kettle in the app", "app.md"),
    "k13": ("the Classic is loud", "noise.md"),
    "k14": ("lime scale again", ""),
}
TEXTS = (  # what people write; few, so that they write the same thing again
    "Wipe it dry.",
    "Do it like this\n1. Empty it.\n2. Wipe it dry.",
    "=Press + hold the button 🔋",
    "- Unplug it.\n- <!-- wait --> an hour.",
    "Contact our support.",
    "Grüße: größer ist <b>besser</b>, heißt es.",
)
QUESTIONS = ("The app does not connect on my iPhone", "How do I remove lime scale?", "water leaks", "it is so loud")
CLOCKS = ("1999-12-31T23:59:59+00:00", "2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05+00:00", "2999-01-01")
FIELDS = Fields(id="id", text="text", resolved_by="resolved_by")
MARKED = re.compile(r"<!-- solution (\S+) \(\w+\)(?: \w+)? -->\n\n(.*?)\n\n<!-- end -->", re.DOTALL)
DISTURBED = 300  # characters of an error or a difference that are kept


@dataclass
class Sources:
    """The files of a sequence."""

    place: Path
    pages: dict[str, Page]
    issues: dict[str, tuple[str, str]]
    gone: dict[str, Page] = field(default_factory=dict)

    def write(self) -> None:
        """Write everything as it is now."""
        manuals = self.place / "manuals"
        shutil.rmtree(manuals, ignore_errors=True)
        manuals.mkdir(parents=True)
        for name, page in self.pages.items():
            sections = (head + "\n\n" + "".join(f"{n}. {s}\n" for n, s in enumerate(steps, 1)) for head, *steps in page)
            (manuals / name).write_text("\n".join(sections), encoding="utf-8")
        rows = [{"id": i, "text": text, "resolved_by": to} for i, (text, to) in self.issues.items()]
        write_jsonl(self.place / "issues.jsonl", rows)
        (self.place / "domain.yaml").write_text(DOMAIN, encoding="utf-8")

    def make_workspace(self, place: Path) -> SupportKB:
        """Make a workspace and add everything."""
        self.write()
        kb = SupportKB.create(place, str(self.place / "domain.yaml"))
        self.add_to(kb)
        return kb

    def add_to(self, kb: SupportKB) -> None:
        """Write and add everything, and take out what is gone."""
        self.write()
        kb.add([self.place / "manuals"], sync=True)
        kb.add([self.place / "issues.jsonl"], "issues", FIELDS, sync=True)


@dataclass
class KeptExport:
    """A file that was exported during a sequence, and what the model said then."""

    path: Path
    said: Export


class Sequence:
    """One random sequence; ``violations`` are sentences about what went wrong."""

    def __init__(self, place: Path, built: Path, dice: random.Random, *, talkative: bool = False) -> None:
        self.place, self.dice, self.talkative = place, dice, talkative
        self.sources = Sources(place / "source", copy.deepcopy(PAGES), dict(ISSUES))
        self.sources.write()
        shutil.copytree(built, place / "kb")
        self.kb = SupportKB.open(place / "kb")
        self.model = Model()
        self.exports: list[KeptExport] = []
        self.edited: list[tuple[KeptExport, Path, Callable[[], int]]] = []
        self.others = 0
        self.done: Counter[str] = Counter()
        self.seen: Counter[str] = Counter()
        self.violations: list[str] = []
        self.issues_changed = False
        self.stale = False  # sources were changed since the last build
        self.model.see_build(self._lines())
        self.cared_for = set(self.dice.sample(sorted(self.model.built), 3))

    def run(self) -> None:
        """Take random steps, and hold the end against a fresh workspace."""
        steps = (
            [self.build] * 6
            + [self.change_page] * 4
            + [self.remove_page, self.return_page, self.add_page, self.change_issues]
            + [self.judge] * 4
            + [self.undo, self.write, self.approve_offer]
            + [self.export] * 2
            + [self.edit_text] * 4
            + [self.edit_jsonl] * 3
            + [self.edit_decision_line] * 2
            + [self.import_again, self.import_unchanged, self.import_unchanged, self.merge_other]
        )
        for number in range(self.dice.randint(*STEPS)):
            step = self.dice.choice(steps)
            self._try(f"{number} {step.__name__}", step)
        self._try("end build", self.build)
        self._try("end fresh", self.compare_with_fresh)
        self.seen["decisions"] += len(self.model.choices)

    def _try(self, name: str, step: Callable[[], None]) -> None:
        self.done[step.__name__] += 1
        if self.talkative:
            print(name)
        before = len(self.violations)
        try:
            step()
            self.check()
        except Exception as error:
            if self.talkative:
                raise
            self.violations.append(f"{type(error).__name__}: {str(error)[:DISTURBED]}")
        self.violations[before:] = [f"{name}: {v}" for v in self.violations[before:]]

    def _say(self, what: str) -> None:
        if self.talkative:
            print("   ", what)

    def _claim(self, holds: bool, sentence: str) -> None:
        if not holds:
            self._say(f"VIOLATION {sentence}")
            self.violations.append(sentence[: 2 * DISTURBED])

    @property
    def _now(self) -> str:
        return self.dice.choice(CLOCKS)

    def _lines(self, kb: SupportKB | None = None) -> list[dict[str, Any]]:
        kb = kb or self.kb
        target = kb.workspace.folder / "now.jsonl"
        kb.export(target)
        return [json.loads(line) for line in target.read_text(encoding="utf-8").split("\n") if line]

    # -- sources and builds ------------------------------------------------------------------------

    def build(self) -> None:
        """Build."""
        self.kb.build()
        self.stale = False
        self.model.see_build(self._lines())

    def change_page(self) -> None:
        """Change a step, a heading or a title, or move a section."""
        name = self.dice.choice(sorted(self.sources.pages))
        page = self.sources.pages[name]
        section = self.dice.choice(page)
        how = self.dice.choice(("step", "step", "add step", "heading", "heading", "swap", "move"))
        if how == "step" and len(section) > 1:
            section[self.dice.randrange(1, len(section))] = self.dice.choice(STEP_TEXTS)
        elif how == "add step":
            section.append(self.dice.choice(STEP_TEXTS))
        elif how == "heading":
            marks, _, rest = section[0].partition(" ")
            section[0] = f"{marks} {self.dice.choice(HEADINGS)}{''.join(rest.partition(chr(10))[1:])}"
        elif how == "swap":
            self.dice.shuffle(page)
        elif how == "move" and len(page) > 1:
            page.remove(section)
            self.sources.pages[self.dice.choice(sorted(self.sources.pages))].append(section)
        self._say(f"{name}: {how} {section}")
        self._add()

    def add_page(self) -> None:
        """Add a page that was never there."""
        new = sorted(MORE_PAGES.keys() - self.sources.pages.keys())
        if new:
            name = self.dice.choice(new)
            self.sources.pages[name] = copy.deepcopy(MORE_PAGES[name])
            self._add()

    def remove_page(self) -> None:
        """Remove a page."""
        if len(self.sources.pages) > 2:
            name = self.dice.choice(sorted(self.sources.pages))
            self.sources.gone[name] = self.sources.pages.pop(name)
            self._say(name)
            self._add()

    def return_page(self) -> None:
        """Put a page back as it was when it was removed."""
        if self.sources.gone:
            name = self.dice.choice(sorted(self.sources.gone))
            self.sources.pages[name] = self.sources.gone.pop(name)
            self._say(name)
            self._add()

    def change_issues(self) -> None:
        """Add or remove a raw issue."""
        issues, everything = self.sources.issues, ISSUES | MORE_ISSUES
        new = sorted(everything.keys() - issues.keys())
        if new and self.dice.random() < 0.5:
            name = self.dice.choice(new)
            issues[name] = everything[name]
        elif len(issues) > 6:
            name = self.dice.choice(sorted(issues))
            del issues[name]
        self._say(f"{name} {'in' if name in issues else 'out'}")
        self.issues_changed = True
        self._add()

    def _add(self) -> None:
        self.sources.add_to(self.kb)
        self.stale = True

    # -- commands ----------------------------------------------------------------------------------

    @contextmanager
    def _at_this_moment(self) -> Iterator[None]:
        """Let what is decided inside have the date of the sequence."""
        now = self._now
        with patch.object(curation, "moment", lambda: now):
            yield

    def _judge(self, kb: SupportKB, solution: str, verb: str, **given: Any) -> Judged:
        with self._at_this_moment():
            judged: Judged = getattr(kb.curation, verb)([solution], **given)
            return judged

    def judge(self, kb: SupportKB | None = None, model: Model | None = None, author: str = "ann") -> None:
        """Approve, reject or hide a solution."""
        kb, model = kb or self.kb, model or self.model
        if not model.texts:
            return
        solution = self._pick(model.texts)
        verb = self.dice.choice(("approve", "reject", "hide"))
        verdict = {"approve": "approved", "reject": "rejected", "hide": "hidden"}[verb]
        self._say(f"{verb} {solution} ({model.statuses[solution]})")
        before, text = model.statuses[solution], model.texts[solution]
        kept = model.keeps_approved(solution) if verb == "approve" else None
        changes = before != verdict or kept is not None
        if changes:
            model.choose(Choice("verdict", solution, text, verdict=verdict))
        if verb == "approve" and model.statuses[solution] != "approved":  # withheld
            model.choices.pop()
            model.work_out()
            try:
                self._judge(kb, solution, verb)
            except BadInputError:
                return
            self._claim(False, f"{solution} is withheld and was approved")
            return
        done = self._judge(kb, solution, verb, author=author)
        if kept is not None and done.changed:
            kept.kept_from = model.here[solution].text  # it holds for today's source
        self._claim(done.changed == changes, f"{verb} {solution} ({before}) changed {done.changed}")

    def undo(self) -> None:
        """Take a verdict back."""
        judged = sorted(i for i in self.model.texts if self.model.counting_verdict(i))
        if judged:
            solution = self.dice.choice(judged)
            choice = self.model.counting_verdict(solution)
            assert choice is not None
            verb = {"approved": "approve", "rejected": "reject", "hidden": "hide"}[choice.verdict]
            self._say(f"undo {verb} {solution}")
            self.model.undo(solution)
            self._judge(self.kb, solution, verb, undo=True)

    def write(self, kb: SupportKB | None = None, model: Model | None = None) -> None:
        """Write a solution by hand."""
        kb, model = kb or self.kb, model or self.model
        if not model.parents:
            return
        node, text = self.dice.choice(sorted(model.parents)), self.dice.choice(TEXTS)
        source = self.place / "answer.md"
        source.write_text(text, encoding="utf-8")
        self._say(f"write {text!r} on {node}")
        try:
            with self._at_this_moment():
                done = kb.curation.write(node, source, author="ann")
        except BadInputError:
            self._claim("ontact our" in text, f"{text!r} was refused")
            return
        root = node
        while (parent := model.parents.get(root)) is not None:
            root = parent
        if not any(c.solution == done.id for c in model.choices if c.kind == "written"):
            model.choose(Choice("written", done.id, text, node=node, tree=root))

    def approve_offer(self) -> None:
        """Put a lost edit where it is offered."""
        offered = [o for o in self.kb.views.show().orphaned_edits if o.offered_for]
        if offered:
            one = self.dice.choice(offered)
            assert one.offered_for is not None
            self._say(f"{one.id} of {one.solution_id} to {one.offered_for}")
            lost = [c for c in self.model.orphans if c.kind == "edit" and c.solution == one.solution_id]
            here = self.model.here.get(one.offered_for)
            same = here and any(c.text == one.text and c.place and c.place[1] == here.place[1] for c in lost)
            self._claim(bool(same), f"an edit of {one.solution_id} is offered for {one.offered_for}")
            self.model.choose(Choice("edit", one.offered_for, one.text))
            self._judge(self.kb, one.id, "approve")

    # -- exports and imports -----------------------------------------------------------------------

    def export(self) -> None:
        """Export in one of the formats, and keep the file."""
        self._export(self.dice.choice((".md", ".csv", ".jsonl")))

    def _export(self, suffix: str) -> KeptExport:
        kept = KeptExport(self.place / f"kept-{len(self.exports)}{suffix}", self.model.export())
        self.kb.export(kept.path)
        self.exports.append(kept)
        return kept

    def _choose_export(self, *suffixes: str) -> KeptExport:
        """Return an export of now, or one that was kept."""
        kept = [e for e in self.exports if e.path.suffix in suffixes]
        return self.dice.choice(kept) if kept and self.dice.random() < 0.4 else self._export(self.dice.choice(suffixes))

    def edit_text(self) -> None:
        """Edit one or two texts in Markdown or CSV and import the file, sometimes twice."""
        kept = self._choose_export(".md", ".csv")
        ids = kept.said.texts
        if not ids:
            return
        texts = {i: self._new_text(i) for i in sorted({self._pick(ids), self._pick(ids)})}
        content = kept.path.read_bytes().decode("utf-8")
        edited = _edit_markdown(content, texts) if kept.path.suffix == ".md" else _edit_csv(content, texts)
        changed = {i: t for i, t in texts.items() if t != kept.said.texts[i]}
        order = [i for i in _order(content, kept.path.suffix) if i in changed]

        def take() -> int:
            return sum(self.model.take_text(kept.said, i, changed[i]) for i in order)

        self._import_edited(kept, edited, take, f"{kept.path.name}: {texts}")

    def _pick(self, ids: Collection[str]) -> str:
        """Choose a solution, more often one of those that people care for in this sequence."""
        cared_for = sorted(self.cared_for & set(ids))
        return self.dice.choice(cared_for if cared_for and self.dice.random() < 0.7 else sorted(ids))

    def _new_text(self, solution: str) -> str:
        """Return a text that people write, or that of the build again."""
        built = self.model.here.get(solution)
        return self.dice.choice((*TEXTS, *((built.text,) if built else ())))

    def edit_jsonl(self) -> None:
        """Change a text, a status or both of a solution's line and import the file, sometimes twice."""
        kept = self._choose_export(".jsonl")
        lines = [json.loads(line) for line in kept.path.read_text(encoding="utf-8").split("\n") if line]
        solutions = [line for line in lines if line["kind"] == "solution"]
        if not solutions:
            return
        i, said = self._pick({line["id"] for line in solutions}), kept.said
        (line,) = [line for line in solutions if line["id"] == i]
        text, status = "", ""
        if "by_hand" not in line and self.dice.random() < 0.6:
            text = self.dice.choice(TEXTS)
            line["text"] = text
            if "\n" not in text and self.dice.random() < 0.5:
                line["steps"] = [text]
        if not text or self.dice.random() < 0.3:
            status = self.dice.choice(("approved", "rejected", "hidden", "displayed"))
            status = "" if status == said.statuses[i] else status
            line["status"] = status or line["status"]
        edited = "".join(json.dumps(line) + "\n" for line in lines)

        def take() -> int:
            taken = bool(text) and self.model.take_built_text(said, i, text)
            return taken + (bool(status) and self.model.take_status(said, i, status, text))

        self._import_edited(kept, edited, take, f"{kept.path.name}: {i} {text!r} {status}")

    def edit_decision_line(self) -> None:
        """Change the own line of an edit or a verdict in a JSONL export, and import the file."""
        kept = self._choose_export(".jsonl")
        lines = [json.loads(line) for line in kept.path.read_text(encoding="utf-8").split("\n") if line]
        found = sorted((x for x in lines if x["kind"] in ("edit", "verdict")), key=lambda x: int(x["number"]))
        choices = [c for c in kept.said.choices if c.kind != "written" and not c.undone]
        if not found:
            return
        line, choice = self.dice.choice(list(zip(found, choices, strict=True)))
        if choice.kind == "edit":
            new = line["text"] = self._new_text(choice.solution)
        else:
            new = line["verdict"] = self.dice.choice(("approved", "rejected", "hidden"))
        is_new = new != (choice.verdict or choice.text)
        change = self.model.take_edit_line if choice.kind == "edit" else self.model.take_verdict_line

        def take() -> int:
            return is_new and change(kept.said, choice, new)

        text = "".join(json.dumps(line) + "\n" for line in lines)
        self._import_edited(kept, text, take, f"{kept.path.name}: {choice.kind} of {choice.solution} to {new!r}")

    def _import_edited(self, kept: KeptExport, edited: str, take: Callable[[], int], what: str) -> None:
        path = self.place / f"edited-{len(self.edited)}{kept.path.suffix}"
        path.write_bytes(edited.encode("utf-8"))
        self._say(what)
        self.edited.append((kept, path, take))
        for _ in range(self.dice.choice((1, 1, 2))):
            self._import(path, take)

    def _import(self, path: Path, take: Callable[[], int]) -> None:
        expected = take()
        done = import_file(self.kb.workspace, path, now=self._now)
        self._claim(done.taken == expected, f"{path.name}: {done.taken} taken, not {expected}: {done.skipped}")

    def import_again(self) -> None:
        """Import an edited file of earlier again."""
        if self.edited:
            _, path, take = self.dice.choice(self.edited)
            self._say(path.name)
            self._import(path, take)

    def import_unchanged(self) -> None:
        """Import an export as it is; nothing may change."""
        if self.exports:
            before = self._lines()
            kept = self.dice.choice(self.exports)
            self._say(kept.path.name)
            done = import_file(self.kb.workspace, kept.path, now=self._now)
            self._claim(done.taken == 0, f"{kept.path.name} as it was: {done.taken} taken")
            self._claim(self._lines() == before, f"{kept.path.name} as it was changed the export")

    def merge_other(self) -> None:
        """Import the export of a copy in which people decided, too."""
        self.others += 1
        other = self._other(self.place / f"other-{self.others}")
        model = copy.deepcopy(self.model)
        if self.dice.random() < 0.5:
            model.choices = [c for c in model.choices if not c.undone]
        for _ in range(self.dice.randint(1, 3)):
            if self.dice.random() < 0.5:
                self.judge(other, model, "bob")
            else:
                self.write(other, model)
            if self.dice.random() < 0.4:
                self.judge()
        theirs = self.place / f"theirs-{self.others}.jsonl"
        other.export(theirs)
        shown = {line["id"]: line["status"] for line in self._lines(other) if line["kind"] == "solution"}
        wrong = {i for i, status in model.statuses.items() if shown[i] != status}
        self._claim(not wrong, f"the copy shows {[(i, shown[i], model.statuses[i]) for i in wrong]}")
        said = model.export()
        self._import(theirs, lambda: self.model.take_all(said))
        self._import(theirs, lambda: 0)

    def _other(self, place: Path) -> SupportKB:
        """Return a copy of the workspace: of its file, or of its export."""
        if self.dice.random() < 0.7:
            with self.kb.workspace.file() as file:
                shutil.copytree(self.place / "kb", place, ignore=shutil.ignore_patterns("knowledge.db*"))
                file.copy_to(place / "knowledge.db")
            return SupportKB.open(place)
        self._lines()
        other = SupportKB.create(place, str(self.sources.place / "domain.yaml"))
        other.import_(self.place / "kb" / "now.jsonl")
        self._claim(_texts(self._lines(other)) == _texts(self._lines()), "an export of an import is another one")
        return other

    # -- what must hold ----------------------------------------------------------------------------

    def check(self) -> None:
        """Hold what is stored and shown against the model."""
        lines, model = self._lines(), self.model
        self.seen["decisions with their solution gone"] += len(model.orphans)
        self.seen["decisions that went along to a twin"] += model.count_followed()
        stored = Counter(_stored_choices(lines))
        expected = Counter(_chosen(c) for c in model.choices if not c.undone)
        for lost, count in (expected - stored).items():
            self._claim(False, f"LOST {count} times: {lost}")
        for extra, count in (stored - expected).items():
            self._claim(False, f"NOBODY CHOSE {count} times: {extra}")
        statuses = {x["id"]: x["status"] for x in lines if x["kind"] == "solution" and x["id"] in model.statuses}
        wrong = {i: (statuses.get(i), s) for i, s in model.statuses.items() if statuses.get(i) != s}
        self._claim(not wrong, f"STATUS in the export, and what it must be: {wrong}")
        self.kb.export(self.place / "now.csv")
        rows = {row["solution_id"]: row for row in _rows((self.place / "now.csv").read_bytes().decode("utf-8"))}
        self._claim(rows.keys() == model.texts.keys(), f"SHOWN {sorted(rows.keys() ^ model.texts.keys())}")
        for i in rows.keys() & model.texts.keys():
            text = rows[i]["text"].removeprefix("'") if model.texts[i][0] in "=-+@'" else rows[i]["text"]
            self._claim(text == model.texts[i], f"TEXT of {i}: {text!r}, not {model.texts[i]!r}")
        self._check_show()
        self._check_answer()

    def _check_show(self) -> None:
        shown, model = self.kb.views.show(), self.model
        count = len(shown.orphaned_edits) + len(shown.orphaned_verdicts)
        edited = {c.solution for c in model.orphans if c.kind == "edit"}  # the newest edit of each is listed
        expected = len(edited) + sum(c.kind != "edit" for c in model.orphans)
        self._claim(count == expected, f"ORPHANS {count}, not {expected}: {model.orphans}")
        nodes = [n.id for t in shown.trees for n in (t, *t.children)]
        for node in self.dice.sample(nodes, min(2, len(nodes))):
            for one in self.kb.views.show_issue(node).solutions:
                right = (model.texts.get(one.id), model.statuses.get(one.id))
                self._claim((one.text, one.status) == right, f"SHOW {one.id}: {one.text!r} {one.status}, not {right}")

    def _check_answer(self) -> None:
        answer = self.kb.ask(self.dice.choice(QUESTIONS)).as_json()
        for match in answer["matches"]:
            for one in match["solutions"]:
                status, text = self.model.statuses.get(one["id"], "gone"), self.model.texts.get(one["id"])
                self._claim(status in SHOWN and one["text"] == text, f"ANSWER with {one['id']}: {status}, {text!r}")

    def compare_with_fresh(self) -> None:
        """Compare with a workspace that gets the same sources at once, and then the decisions."""
        if self.issues_changed:  # themes are frozen: where issues came one by one, both think afresh
            self.kb.build(rethink=True)
            self.model.see_build(self._lines())
        fresh = self.sources.make_workspace(self.place / "fresh")
        fresh.build()
        ours = self._lines()
        import_file(fresh.workspace, self.place / "kb" / "now.jsonl", now=self._now)
        fresh.build()
        theirs = self._lines(fresh)
        one, two = ({(x["kind"], x["id"]): x for x in _renumbered(lines)} for lines in (ours, theirs))
        unlike = sorted(key for key in {**one, **two} if one.get(key) != two.get(key))
        told = {key: _difference(one.get(key), two.get(key)) for key in unlike[:3]}
        self._claim(not unlike, f"FRESH {len(unlike)} lines differ: {told}")


def _difference(one: Any, two: Any) -> Any:
    if one is None or two is None:
        return "only here" if two is None else "only in the fresh one"
    return {n: (one.get(n), two.get(n)) for n in {**one, **two} if one.get(n) != two.get(n)}


def _texts(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return an export without what an import fits to the copy."""
    return [line for line in lines if line["kind"] != "setting"]


def _renumbered(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the lines with the decisions numbered without gaps, which those leave that were taken back."""
    numbers = sorted(
        line.get("number") or line["by_hand"]["number"] for line in lines if "number" in line or "by_hand" in line
    )
    rank = {number: n for n, number in enumerate(numbers, 1)}
    for line in lines:
        if "origin" in line:  # what the tree of a lost decision was called last, which depends on the builds before
            line = line | {"origin": {name: said for name, said in line["origin"].items() if name != "problem"}}
        if "number" in line:
            yield line | {"number": rank[line["number"]]}
        elif "by_hand" in line:
            yield line | {"by_hand": line["by_hand"] | {"number": rank[line["by_hand"]["number"]]}}
        else:
            yield line


def _stored_choices(lines: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for line in lines:
        if line["kind"] == "edit":
            yield "edit", line["solution_id"], line["text"]
        elif line["kind"] == "verdict":
            yield "verdict", line["solution_id"], line["verdict"]
        elif "by_hand" in line:
            yield "written", line["id"], line["text"]


def _chosen(choice: Choice) -> tuple[str, str, str]:
    return choice.kind, choice.solution, choice.verdict or choice.text


# -- editing files as a person would ------------------------------------------------------------------------------


def _order(content: str, suffix: str) -> list[str]:
    """Return the solutions of an export in their order."""
    return [m[1] for m in MARKED.finditer(content)] if suffix == ".md" else [r["solution_id"] for r in _rows(content)]


def _edit_markdown(content: str, texts: dict[str, str]) -> str:
    def edited(match: re.Match[str]) -> str:
        text = texts.get(match[1])
        return match[0] if text is None else match[0].replace(f"\n\n{match[2]}\n\n", f"\n\n{text}\n\n")

    return MARKED.sub(edited, content)


def _rows(content: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content, newline="")))


def _edit_csv(content: str, texts: dict[str, str]) -> str:
    rows = _rows(content)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0].keys() if rows else ["solution_id", "text"], lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(row | ({"text": texts[row["solution_id"]]} if row["solution_id"] in texts else {}))
    return stream.getvalue()


# -- the whole ------------------------------------------------------------------------------------------------------


def run(options: argparse.Namespace) -> Result:
    """Run the sequences and count what went wrong."""
    sequences = 30 if options.quick else SEQUENCES
    return run_sequences(range(sequences), SEED)


def run_sequences(numbers: range, seed: int, *, processes: int = 1, talkative: bool = False) -> Result:
    """Run the sequences of these numbers; the dice of each hang on ``seed`` and its number alone."""
    started = time.perf_counter()
    if processes == 1:
        counted = [_count(numbers, seed, talkative)]
    else:
        with ProcessPoolExecutor(processes) as pool:
            parts = [numbers[n::processes] for n in range(processes)]
            counted = list(pool.map(_count, parts, repeat(seed), repeat(talkative)))
    done, seen = (sum((one[n] for one in counted), Counter()) for n in (0, 1))  # type: ignore[arg-type, misc]
    violations = {number: found for one in counted for number, found in one[2].items()}
    everything = [v for found in violations.values() for v in found]
    figures = (
        Figure("sequences", len(numbers), "", at_least=min(len(numbers), SEQUENCES)),
        Figure("steps", sum(done.values()), "steps"),
        Figure("builds", done["build"] + 3 * done["compare_with_fresh"], "builds"),
        Figure("decisions", seen["decisions"], "decisions"),
        Figure("decisions_lost", sum(" LOST " in v for v in everything), "decisions", at_most=0),
        Figure("orphans_beside_their_text", sum(" ORPHANS " in v for v in everything), "steps", at_most=0),
        Figure("unlike_a_fresh_build", sum(" FRESH " in v for v in everything), "sequences", at_most=0),
        Figure("violations_in_all", len(everything), "", at_most=0),
    )
    detail = {
        "seed": seed,
        "steps": dict(sorted(done.items())),
        "after_all_steps": dict(sorted(seen.items())),
        "violations": {n: found[:3] for n, found in sorted(violations.items())},
        "seconds": round(time.perf_counter() - started),
    }
    return Result("decisions", figures, detail)


def _count(numbers: range, seed: int, talkative: bool) -> tuple[Counter[str], Counter[str], dict[int, list[str]]]:
    """Run sequences one after the other; returns the steps, what was there after them, and the violations."""
    done: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    violations: dict[int, list[str]] = {}
    with folder() as place:
        work = place / "work"
        Sources(work / "source", copy.deepcopy(PAGES), dict(ISSUES)).make_workspace(place / "built").build()
        for number in numbers:
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            one = Sequence(work, place / "built", random.Random(f"{seed} {number}"), talkative=talkative)
            one.run()
            one.kb.close()
            done += one.done
            seen += one.seen
            if one.violations:
                violations[number] = one.violations
                print(f"sequence {number}: {one.violations[0]}", flush=True)
    return done, seen, violations


def main() -> int:
    """Run, show and store."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decisions", description=__doc__)
    parser.add_argument("--sequences", type=int, default=SEQUENCES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=1, help="that share the work; the figures are the same")
    parser.add_argument("--only", type=int, help="run this one and say what it does")
    options = parser.parse_args()
    numbers = range(options.sequences) if options.only is None else range(options.only, options.only + 1)
    talkative = options.only is not None
    result = run_sequences(numbers, options.seed, processes=options.processes, talkative=talkative)
    show(result)
    write(result, keep=len(numbers) >= SEQUENCES)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
