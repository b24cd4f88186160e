"""What people decide - edits, verdicts, solutions by hand - is laid over what was built and outlives it.

The log of decisions is folded over the solutions of a build by ``apply_decisions``, which has the rules of precedence;
whoever wants to know what holds asks it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from autokb.core.forest import Forest
from autokb.core.ids import canonical_json, digest, short_id
from autokb.core.nouns import (
    DISPLAYED,
    Decision,
    DecisionKind,
    HumanVerdictName,
    Issue,
    Origin,
    Solution,
    Status,
    Verdict,
)
from autokb.core.review_policy import USUAL_REVIEW, ReviewPolicy
from autokb.core.solution_text import counted_text, solution_text
from autokb.core.step_numbers import INDENT, NUMBERING, step_numbers

NOT_APPROVED = "Nobody has approved it yet."
KEPT = "Its source has changed; readers keep the text that was approved."
MARKS_KEPT = 100_000  # of texts that are in memory anyway, for the same ones are asked for with every decision


@dataclass(frozen=True, slots=True)
class Decisions:
    """Everything that people decided, in the order in which the workspace took it, and how a team reviews."""

    log: tuple[Decision, ...] = ()
    policy: ReviewPolicy = USUAL_REVIEW

    @classmethod
    def of(cls, decisions: Iterable[Decision], policy: ReviewPolicy = USUAL_REVIEW) -> Decisions:
        """Return decisions in the order of their numbers."""
        return cls(tuple(sorted(decisions, key=lambda one: one.number)), policy)

    def of_kind(self, kind: DecisionKind) -> list[Decision]:
        """Return those of one kind."""
        return [one for one in self.log if one.kind == kind]


@dataclass(frozen=True, slots=True)
class Approval:
    """Who approved the text that a solution has now, and when."""

    author: str
    date: str


@dataclass(frozen=True)
class Decided:
    """Solutions as people left them, and which decision counts for which solution.

    ``base`` are the solutions as built or written, ``edited`` those with edits and without verdicts. What is ``held``
    could be shown and waits for an approval first. ``problems`` are nodes that only solutions by hand have, for what
    they were written for is gone. ``orphans`` are decisions whose solution is not there; they stay stored. ``taken``
    are all decisions on a solution, those too that were taken back or that a later one replaced; of each kind the last
    one that was not taken back counts.
    """

    solutions: Mapping[str, Solution]
    base: Mapping[str, Solution]
    edited: Mapping[str, Solution]
    edits: Mapping[str, Decision] = field(default_factory=dict)
    verdicts: Mapping[str, Decision] = field(default_factory=dict)
    written: Mapping[str, Decision] = field(default_factory=dict)
    orphans: tuple[Decision, ...] = ()
    taken: Mapping[str, tuple[Decision, ...]] = field(default_factory=dict)
    approved: Mapping[str, tuple[Approval, ...]] = field(default_factory=dict)
    approvals: int = 1
    held: frozenset[str] = frozenset()
    problems: Mapping[str, Issue] = field(default_factory=dict)

    @property
    def ids(self) -> frozenset[str]:
        """The solutions that were edited or judged, and the nodes that people wrote solutions for."""
        nodes = (self.base[solution].issue_id for solution in self.written)
        return frozenset((*self.edits, *self.verdicts, *nodes))

    def source_changed(self, solution_id: str) -> bool:
        """Return whether a solution is built in other words now than when it was edited, or last approved."""
        edit, verdict = self.edits.get(solution_id), self.verdicts.get(solution_id)
        if edit is not None:
            solution = self.base[solution_id]
            return bool(edit.built) and edit.built != solution_mark(solution)
        if verdict is None or verdict.what != "approved" or solution_id in self.written:
            return False
        solution = self.edited[solution_id]
        return verdict.shown not in ("", solution_mark(solution))

    def keeps_approved(self, solution_id: str) -> bool:
        """Return whether readers see an approved text whose source says otherwise by now."""
        edit = self.edits.get(solution_id)
        return edit is not None and edit.reason == KEPT and self.source_changed(solution_id)

    def newest(self, solution_id: str) -> Decision | None:
        """Return the edit or verdict that counts and was taken last; None where none is left to take back."""
        edit, verdict = self.edits.get(solution_id), self.verdicts.get(solution_id)
        if edit is None or verdict is None:
            return edit or verdict
        return edit if edit.number > verdict.number else verdict

    @property
    def lost_edits(self) -> list[Decision]:
        """The edits whose solution is gone, of each solution the newest; those before it were replaced by it."""
        newest: dict[str, Decision] = {}
        for one in sorted(self.orphans, key=lambda one: one.number):
            if one.kind == "edit":
                newest[one.solution_id] = one
        return list(newest.values())

    def is_waiting(self, solution_id: str) -> bool:
        """Return whether somebody approved a text that is shown and more people must do so."""
        status = self.solutions[solution_id].status
        approved = self.approvals > 1 and bool(self.approved.get(solution_id))
        return approved and status in DISPLAYED and status != "approved"


def text_mark(text: str, steps: Sequence[str], quotes: Sequence[str]) -> str:
    """Return the mark of a text with its steps: 16 hexadecimal digits that change when either does.

    Whether the steps bear the marks of their ``quotes`` or are counted through makes no other text.
    """
    return _mark(text, tuple(steps), tuple(quotes))


def solution_mark(solution: Solution) -> str:
    """Return the mark of a solution's text with its steps."""
    return _mark(solution.text, solution.steps, solution.quotes)


@lru_cache(maxsize=MARKS_KEPT)
def _mark(text: str, steps: tuple[str, ...], quotes: tuple[str, ...]) -> str:
    return digest(counted_text(text, steps, quotes), _steps_json(steps))[:16]


@lru_cache(maxsize=MARKS_KEPT)
def _steps_mark(steps: tuple[str, ...]) -> str:
    return digest(_steps_json(steps))[:16]


def _steps_json(steps: tuple[str, ...]) -> str:
    return canonical_json(list(steps))


def origin_of(solution: Solution, tree: str) -> Origin:
    """Return what lets a decision find a solution again; ``solution`` is as it was built."""
    document = solution.evidence[0].document if solution.evidence else ""
    return Origin(tree, document, solution_mark(solution), _steps_mark(solution.steps))


def tree_of(issue_id: str, forest: Forest[Issue]) -> str:
    """Return the root issue of a node, or nothing where the node is not there."""
    return forest.root(issue_id).id if issue_id in forest.nodes else ""


def new_edit(
    solution_id: str,
    text: str,
    steps: Iterable[str],
    author: str,
    date: str,
    *,
    origin: Origin | None = None,
    based_on: str = "",
) -> Decision:
    """Make the record of an edit; ``steps`` empty means that the text was edited as a whole."""
    given = tuple(s.strip() for s in steps if s.strip())
    origin = origin or Origin()
    told = Decision("", "edited", solution_id, author, date, origin=origin, text=text, steps=given)
    return number_new(replace(told, built=origin.built, based_on=based_on), 0)


def new_verdict(
    solution: Solution, verdict: HumanVerdictName, author: str, date: str, origin: Origin, reason: str = ""
) -> Decision:
    """Make the record of a verdict on a solution as it is shown."""
    shown = solution_mark(solution)
    return number_new(Decision("", verdict, solution.id, author, date, origin=origin, reason=reason, shown=shown), 0)


def number_new(decision: Decision, number: int) -> Decision:
    """Return an edit or verdict that is taken now with its place in the order.

    Its id hangs on the number too, for a person can decide the same thing twice within a second.
    """
    is_edit = decision.kind == "edit"
    said = (decision.text, canonical_json(list(decision.steps))) if is_edit else (decision.what, decision.shown)
    decision_id = short_id(decision.kind, decision.solution_id, *said, decision.author, decision.date, str(number))
    return replace(decision, id=decision_id, number=number)


# Complex: a numbered text and one without numbers tell title and steps by rules of their own, as the docstring says.
def steps_of(text: str, title: str = "", unmarked: Sequence[str] = ()) -> tuple[str, ...]:
    """Read the steps of an edited text: one a line, numbering and bullets taken off.

    Where lines are numbered, those before the first one are the title and those after one without a number of their own
    belong to it; elsewhere a first line that is the built solution's ``title`` is no step. Where steps of that solution
    are ``unmarked``, so may others be: each line between title and first number is a step, everywhere each of theirs.
    """
    lines = list(filter(None, map(str.rstrip, text.split("\n"))))
    titled = bool(title) and len(lines) > 1 and lines[0].strip() == title
    numbered = next((n for n, line in enumerate(lines) if NUMBERING.match(line)), len(lines))
    if numbered == len(lines) and not unmarked:
        return tuple(line.strip() for line in lines[titled:])
    before = lines[:numbered] if titled or numbered == len(lines) else []
    begins = [step.partition("\n")[0] for step in unmarked]
    begins += (line for line in before if begins and not line.startswith(INDENT))
    return _joined_steps(lines[titled:], begins)


def _joined_steps(lines: Iterable[str], begins: Container[str]) -> tuple[str, ...]:
    """Return the steps of lines: one begins with a number, a bullet or a certain line; what follows belongs to it."""
    steps: list[str] = []
    for line in lines:
        if NUMBERING.match(line) or line in begins:
            steps.append(NUMBERING.sub("", line).strip())
        elif steps:
            steps[-1] += "\n" + line.removeprefix(INDENT)
    return tuple(filter(str.strip, steps))


def title_of(solution: Solution) -> str:
    """Return the line that a solution's text puts over its steps, or nothing."""
    first = solution.text.strip().partition("\n")[0].strip()
    step_lines = {line.strip() for step in solution.steps for line in step.split("\n")}
    return "" if NUMBERING.match(first) or first in step_lines else first


def edit_solution(solution: Solution, edit: Decision) -> Solution:
    """Return a solution with an edit's text and steps; its status and rules are as they were."""
    title = title_of(solution)
    if not edit.steps:
        numbers = step_numbers(solution.steps, solution.quotes)
        unmarked = [step for number, step in zip(numbers, solution.steps, strict=True) if number is None]
        steps = steps_of(edit.text, title, unmarked) or solution.steps
        return replace(solution, text=edit.text, steps=steps)
    text = edit.text or solution_text(title, edit.steps, solution.quotes)
    return replace(solution, text=text, steps=edit.steps)


def write_solution(written: Decision, issue_id: str) -> Solution:
    """Return the solution of a hand-written decision on a node.

    It needs no evidence and is approved; where one of its rule verdicts is broken it is withheld, with the reason.
    """
    solution = Solution(
        id=written.id,
        issue_id=issue_id,
        text=written.text,
        steps=written.steps,
        attributes=written.attributes,
        evidence=(),
        status="approved",
        rules=written.rules,
    )
    return _withhold_if_broken(solution, "as it was written by hand")


# Complex: the order of place, edits, approvals and verdicts is the rule that the docstring gives.
def apply_decisions(built: Mapping[str, Solution], issues: Mapping[str, Issue], decisions: Decisions) -> Decided:
    """Fold the log over solutions as they were built: the one place that says which decision holds.

    - *Where.* A decision is on the solution whose id it names. Where that is gone it goes along to the solutions of its
      tree, or of another tree of the same seed, that have its document, heading and text; an edit else to those of
      other trees, for it says what the section should say, but to none that anybody decided something on.
      Where there is none it is an orphan: kept, and nothing is changed by it; it holds again when its solution returns.
      A solution by hand stands on its node, else on the root of its tree or the node that is nearest now, else on a
      node of its own with what it was written for: it is shown in any case.
    - *Which.* Of edits, and of verdicts, the last one in the log that was not taken back holds, whatever the dates say;
      a solution's own come after those that followed it there. Taking one back brings back the one before.
    - *Edits* are laid over what was built, or written by hand, and change no status, but: one that breaks a rule is
      withheld, one that mends a withheld text is shown, and one of a text by hand is approved no more.
    - *Verdicts* come on top. A rejection or hiding holds until it is taken back. An approval is for the text that it
      was given for, and for none that is withheld. Where several must approve, those of the present text count, each
      author once, since the last rejection or hiding; who writes a solution approves it.
    """
    policy = decisions.policy
    if not decisions.log:
        held = _held_back(built, policy)
        return Decided(
            {**built, **held} if held else built, built, built, approvals=policy.approvals, held=frozenset(held)
        )
    base = dict(built)
    written = {one.id: one for one in decisions.of_kind("written")}
    problems: dict[str, Issue] = {}
    for one in written.values():
        node = _node_of(one, issues)
        problems |= {} if node.id in issues else {node.id: node}
        base[one.id] = write_solution(one, node.id)
    forest = Forest((*issues.values(), *problems.values()))
    given, lost = _assign((one for one in decisions.log if one.kind != "written"), _Twins(base, forest))
    edits, verdicts = _holding(given, "edit"), _holding(given, "verdict")
    edited = base | {i: _edited(base[i], edit) for i, edit in edits.items()}
    approved = _approvals(edited, given, written)
    solutions = edited | {i: _judged(edited[i], verdict, policy) for i, verdict in verdicts.items()}
    if policy.approvals > 1:
        solutions |= {i: _awaiting(solutions[i], edited[i], by, policy.approvals) for i, by in approved.items()}
    held = _held_back(solutions, policy)
    taken = {i: tuple(sorted(some, key=lambda one: one.number)) for i, some in given.items()}
    return Decided(
        solutions=solutions | held,
        base=base,
        edited=edited,
        edits=edits,
        verdicts=verdicts,
        written=written,
        orphans=tuple(lost),
        taken=taken,
        approved=approved,
        approvals=policy.approvals,
        held=frozenset(held),
        problems=problems,
    )


def _node_of(written: Decision, issues: Mapping[str, Issue]) -> Issue:
    """Return the node that a solution by hand stands on, one of its own where there is none."""
    node = issues.get(written.issue_id) or issues.get(written.origin.tree)
    text = written.origin.problem or written.text.partition("\n")[0]
    return node or Issue(written.issue_id, text, None, written.attributes)


def keep_approved(before: Decided, built: Mapping[str, Solution], last: int, date: str) -> list[Decision]:
    """Return edits that give solutions which were approved the approved text again, where a build changed theirs.

    ``before`` is what people decided on the build before, ``last`` the number of the last decision. The edit says what
    the build had written when the text was approved, so that it counts as one whose source has changed; taking it back
    shows the new text.
    """
    found: list[Decision] = []
    for i, verdict in sorted(before.verdicts.items()):
        old, new = before.solutions[i], built.get(i)
        if new is None or old.status != "approved" or i in before.edits or i in before.written:
            continue
        if (old.text, old.steps) != (new.text, new.steps):
            mark = solution_mark(old)
            edit = Decision(
                "", "edited", i, "", date, origin=verdict.origin, text=old.text, steps=old.steps, built=mark
            )
            found.append(number_new(replace(edit, rules=old.rules, reason=KEPT), last + 1 + len(found)))
    return found


def follow_joined(decisions: Decisions, joined: Mapping[str, str], issues: Mapping[str, Issue]) -> Decisions:
    """Return decisions that look in the tree that took theirs in; ``joined`` are nodes by those that have gone.

    What they say of their problem is what ``issues``, the nodes before, say of it.
    """

    def follow(one: Decision) -> Decision:
        node = issues.get(one.issue_id or one.origin.tree)
        tree = joined.get(one.issue_id) or joined.get(one.origin.tree, one.origin.tree)
        return replace(one, origin=replace(one.origin, tree=tree, problem=node.text if node else one.origin.problem))

    return replace(decisions, log=tuple(map(follow, decisions.log)))


# Complex: orphans are matched in their tree or else anywhere, through one table for both.
def find_offers(decided: Decided, issues: Mapping[str, Issue]) -> dict[str, str]:
    """Return by the ids of orphaned edits and verdicts the solutions that they may belong to.

    That is one with the same steps of the same document, under another heading in their tree, or in another tree.
    """
    orphans = [o for o in decided.orphans if o.origin.steps]
    if not orphans:
        return {}
    forest = Forest(issues.values())
    wanted = {o.origin.steps for o in orphans}
    fitting: dict[tuple[str | None, str, str], str] = {}  # tree (None: any), document, steps
    for solution_id, solution in sorted(decided.base.items()):
        if solution_id not in decided.edits and _steps_mark(solution.steps) in wanted:
            origin = origin_of(solution, tree_of(solution.issue_id, forest))
            for tree in (origin.tree, None):
                fitting.setdefault((tree, origin.document, origin.steps), solution_id)
    found: dict[str, str] = {}
    for one in orphans:
        for tree in (one.origin.tree, None):
            if (offered := fitting.get((tree, one.origin.document, one.origin.steps))) is not None:
                found.setdefault(one.id, offered)
    return found


def update_decisions(
    decisions: Decisions, decided: Decided, issues: Mapping[str, Issue], rules: Mapping[str, tuple[Verdict, ...]]
) -> Decisions:
    """Return decisions that know what their solutions are now, so that they find them again after the next build.

    ``rules`` are by decision id what the rules say of its text now.
    """
    named = {one.solution_id for one in decisions.log}
    forest = Forest((*issues.values(), *decided.problems.values()))
    base = (s for i, s in decided.base.items() if i in named)
    origins = {s.id: origin_of(s, tree_of(s.issue_id, forest)) for s in base}
    lost = {one.id for one in decided.orphans}

    def update(one: Decision) -> Decision:
        if one.kind == "written":
            return replace(one, rules=rules.get(one.id, one.rules))
        now = origins.get(one.solution_id, one.origin)
        one = replace(one, origin=replace(now, problem=now.problem or one.origin.problem))
        if one.kind == "edit":
            dismissed = one.dismissed and one.id in lost
            found = rules.get(one.id, one.rules)
            return replace(one, built=one.built or one.origin.built, rules=found, dismissed=dismissed)
        solution = decided.solutions.get(one.solution_id)
        shown = one.shown or (solution_mark(solution) if solution else "")
        return replace(one, shown=shown)

    return replace(decisions, log=tuple(map(update, decisions.log)))


class _Twins:
    """Finds the solutions that stand for one that is gone: same tree, document, heading and text.

    Where its tree has none they may be in another one of the same seed, which a cluster that was split has;
    ``anywhere`` are those of all trees.
    """

    def __init__(self, base: Mapping[str, Solution], forest: Forest[Issue]) -> None:
        self.base = base
        self._forest = forest

    @cached_property
    def _by_mark(self) -> Mapping[str, list[Solution]]:
        found: dict[str, list[Solution]] = {}
        for solution in self.base.values():
            if solution.issue_id in self._forest.nodes:
                found.setdefault(solution_mark(solution), []).append(solution)
        return found

    def _places(self, origin: Origin) -> dict[str, Issue]:
        alike = self._by_mark.get(origin.built, ()) if origin.built else ()
        origin = replace(origin, problem="")
        return {s.id: self._forest.root(s.issue_id) for s in alike if origin_of(s, origin.tree) == origin}

    def anywhere(self, origin: Origin) -> list[str]:
        return sorted(self._places(origin))

    def of(self, origin: Origin) -> list[str]:
        places = self._places(origin)
        here = sorted(i for i, root in places.items() if origin.tree in (root.id, root.seed))
        own = self._forest.nodes.get(origin.tree)
        if here or own is None or not own.seed:
            return here
        return sorted(i for i, root in places.items() if own.seed in (root.id, root.seed))


def _assign(decisions: Iterable[Decision], twins: _Twins) -> tuple[dict[str, list[Decision]], list[Decision]]:
    """Return the decisions of each solution, its own behind those that followed it here, and those that have none."""
    direct: dict[str, list[Decision]] = {}
    lost = []
    for one in decisions:
        if one.solution_id in twins.base:
            direct.setdefault(one.solution_id, []).append(one)
        else:
            lost.append(one)
    followed, lost = _follow(lost, lambda one: twins.of(one.origin))
    decided = direct.keys() | followed.keys()
    strayed, lost = _follow(
        lost, lambda one: [i for i in twins.anywhere(one.origin) if i not in decided] if one.kind == "edit" else []
    )
    given = {i: [*followed.get(i, strayed.get(i, ())), *direct.get(i, ())] for i in decided | strayed.keys()}
    return given, [one for one in lost if not one.undone]


def _follow(
    decisions: Iterable[Decision], targets_of: Callable[[Decision], Sequence[str]]
) -> tuple[dict[str, list[Decision]], list[Decision]]:
    """Return decisions by the solutions that they go to, and those that go to none."""
    followed: dict[str, list[Decision]] = {}
    left = []
    for one in decisions:
        targets = targets_of(one)
        for target in targets:
            followed.setdefault(target, []).append(one)
        if not targets:
            left.append(one)
    return followed, left


def _holding(given: Mapping[str, Sequence[Decision]], kind: DecisionKind) -> dict[str, Decision]:
    """Return the last decision of a kind on each solution that was not taken back."""
    left = {i: [one for one in some if one.kind == kind and not one.undone] for i, some in given.items()}
    return {i: some[-1] for i, some in left.items() if some}


def _approvals(
    edited: Mapping[str, Solution],
    given: Mapping[str, Sequence[Decision]],
    written: Mapping[str, Decision],
) -> dict[str, tuple[Approval, ...]]:
    """Return who approved the texts that solutions have now, each person once.

    What was approved before somebody rejected or hid the solution no longer counts. Who writes a solution approves it
    as it was written; an edit approves nothing.
    """
    found: dict[str, tuple[Approval, ...]] = {}
    for i in given.keys() | written.keys():
        solution, by_author = edited[i], dict[str, Approval]()
        if i in written and solution.status == "approved":
            by_author[written[i].author] = Approval(written[i].author, written[i].date)
        mark = solution_mark(solution)
        for one in given.get(i, ()):
            if one.undone or one.kind != "verdict":
                continue
            if one.what != "approved":
                by_author.clear()
            elif one.shown in ("", mark):
                by_author.setdefault(one.author, Approval(one.author, one.date))
        if by_author:
            found[i] = tuple(by_author.values())
    return found


def _held_back(solutions: Mapping[str, Solution], policy: ReviewPolicy) -> dict[str, Solution]:
    """Return the solutions that the policy shows to nobody until they are approved, as withheld ones."""
    if policy.show == "all":
        return {}
    waiting = (one for one in solutions.values() if one.status in DISPLAYED and one.status != "approved")
    return {one.id: replace(one, status="withheld", reason=one.reason or NOT_APPROVED) for one in waiting}


def _awaiting(solution: Solution, edited: Solution, by: Sequence[Approval], needed: int) -> Solution:
    """Return a solution that too few people approved with the status that it had, as one that waits for the others."""
    missing = needed - len(by)
    if solution.status != "approved" or missing <= 0:
        return solution
    whose = ", ".join(one.author or "somebody without a name" for one in by)
    status: Status = "displayed" if edited.status == "approved" else edited.status
    more = "one other person" if missing == 1 else f"{missing} other people"
    return replace(solution, status=status, reason=f"Approved by {whose}; {more} must approve it too.")


def _edited(solution: Solution, edit: Decision) -> Solution:
    edited = edit_solution(solution, edit)
    if edit.rules:
        mended = solution.status == "withheld" and any(v.verdict == "broken" for v in solution.rules)
        edited = replace(edited, rules=edit.rules)
        if mended:
            edited = replace(edited, status="displayed", reason="")
    # what was written by hand and edited since
    if solution.status == "approved" and solution_mark(edited) != solution_mark(solution):
        edited = replace(edited, status="displayed", reason="It was edited since it was written; approve it again.")
    return _withhold_if_broken(edited, "as it was edited")


def _withhold_if_broken(solution: Solution, how: str) -> Solution:
    broken = [v for v in solution.rules if v.verdict == "broken"]
    if not broken or solution.status not in DISPLAYED:
        return solution
    reasons = " ".join(f"{v.rule}: {v.reason}" for v in broken)
    return replace(solution, status="withheld", reason=f"It breaks a rule {how}. {reasons}")


def _judged(solution: Solution, verdict: Decision, policy: ReviewPolicy) -> Solution:
    whose = "".join(f"{word}{value}" for word, value in ((" by ", verdict.author), (", ", verdict.date)) if value)
    if verdict.what == "rejected" or verdict.what == "hidden":
        reason = verdict.reason or f"{verdict.what.capitalize()}{whose}."
        return replace(solution, status=verdict.what, reason=reason)
    if solution.status not in DISPLAYED:
        return solution
    if verdict.shown in ("", solution_mark(solution)):
        return replace(solution, status="approved", reason=verdict.reason)
    status: Status = "displayed" if solution.status == "approved" else solution.status
    if policy.changed == "withdraw":
        status = "withheld"
    changed = f"Its text has changed since it was approved{whose}; read it and approve it again."
    return replace(solution, status=status, reason=f"{solution.reason} {changed}".strip())
