"""Random sequences of edits, builds, outages, rollbacks and changed sources: is a decision lost, or half of the base?

``python -m benchmarks edit_sequences`` runs 1,000 sequences in this process on copies of one small workspace. People
act through ``SupportKB``; a build is what its steps before publishing would have found, put through the real stages
and the real publishing step, or kept as a candidate. A model may fail for some of its items, sources shrink and grow,
the same issues come again in another form, and trees are made afresh. After every action what is shown is held against
a model of some lines, and at the end the history as well.
"""

from __future__ import annotations

import argparse
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from autokb.app import SupportKB
from autokb.core.checks import Refusal
from autokb.core.errors import BadInputError, ChangedMeanwhileError, StageFailedError
from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import DISPLAYED, Document, Evidence, Issue, Solution
from autokb.core.settings import FAILURE_TOLERANCE
from autokb.pipeline.embedding import FreeEncoder, open_free_embedder, read_embedder_name
from autokb.pipeline.stages import Stages, Work
from autokb.pipeline.steps.publish import Built
from autokb.pipeline.versions import keep_candidate, publish_or_keep
from autokb.retrieval.gate import DEFAULT_THRESHOLD, Gate
from autokb.stores.codecs import ISSUE, document_body, solution_body
from autokb.stores.published import read_decisions, read_published
from autokb.stores.versions import Made as Publisher
from benchmarks.figures import Figure, Result
from benchmarks.running import folder

SEQUENCES, SEED = 1_000, 1
ACTIONS = (6, 16)  # of a sequence, at least and at most
DOMAIN = """\
name: kettles
rules:
  - {id: no-support, text: Do not send the customer to support., patterns: [contact (our|customer) support]}
"""
REPORTS = {
    "leak": ("Water leaks from the bottom of the kettle.", "The kettle leaks water on the table."),
    "scale": ("How do I remove lime scale from the kettle?", "White flakes of lime scale swim in the kettle."),
    "noise": ("It is very loud when it boils.", "Why does mine make such a loud noise?"),
}
FORMS = ("{}", "Hello, {} Thanks, Jo", "> {} (sent again)")  # in which the same issues come again, under other ids
TREES = tuple(REPORTS)
PLACES = tuple((tree, n) for tree in TREES for n in range(2))  # of sections; each makes one solution
VARIANTS = 2  # of a section's id: what has moved has another one with the same words
TEXTS = ("Wipe it dry.", "Do this\n1. Empty it.\n2. Wipe it.", "Contact our support.", "Wait.\n- Unplug it.\n- Wait.")
STEPS = ("Empty the kettle.", "Press the seal in.", "Rinse it twice.")
ENCODER = open_free_embedder(read_embedder_name("packaged"))
AUTHORS = ("ann", "bob", "")
DATE = "2026-01-02T03:04:05+00:00"
NAMES = (
    *("edit", "edit", "edit_steps", "stale_edit", "approve", "approve", "reject", "hide", "undo", "undo"),
    *("rebuild", "rebuild", "rebuild", "change", "change", "remove", "move", "restart"),
    *("build_candidate", "build_candidate", "publish", "publish", "discard", "roll_back", "roll_back"),
    *("write", "write", "fail", "fail", "shrink", "grow", "import_again", "import_again", "rethink", "rethink"),
)
Base = dict[str, tuple[tuple[str, int], str]]  # place and text of each solution that was built
Counts = dict[str, int]  # of solutions, documents and issues
Action = tuple[int, int, int]  # which name, which place, which text or author


@dataclass
class Made:
    """A decision as the model knows it; ``origin`` is the text that was built where its solution was built last."""

    solution: str
    place: tuple[str, int]
    kind: str
    text: str
    author: str
    origin: str
    built: str
    undone: bool = False
    kept: bool = False  # by a build, of an approved text


@dataclass
class Section:
    """What a manual says in one place; ``steps`` is None where the section is gone."""

    steps: tuple[str, ...] | None = STEPS[:1]
    variant: int = 0


@dataclass(frozen=True)
class Found:
    """What a build found, with the model of it."""

    records: dict[tuple[str, str], str]
    built: Built
    base: Base
    counts: Counts

    def is_loss(self, before: Counts) -> bool:
        """Whether it has less than half of anything."""
        return any(2 * self.counts[what] < before.get(what, 0) for what in self.counts)


@dataclass
class Shown:
    """What a solution must look like."""

    text: str
    status: str
    edited: bool
    source_changed: bool


class EditSequence:
    """One sequence on a workspace of its own; ``violations`` are sentences about what went wrong."""

    def __init__(self, workspace: Path, approvals: int) -> None:
        self.folder, self.approvals = workspace, approvals
        self.kb = SupportKB.open(workspace)
        self.sections = {place: Section() for place in PLACES}
        self.base: Base = {}
        self.counts: Counts = {}
        self.versions: dict[int, tuple[Base, Counts]] = {}
        self.candidate: Found | None = None
        self.made: list[Made] = []
        self.written: dict[str, tuple[str, str]] = {}  # tree and text of each solution by hand
        self.form, self.rethought, self.gone = 0, 0, set[str]()
        self.stages_run, self.events, self.refused, self.consented, self.outages = 0, 0, 0, 0, 0
        self.done: Counter[str] = Counter()
        self.violations: list[str] = []
        self.rebuild()

    def run(self, actions: Sequence[Action]) -> None:
        """Do the actions, and hold what is shown against the model after each."""
        for name, place, choice in actions:
            what = NAMES[name % len(NAMES)]
            self.done[what] += 1
            getattr(self, what)(PLACES[place % len(PLACES)], choice)
            self.check(what)
        self.rebuild()
        self.check("end")
        self.check_histories()

    def _claim(self, holds: bool, sentence: str) -> None:
        if not holds:
            self.violations.append(sentence[:300])

    # -- what the model says -------------------------------------------------------------------------

    def decisions_on(self, solution: str, kinds: str) -> list[Made]:
        """Return the decisions on a solution that were not taken back: those that followed it, then its own."""
        place, text = self.base[solution]
        some = [one for one in self.made if not one.undone and (one.kind == "edit") == (kinds == "edit")]
        followed = [o for o in some if o.solution not in self.base and o.place == place and o.origin == text]
        return [*followed, *(one for one in some if one.solution == solution)]

    def expected(self, solution: str) -> Shown:
        """Return how a solution must be shown."""
        _, text = self.base[solution]
        edits, verdicts = (self.decisions_on(solution, kind) for kind in ("edit", "verdict"))
        approved = verdicts[-1] if verdicts and verdicts[-1].kind == "approved" else None
        changed = edits[-1].built != text if edits else approved is not None and approved.text != text
        text = edits[-1].text if edits else text
        status = "withheld" if "ontact our support" in text else "displayed"
        if verdicts and verdicts[-1].kind != "approved":
            status = verdicts[-1].kind
        elif verdicts and status in DISPLAYED and verdicts[-1].text == text:
            since = max((n for n, one in enumerate(verdicts) if one.kind != "approved"), default=-1)
            authors = {one.author for one in verdicts[since + 1 :] if one.text == text}
            status = "approved" if len(authors) >= self.approvals else status
        return Shown(text, status, bool(edits), changed)

    def _solution_at(self, place: tuple[str, int]) -> str | None:
        return next((i for i, (where, _) in self.base.items() if where == place), None)

    def _make(self, place: tuple[str, int], solution: str, kind: str, text: str, author: str) -> None:
        built = self.base[solution][1]
        self.made.append(Made(solution, place, kind, text, author, built, built))

    # -- what people do ------------------------------------------------------------------------------

    def edit(self, place: tuple[str, int], choice: int) -> None:
        """Give a solution another text."""
        self._edit(place, TEXTS[choice % len(TEXTS)], (), AUTHORS[choice % 2])

    def edit_steps(self, place: tuple[str, int], choice: int) -> None:
        """Give a solution other steps."""
        steps = tuple(STEPS[(choice + n) % len(STEPS)] for n in range(1 + choice % 2))
        self._edit(place, _counted(f"{place[0]} {place[1]}", steps), steps, AUTHORS[choice % 2])

    def _edit(self, place: tuple[str, int], text: str, steps: Sequence[str], author: str) -> None:
        if (solution := self._solution_at(place)) is None:
            return
        before, read = self.expected(solution), self.kb.views.solution(solution)
        try:
            done = self.kb.curation.edit(solution, "" if steps else text, steps, author=author, version=read.version)
        except BadInputError as error:
            self._claim("ontact our" in text, f"{solution} was not edited to {text!r}: {error}")
            return
        self._claim(done.text == text, f"{solution} was edited to {text!r} and is {done.text!r}")
        self._claim(bool(done.changed) or before.text == text, f"the edit of {solution} to {text!r} was not taken")
        if done.changed:
            self._make(place, solution, "edit", text, author)

    def stale_edit(self, place: tuple[str, int], choice: int) -> None:
        """Edit what somebody else has changed since it was read; nothing may happen."""
        if (solution := self._solution_at(place)) is None:
            return
        read = self.kb.views.solution(solution)
        self._edit(place, TEXTS[choice % len(TEXTS)], (), "ann")
        if self.kb.views.solution(solution).version == read.version:
            return
        try:
            self.kb.curation.edit(solution, "Overwritten.", author="bob", version=read.version)
        except ChangedMeanwhileError:
            return
        self._claim(False, f"{solution} was overwritten by somebody who had read an earlier text")

    def approve(self, place: tuple[str, int], choice: int) -> None:
        """Approve a solution."""
        self._judge(place, "approved", AUTHORS[choice % len(AUTHORS)])

    def reject(self, place: tuple[str, int], choice: int) -> None:
        """Reject a solution."""
        self._judge(place, "rejected", AUTHORS[choice % len(AUTHORS)])

    def hide(self, place: tuple[str, int], choice: int) -> None:
        """Hide a solution."""
        self._judge(place, "hidden", AUTHORS[choice % len(AUTHORS)])

    def _judge(self, place: tuple[str, int], verdict: str, author: str) -> None:
        if (solution := self._solution_at(place)) is None:
            return
        before = self.expected(solution)
        judge = {
            "approved": self.kb.curation.approve,
            "rejected": self.kb.curation.reject,
            "hidden": self.kb.curation.hide,
        }[verdict]
        try:
            done = judge([solution], author=author)
        except BadInputError:
            self._claim(verdict == "approved" and "ontact our" in before.text, f"{solution} cannot be {verdict}")
            return
        if done.changed:
            self._make(place, solution, verdict, before.text, author)
            edits = self.decisions_on(solution, "edit")
            if verdict == "approved" and edits and edits[-1].kept:
                edits[-1].built = self.base[solution][1]  # what is approved holds for today's source
        else:
            verdicts = self.decisions_on(solution, "verdict")
            again = before.status == verdict or any(
                (o.kind, o.author, o.text) == (verdict, author, before.text) for o in verdicts
            )
            self._claim(again, f"{author!r} gave {solution} the verdict {verdict}, and it was not taken")

    def undo(self, place: tuple[str, int], _choice: int) -> None:
        """Take back the newest decision."""
        if (solution := self._solution_at(place)) is None:
            return
        last = [some[-1] for kind in ("edit", "verdict") if (some := self.decisions_on(solution, kind))]
        try:
            self.kb.curation.undo(solution, author="cyd")
        except BadInputError:
            self._claim(not last, f"nothing was taken back of {solution}")
            return
        self._claim(bool(last), f"something was taken back of {solution} that nobody had decided")
        if last:
            max(last, key=self.made.index).undone = True

    def write(self, place: tuple[str, int], choice: int) -> None:
        """Write a solution by hand on a tree, where readers see one."""
        node = next((one.id for one in self.kb.views.show().trees if one.id.startswith(place[0])), None)
        text = f"Send it in, {place[0]} {choice % 3}."
        if node is None or text in {said for _, said in self.written.values()}:
            return
        source = self.folder / "hand.md"
        source.write_text(text, encoding="utf-8")
        self.written[self.kb.curation.write(node, source, author=AUTHORS[choice % 2]).id] = (place[0], text)

    def restart(self, _place: tuple[str, int], _choice: int) -> None:
        """Go on in what stands for another process."""
        self.kb.close()
        self.kb = SupportKB.open(self.folder)

    # -- sources and builds --------------------------------------------------------------------------

    def change(self, place: tuple[str, int], choice: int) -> None:
        """Change what a manual says, or say it again where it was gone."""
        self.sections[place].steps = tuple(STEPS[(choice + n) % len(STEPS)] for n in range(1 + choice % 3))

    def remove(self, place: tuple[str, int], _choice: int) -> None:
        """Take a section out."""
        self.sections[place].steps = None

    def move(self, place: tuple[str, int], _choice: int) -> None:
        """Give a section's solution another id with the same words, as where its tree is split."""
        self.sections[place].variant = (self.sections[place].variant + 1) % VARIANTS

    def shrink(self, place: tuple[str, int], choice: int) -> None:
        """Take the issues and the document of a tree away, or of all but it, and build."""
        self.gone |= {place[0]} if choice % 3 == 0 else set(TREES) - {place[0]}
        self.rebuild(choice=choice)

    def grow(self, place: tuple[str, int], _choice: int) -> None:
        """Bring a tree's issues and its document back."""
        self.gone.discard(place[0])

    def import_again(self, _place: tuple[str, int], choice: int) -> None:
        """Have the same issues come in another form, and build."""
        self.form = (self.form + 1 + choice % 2) % len(FORMS)
        self.rebuild(choice=choice)

    def rethink(self, _place: tuple[str, int], choice: int) -> None:
        """Make the trees afresh: under other ids, with what another customer said."""
        self.rethought += 1
        self.rebuild(choice=choice)

    def fail(self, place: tuple[str, int], choice: int) -> None:
        """Build while the model fails for some of the sections, or for all of them."""
        first = PLACES.index(place)
        failing = {PLACES[(first + n) % len(PLACES)] for n in range(1 + choice % len(PLACES))}
        with self.kb.workspace.file() as file:
            number = file.shown_version
        try:
            self._build(failing, force=bool(choice & 4))
        except StageFailedError:
            self.outages += 1
            asked = {one for one in PLACES if self._says(one)}
            self._claim(len(failing & asked) >= 3, f"{len(failing & asked)} failures were too many")
            with self.kb.workspace.file() as file:
                self._claim(file.shown_version == number, "a build was published whose model was down")

    def rebuild(self, _place: tuple[str, int] = PLACES[0], choice: int = 0) -> None:
        """Build what the manuals say now; somebody may consent to losses."""
        self._build(set(), force=bool(choice & 4))

    def _build(self, failing: set[tuple[str, int]], *, force: bool) -> None:
        found = self._find(failing)
        lost = found.is_loss(self.counts)

        def show() -> Refusal | None:
            made = Publisher("build", DATE, forced_by="ann" if force else "")
            with self.kb.workspace.file() as file:
                return publish_or_keep(file, found.records, read_published(file), found.built, made)

        if lost and not force:
            self._stay(lambda: self._claim(show() is not None, "half was LOST WITHOUT CONSENT, by a build"))
            self.candidate = found
        else:
            self._give(
                found.base, found.counts, lambda: self._claim(show() is None, "a build was refused that has it all")
            )
            self.consented += lost

    def _stay(self, refused: Callable[[], object]) -> None:
        """See that what is refused changes nothing for readers."""
        before = self._readable()
        refused()
        self.refused += 1
        self._claim(self._readable() == before, "what was refused changed something for readers")

    def build_candidate(self, _place: tuple[str, int], _choice: int) -> None:
        """Build what the manuals say now beside what readers see."""
        self.candidate = found = self._find(set())
        with self.kb.workspace.file() as file:
            keep_candidate(file, found.records, found.built, Publisher("build", DATE))

    def publish(self, _place: tuple[str, int], choice: int) -> None:
        """Publish the candidate; somebody may consent to losses."""
        force, found = bool(choice & 4), self.candidate
        if found is None:
            try:
                self.kb.versions.publish()
            except BadInputError:
                return
            self._claim(False, "a candidate was published that nobody had built")
        elif (lost := found.is_loss(self.counts)) and not force:
            publish = self.kb.versions.publish
            told = "half was LOST WITHOUT CONSENT, by a candidate"
            self._stay(lambda: self._claim(not publish(author="ann").published, told))
        else:
            self._give(found.base, found.counts, lambda: self.kb.versions.publish(author="ann", force=force))
            self.consented += lost
            self.candidate = None

    def discard(self, _place: tuple[str, int], _choice: int) -> None:
        """Forget the candidate."""
        if self.candidate is not None:
            self.kb.versions.discard(author="bob")
            self.candidate = None
            self.events += 1

    def roll_back(self, _place: tuple[str, int], choice: int) -> None:
        """Show readers an earlier version again."""
        number = sorted(self.versions)[choice % len(self.versions)]
        self._give(*self.versions[number], lambda: self.kb.versions.roll_back(number, author="cyd"))
        self.events += 1

    def _give(self, base: Base, counts: Counts, show: Callable[[], object]) -> None:
        """Give readers what was built as ``base``, and see that what changed for them is told exactly."""
        before, was = self._readable(), {solution: self.expected(solution) for solution in sorted(self.base)}
        edited = {solution for solution in self.base if self.decisions_on(solution, "edit")}
        show()
        self.base, self.counts = base, counts
        with self.kb.workspace.file() as file:
            self.versions[file.shown_version] = base, counts
        for solution, shown in was.items():  # what was approved stays, as an edit by nobody
            if solution in self.base and solution not in edited and shown.status == "approved":
                place, text = self.base[solution]
                if shown.text != text:
                    self.made.append(Made(solution, place, "edit", shown.text, "", text, shown.text, kept=True))
        for one in self.made:
            if one.solution in self.base:
                one.origin = self.base[one.solution][1]
        told, after = self.kb.views.changes(), self._readable()
        for change in told.removed:
            self._claim(before.pop(change.solution, None) == (change.before, change.status_before), f"TOLD {change}")
        for change in told.added:
            before[change.solution] = (change.after or "", change.status_after or "")
        for change in told.changed:
            self._claim(before.get(change.solution) == (change.before, change.status_before), f"TOLD {change}")
            before[change.solution] = (change.after or "", change.status_after or "")
        self._claim(before == after, f"CHANGES tell {before}, shown is {after}")

    def _readable(self) -> dict[str, tuple[str, str]]:
        return {one.id: (one.text, one.status) for one in self.kb.views.solutions().items if one.status in DISPLAYED}

    def _says(self, place: tuple[str, int]) -> bool:
        return place[0] not in self.gone and self.sections[place].steps is not None

    # Complex: documents, issues, trees and solutions of one moment are made beside the model of them.
    def _find(self, failing: set[tuple[str, int]]) -> Found:
        """Return what a build of what the manuals say now finds; the model fails for some sections.

        Raises StageFailedError where it fails for too many.
        """
        answered = self._ask_model([place for place in PLACES if self._says(place)], failing)
        documents, issues, solutions, raw = [], [], [], dict[str, Any]()
        base: Base = {}
        for tree in (tree for tree in TREES if tree not in self.gone):
            root = f"{tree}-{self.form}-{self.rethought}"
            reports = [FORMS[self.form].format(text) for text in REPORTS[tree]]
            issues.append(Issue(root, reports[self.rethought % 2], None, {}, f"seed-{root}"))
            raw |= {f"{tree}-{self.form}-{n}": {"text": text, "issue": root} for n, text in enumerate(reports)}
            text = ""
            for place in (place for place in PLACES if place[0] == tree):
                section = self.sections[place]
                if section.steps is None:
                    continue
                title, evidence = f"{tree} {place[1]}", []
                for n, step in enumerate(section.steps, 1):
                    quote = f"{n}. {step}"
                    evidence.append(Evidence(tree, len(text), len(text) + len(quote), quote))
                    text += f"{quote}\n"
                if place in answered:
                    said = _counted(title, section.steps)
                    name = f"{tree}-{place[1]}-{section.variant}-{self.form}-{self.rethought}"
                    solutions.append(Solution(name, root, said, section.steps, {}, tuple(evidence), rank=1))
                    base[name] = place, said
            documents.append(Document(tree, tree, text))
        records = {
            ("setting", "domain"): canonical_json({"yaml": self.kb.workspace.domain_text}),
            ("setting", "gate"): canonical_json(Gate(DEFAULT_THRESHOLD, ENCODER.name).as_json()),
        }
        if self.approvals > 1:
            records["setting", "review"] = canonical_json({"approvals": self.approvals})
        records |= {("document", d.id): canonical_json(document_body(d, ())) for d in documents}
        records |= {("raw_issue", i): canonical_json(body) for i, body in raw.items()}
        records |= {("issue", i.id): canonical_json(ISSUE.body(i)) for i in issues}
        records |= {("solution", s.id): canonical_json(solution_body(s)) for s in solutions}
        built = Built(
            {d.id: d for d in documents}, {i.id: i for i in issues}, {s.id: s for s in solutions}, joined={}, rules={}
        )
        counts = {"solutions": len(solutions), "documents": len(documents), "issues": len(raw)}
        return Found(records, built, base, counts)

    def _ask_model(self, places: list[tuple[str, int]], failing: set[tuple[str, int]]) -> set[tuple[str, int]]:
        """Return the sections that the model answered for, through a real stage."""
        self.stages_run += 1
        names = [f"{tree} {n}" for tree, n in places]
        keys = [digest("asked", str(self.stages_run), name) for name in names]
        with self.kb.workspace.file() as file:
            stages = Stages(file, FreeEncoder(ENCODER, file), tolerance=FAILURE_TOLERANCE)
            work = Work(partial(_answer, failing), places.__getitem__)
            replies = stages.remember("sections", keys, names, work, lambda _n, text: text)
        return {place for place, reply in zip(places, replies, strict=True) if reply is not None}

    # -- what must hold ------------------------------------------------------------------------------

    def check(self, after: str) -> None:
        """Hold what is shown and stored against the model."""
        shown = {one.id: one for one in self.kb.views.solutions().items}
        must_be = self.base.keys() | self.written.keys()
        self._claim(shown.keys() == must_be, f"{after}: SHOWN {sorted(shown)}, not {sorted(must_be)}")
        for i, (tree, text) in self.written.items():
            if (one := shown.get(i)) is not None:
                found = (one.text, one.status, one.issue_id.startswith(tree))
                status = "approved" if self.approvals == 1 else "displayed"  # who writes is one of those who must
                self._claim(found == (text, status, True), f"{after}: BY HAND {i} is {found}, on {one.issue_id}")
        for i in shown.keys() & self.base.keys():
            one, must = shown[i], self.expected(i)
            found = Shown(one.text, one.status, one.edited_at is not None, one.source_changed)
            self._claim(found == must, f"{after}: {i} is shown as {found}, not {must}")
            steps = [line for step in one.steps for line in step.split("\n")]
            self._claim(all(step in one.text for step in steps), f"{after}: {i} has steps that its text has not")
        with self.kb.workspace.file() as file:
            stored = read_decisions(file)
        kept = [(one.solution_id, one.undone) for one in stored.of_kind("edit")]
        made = [(one.solution, one.undone) for one in self.made if one.kind == "edit"]
        self._claim(kept == made, f"{after}: LOST edits: {kept}, made were {made}")
        judged = Counter((one.solution_id, one.what, one.undone) for one in stored.of_kind("verdict"))
        given = Counter((one.solution, one.kind, one.undone) for one in self.made if one.kind != "edit")
        self._claim(judged == given, f"{after}: LOST verdicts: {judged}, given were {given}")

    def check_histories(self) -> None:
        """See that each decision is in the history of its solution, and that its newest text is the one shown.

        Of versions what people did is told, and who consented to a loss.
        """
        versions = self.kb.versions.list()
        self._claim(
            len(versions.events) == self.events, f"{self.events} rollbacks and discards, told {versions.events}"
        )
        self._claim(all(one.by for one in versions.events), "a rollback or a discard is by nobody")
        shown = {one.id: one.text for one in self.kb.views.solutions().items}
        for solution in sorted({one.solution for one in self.made}):
            told = self.kb.curation.history(solution)
            own = [one for one in self.made if one.solution == solution]
            found = Counter(entry.what for entry in told.items if entry.undone or entry.decision)
            wanted = Counter("edited" if one.kind == "edit" else one.kind for one in own)
            self._claim(not wanted - found, f"HISTORY of {solution} has {found}, not {wanted}")
            numbers = [entry.number for entry in told.items]
            self._claim(numbers == sorted(numbers, reverse=True), f"HISTORY of {solution} is in no order: {numbers}")
            texts = [e for e in told.items if e.what in ("edited", "undone") and e.after is not None]
            moved = any(o.solution != solution and o.place == own[0].place for o in self.made)
            if texts and solution in shown and not moved and not self._built_since(told.items, texts[0].number):
                self._claim(texts[0].after == shown[solution], f"HISTORY of {solution} ends with {texts[0].after!r}")
        orphans = {one.id for one in self.kb.views.show().orphaned_edits}
        queue = self.kb.curation.review(1_000)
        queued = {one.id for one in queue.items if one.edit is not None}
        self._claim(queued <= orphans, "REVIEW names an edit that has a solution")
        for one in self.kb.views.solutions().items:
            if one.source_changed and one.status not in ("rejected", "hidden"):
                reasons = [r.kind for item in queue.items if item.id == one.id for r in item.reasons]
                self._claim("source_changed" in reasons, f"REVIEW does not say that the source of {one.id} changed")

    @staticmethod
    def _built_since(entries: Sequence[object], number: int) -> bool:
        return any(e.number > number and e.what in ("built anew", "gone", "back") for e in entries)  # type: ignore[attr-defined]


def _answer(failing: set[tuple[str, int]], place: tuple[str, int]) -> str:
    if place in failing:
        raise ConnectionError("The model is down.")
    return "answered"


@dataclass
class Ran:
    """What some sequences did."""

    actions: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    edits: int = 0
    orphaned: int = 0
    source_changed: int = 0
    written: int = 0
    refused: int = 0
    consented: int = 0
    outages: int = 0


def _counted(title: str, steps: Sequence[str]) -> str:
    """Return a title and its steps, counted where there are several."""
    return "\n".join((title, *([f"{n}. {s}" for n, s in enumerate(steps, 1)] if len(steps) > 1 else steps)))


def make_template(place: Path) -> Path:
    """Make the workspace that each sequence gets a copy of."""
    (place / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    kb = SupportKB.create(place / "template", str(place / "domain.yaml"))
    with kb.workspace.file() as file:  # so that no sequence has to embed the few texts that there are
        texts = [form.format(text) for form in FORMS for some in REPORTS.values() for text in some]
        Stages(file, FreeEncoder(ENCODER, file)).embed(texts)
    kb.close()
    return place / "template"


def run_sequence(template: Path, place: Path, actions: Sequence[Action], ran: Ran, *, approvals: int = 1) -> None:
    """Do one sequence on a copy of the template in ``place``, which is removed again."""
    shutil.copytree(template, place)
    try:
        sequence = EditSequence(place, approvals)
        sequence.run(actions)
        shown = sequence.kb.views.solutions().items
        ran.orphaned += len(sequence.kb.views.show().orphaned_edits)
        ran.source_changed += sum(one.source_changed for one in shown)
        ran.edits += sum(one.kind == "edit" for one in sequence.made)
        ran.actions.update(sequence.done)
        ran.violations += sequence.violations
        ran.written += len(sequence.written)
        ran.refused += sequence.refused
        ran.consented += sequence.consented
        ran.outages += sequence.outages
        sequence.kb.close()
    finally:
        shutil.rmtree(place)


def random_actions(dice: random.Random) -> list[Action]:
    """Return the actions of one sequence."""
    return [
        (dice.randrange(len(NAMES)), dice.randrange(len(PLACES)), dice.randrange(12))
        for _ in range(dice.randint(*ACTIONS))
    ]


def run(options: argparse.Namespace) -> Result:
    """Run the sequences and count."""
    count = SEQUENCES // 10 if options.quick else SEQUENCES
    ran, started = Ran(), time.perf_counter()
    with folder() as place:
        template = make_template(place)
        for number in range(count):
            dice = random.Random(f"{SEED} {number}")
            before = len(ran.violations)
            run_sequence(template, place / "kb", random_actions(dice), ran, approvals=1 + number % 2)
            ran.violations[before:] = [f"sequence {number}: {one}" for one in ran.violations[before:]]
    figures = [
        Figure("sequences", count),
        Figure("actions", sum(ran.actions.values())),
        Figure("hand edits", ran.edits),
        Figure("solutions by hand", ran.written),
        Figure("builds ended because the model was down", ran.outages),
        Figure("publications refused for what readers would lose", ran.refused),
        Figure("published losses with consent", ran.consented),
        Figure("published losses without consent", sum("WITHOUT CONSENT" in one for one in ran.violations), at_most=0),
        Figure("shown as source changed at the end", ran.source_changed),
        Figure("kept without their solution at the end", ran.orphaned),
        Figure("violations", len(ran.violations), at_most=0),
        Figure("seconds", time.perf_counter() - started, "s"),
    ]
    return Result("edit_sequences", figures, {"actions": dict(ran.actions), "violations": ran.violations[:20]})
