"""What people decided, as an export's lines or edited texts tell it, and how a workspace takes it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from autokb.core.decisions import (
    Decided,
    Decisions,
    apply_decisions,
    edit_solution,
    new_edit,
    new_verdict,
    number_new,
    origin_of,
    steps_of,
    text_mark,
    tree_of,
)
from autokb.core.domain import DomainSpec, Rule
from autokb.core.forest import Forest
from autokb.core.nouns import (
    DISPLAYED,
    Decision,
    DecisionKind,
    Issue,
    Origin,
    Skipped,
    Solution,
    Verdict,
)
from autokb.core.regex_timeout import SlowPatternError
from autokb.core.review_policy import ReviewPolicy
from autokb.core.solution_text import solution_title
from autokb.exchange.edited_exports import ExportedTexts
from autokb.exchange.export_kb import checksum, same_text
from autokb.exchange.jsonl_schema import BUILT_STATUSES, Lines, lines_of, order_in_file, take_out
from autokb.heuristics.rules import verdicts_by_patterns
from autokb.stores.codecs import ISSUE, SOLUTION, quotes_in, read_decision
from autokb.stores.published import REVIEW, Published

AUTHOR = "import"  # of a decision that a changed line of a file tells


@dataclass(frozen=True, slots=True)
class FileDecisions:
    """The decisions in a file: those with a line of their own, in the order that it gives them, and the others.

    ``changes`` are edits and verdicts that only the changed line of a solution tells, ``lifted`` the ids of solutions
    whose line has the status of the build again, although the file holds verdicts on them.
    """

    lines: tuple[Decision, ...]
    changes: tuple[Decision, ...] = ()
    lifted: frozenset[str] = frozenset()

    def lift(self, decision: Decision) -> Decision:
        """Return a decision of the file, taken back where the file says so."""
        if decision.kind == "verdict" and decision.solution_id in self.lifted:
            return replace(decision, undone=True)
        return decision


@dataclass(slots=True)
class Taken:
    """What a workspace takes of a file's decisions, with their numbers here."""

    decisions: list[Decision] = field(default_factory=list)
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def leave(self, known: Decision | None, published: Published) -> None:
        """Count a decision that changes nothing here, and say so where one ``known`` here was taken back since."""
        self.unchanged += 1
        if known is not None and known.undone and not _is_shown(known, published):
            self.skipped.append(_named_undone(known))


# -- out of a file --------------------------------------------------------------------------------------------


# Complex: texts and statuses are told from what the decisions in the file make of it, so that their order matters.
def separate_decisions(lines: Lines, now: str, verdict_date: str, published: Published | None = None) -> FileDecisions:
    """Take the decisions of people out of an export's lines, and leave the solutions as they were built.

    A changed text is an edit, a changed status a verdict (or lifts those that the file holds). With what is
    ``published`` where the file goes, more is known of what was changed in it.
    """
    by_hand = {i: body for i, body in lines_of(lines, "solution").items() if body.get("by_hand")}
    for i in by_hand:
        del lines["solution", i]
    kinds: tuple[DecisionKind, ...] = ("edit", "verdict")
    own = [
        read_decision(kind, i, {**body, "undone": False}) for kind in kinds for i, body in take_out(lines, kind).items()
    ]
    bodies = lines_of(lines, "solution")
    everything = dict(sorted({**bodies, **by_hand}.items()))
    given = {i: (body["status"], body.get("reason") or "") for i, body in everything.items()}
    for body in bodies.values():
        _restore_status(body)
    issues = {i: ISSUE.read(body, id=i) for i, body in lines_of(lines, "issue").items()}
    forest = Forest(issues.values())
    edited, marks = _separate_edits(everything, forest, now, published)
    own = sorted([*own, *(_read_by_hand(i, body) for i, body in by_hand.items())], key=order_in_file)
    solutions = {i: SOLUTION.read(body, id=i) for i, body in bodies.items()}
    known = published.decisions if published else Decisions()
    policy = ReviewPolicy.of_setting(lines.get(("setting", REVIEW)))
    before = apply_decisions(solutions, issues, _as_exported(own, known, marks, policy))
    after = apply_decisions(solutions, issues, _in_order([*own, *edited], policy))
    origins = {edit.solution_id: edit.origin for edit in edited}
    judged, lifted = _changed_statuses(given, before, after, forest, origins, verdict_date)
    return FileDecisions(tuple(own), (*edited, *judged), frozenset(lifted))


def _separate_edits(
    bodies: Mapping[str, dict[str, Any]], forest: Forest[Issue], now: str, published: Published | None
) -> tuple[list[Decision], dict[str, str]]:
    """Return an edit for each text that a person changed, and leave the text as it was built in its line.

    Where that is not known the changed text takes its place: such texts' marks are returned by the marks of the built.
    """
    edited, marks = [], {}
    for i, body in bodies.items():
        mark = text_mark(body["text"], body["steps"], quotes_in(body))
        if body.get("built") and body["built"] != mark:
            edit = _edit_of_changed(i, body, forest, now)
            base = published.decided.base.get(i) if published else None
            if built := _find_built(body, base):
                edit = _without_unchanged(edit, *built)
                body["text"], body["steps"] = built[0], list(built[1])
            else:
                edit = edit if all(step in edit.text for step in edit.steps) else replace(edit, steps=())
                marks[edit.built] = body["built"] = mark
            edited.append(edit)
        elif published is None:  # so that later changes of this line are known, whoever wrote it
            body["built"] = mark
    return edited, marks


def _as_exported(own: Iterable[Decision], ours: Decisions, marks: Mapping[str, str], policy: ReviewPolicy) -> Decisions:
    """Return a file's decisions as they were when it was exported, for the texts that it holds now."""
    known = {_key(one): one for one in ours.log}
    found = (known.get(_key(one), one) for one in own)
    return _in_order((replace(one, shown=marks.get(one.shown, one.shown), undone=False) for one in found), policy)


def _in_order(decisions: Iterable[Decision], policy: ReviewPolicy) -> Decisions:
    """Return decisions in the order in which they are given."""
    return Decisions.of((replace(one, number=number) for number, one in enumerate(decisions, 1)), policy)


def _read_by_hand(solution_id: str, body: Mapping[str, Any]) -> Decision:
    kept = {name: body.get(name) for name in ("text", "steps", "attributes", "rules")}
    return read_decision("written", solution_id, {**body["by_hand"], **kept})


def _restore_status(body: dict[str, Any]) -> None:
    """Give a solution's line the status of the build; one that a person judged without a build was displayed."""
    status, reason = body.pop("built_status", None), body.pop("built_reason", None)
    if status is not None:
        body |= {"status": status, "reason": reason or ""}
    elif body["status"] not in BUILT_STATUSES:
        body |= {"status": "displayed", "reason": ""}


def _edit_of_changed(solution_id: str, body: Mapping[str, Any], forest: Forest[Issue], now: str) -> Decision:
    built = str(body["built"])
    evidence = body.get("evidence") or [{}]
    origin = Origin(tree_of(str(body["issue_id"]), forest), str(evidence[0].get("document", "")), built)
    return new_edit(solution_id, body["text"], body["steps"], AUTHOR, now, origin=origin, based_on=built)


def _find_built(body: Mapping[str, Any], base: Solution | None) -> tuple[str, tuple[str, ...]] | None:
    """Return text and steps of a changed line as they were built, where its mark proves them."""
    text, quotes = body["text"], quotes_in(body)
    title = text.partition("\n")[0].strip()
    possible = [(text, steps_of(text, *given)) for given in ((), (title,), (title, body["steps"]))]
    if base is not None:
        possible.append((base.text, base.steps))
    return next((one for one in possible if text_mark(*one, quotes) == body["built"]), None)


def _without_unchanged(edit: Decision, text: str, steps: Sequence[str]) -> Decision:
    """Return an edit without its text or steps where a person changed only the other, which then gives both."""
    if edit.text == text:
        return replace(edit, text="")
    return replace(edit, steps=()) if edit.steps == tuple(steps) else edit


def _changed_statuses(
    given: Mapping[str, tuple[str, str]],
    before: Decided,
    after: Decided,
    forest: Forest[Issue],
    origins: Mapping[str, Origin],
    date: str,
) -> tuple[list[Decision], set[str]]:
    """Return a verdict for each status that a person set in the file, and the solutions whose verdicts one lifts.

    ``before`` are the solutions without the changes of the file, ``after`` those with its changed texts, whose
    ``origins`` are known.
    """
    judged: list[Decision] = []
    lifted: set[str] = set()
    for solution_id, (status, reason) in given.items():
        solution = before.solutions.get(solution_id)
        if solution is None or solution.status == status:
            continue
        if status in ("approved", "rejected", "hidden"):
            origin = origins.get(solution_id) or origin_of(before.base[solution_id], tree_of(solution.issue_id, forest))
            own_reason = "" if reason == solution.reason else reason
            judged.append(new_verdict(after.solutions[solution_id], status, AUTHOR, date, origin, own_reason))  # type: ignore[arg-type]
        elif solution_id in before.verdicts:
            lifted.add(before.verdicts[solution_id].solution_id)
    return judged, lifted


# -- into a workspace that holds something --------------------------------------------------------------------


# Complex: whether a decision is new, known or numbered anew depends on those that were taken before it.
def take_decisions(found: FileDecisions, published: Published, spec: DomainSpec, last_number: int) -> Taken:
    """Return what a workspace does not know yet, numbered after what it has, in the order of the file."""
    taken = Taken()
    forest = Forest(published.kb.issues.values())
    in_file = {_key(one) for one in found.lines}
    # What the file does not know though it is here can have come in by a file before, and be told by this one again.
    elsewhere = _by_contents(one for one in published.decisions.log if _key(one) not in in_file)
    edited: set[str] = set()
    for one, is_new in _not_here(found, published, taken):
        same = _find_same(one, elsewhere)
        if same is not None or (is_new and _is_shown(one, published, edited)):
            taken.leave(same, published)
            continue
        number = last_number + 1 + len(taken.decisions)
        if one.kind == "written":
            taken.decisions.append(replace(one, number=number))
            continue
        one = number_new(one, number) if is_new else replace(one, number=number)
        if one.kind == "edit":
            edited.add(one.solution_id)
        taken.decisions.append(place_decision(one, published.decided, forest, spec))
    taken.decisions += [
        found.lift(verdict)
        for verdict in published.decisions.of_kind("verdict")
        if verdict.solution_id in found.lifted and _key(verdict) in in_file and not verdict.undone
    ]
    return taken


def _not_here(found: FileDecisions, published: Published, taken: Taken) -> list[tuple[Decision, bool]]:
    """Return what a file tells otherwise than it is known here, and whether it has no line of its own there yet."""
    ours = {_key(one): one for one in published.decisions.log}
    told: list[tuple[Decision, bool]] = []
    for one in found.lines:
        known = ours.get(_key(one))
        if known is None:
            told.append((found.lift(one), False))
        elif _says(one) == _says(known):
            taken.leave(known, published)
        else:
            told.append((_new_of_changed(one, known), True))
    return [*told, *((change, True) for change in found.changes)]


def _key(decision: Decision) -> tuple[DecisionKind, str]:
    return decision.kind, decision.id


def _says(decision: Decision) -> tuple[object, ...]:
    """Return what a person may change in a decision's own line."""
    by_hand = decision.kind == "written"
    return () if by_hand else (decision.solution_id, decision.what, decision.text, decision.steps)


def _contents(decision: Decision) -> list[tuple[object, ...]]:
    """Return by what a decision is known again that a changed file told; nothing for those of commands.

    An edit is known by what it was made on, and by its text and steps or by the one of them that was changed. A verdict
    without a date is of an earlier version, whose exports told it by the solution's status alone.
    """
    if decision.kind == "edit" and decision.based_on:
        start = (decision.solution_id, decision.based_on)
        told = {(decision.text, decision.steps), (decision.text, ()), ("", decision.steps)} - {("", ())}
        return [(*start, *one) for one in sorted(told)]
    if decision.kind == "verdict" and (decision.author == AUTHOR or not decision.date):
        return [(decision.solution_id, decision.what, decision.shown)]
    return []


def _by_contents(decisions: Iterable[Decision]) -> dict[tuple[object, ...], Decision]:
    return {content: one for one in decisions for content in _contents(one)}


def _find_same(decision: Decision, by_contents: Mapping[tuple[object, ...], Decision]) -> Decision | None:
    return next((by_contents[content] for content in _contents(decision) if content in by_contents), None)


def _new_of_changed(line: Decision, known: Decision) -> Decision:
    """Return a decision whose own line a person changed in the file as the new decision that it is."""
    if line.kind == "edit":
        edit = _without_unchanged(line, known.text, known.steps)
        mark = text_mark(known.text, known.steps, ())
        return new_edit(line.solution_id, edit.text, edit.steps, AUTHOR, line.date, origin=line.origin, based_on=mark)
    return replace(line, author=AUTHOR)


def _is_shown(decision: Decision, published: Published, edited: Container[str] = ()) -> bool:
    """Return whether a solution has the text or the status here that a person gave it in a file.

    Of a solution that the file ``edited`` an approval here is for the text before.
    """
    if decision.kind == "written":
        return False
    solution = published.kb.solutions.get(decision.solution_id)
    if solution is None:
        return False
    if decision.kind == "verdict":
        is_outdated = decision.what == "approved" and solution.id in edited
        return solution.status == decision.what and not is_outdated
    given = edit_solution(published.decided.base[solution.id], decision)
    return (given.text, given.steps) == (solution.text, solution.steps)


def _named_undone(decision: Decision) -> Skipped:
    said = "has an edited text in the file" if decision.kind == "edit" else f"is {decision.what} in the file"
    command = {"edited": "edit", "approved": "approve", "rejected": "reject", "hidden": "hide"}[decision.what]
    reason = f"{said}, and that was taken back here since, which counts; to give it again, use: autokb {command}"
    return Skipped(f"solution {decision.solution_id}", reason)


# Complex: one branch for each thing that can be wrong or unchanged in a text that came back, with its own words.
def take_texts(name: str, found: ExportedTexts, published: Published, spec: DomainSpec, now: str, last: int) -> Taken:
    """Return the edits that a file for people tells; ``name`` is the file's, ``last`` the last number taken here."""
    solutions = published.kb.solutions
    forest = Forest(published.kb.issues.values())
    known = _by_contents(published.decisions.of_kind("edit"))
    taken = Taken(skipped=list(found.skipped))
    for solution_id, exported in found.texts.items():
        solution = solutions.get(solution_id)
        if solution is None:
            where = f"{name}: {solution_id or 'a row'}"
            taken.skipped.append(Skipped(where, "no solution has this id; it was not taken"))
            continue
        if not exported.text:
            reason = "its text is empty; to hide a solution, use: autokb hide"
            taken.skipped.append(Skipped(f"{name}: {solution_id}", reason))
            continue
        edit = new_edit(solution_id, exported.text, (), AUTHOR, now, based_on=exported.checksum)
        # Of a text that was shown before the present one the file may have come in then, and is not to undo the later.
        same = _find_same(edit, known)
        is_old = same is not None and (same.undone or exported.checksum != checksum(solution.text))
        if exported.is_untouched or exported.text == same_text(solution.text) or is_old:
            taken.unchanged += 1
            if same is not None and same.undone and exported.text != same_text(solution.text):
                taken.skipped.append(_named_undone(same))
            continue
        edit = number_new(edit, last + 1 + len(taken.decisions))
        taken.decisions.append(place_decision(edit, published.decided, forest, spec))
    if missing := len(solutions.keys() - found.texts.keys()):
        taken.skipped.append(Skipped(name, f"{missing} solutions are not in the file; they stay as they are"))
    return taken


# -- what a decision knows of its solution --------------------------------------------------------------------


def place_decision(decision: Decision, decided: Decided, forest: Forest[Issue], spec: DomainSpec) -> Decision:
    """Return an edit or verdict that knows the solution here, an edit with what the rules' patterns say of its text.

    One whose solution is not here keeps what it knows.
    """
    base = decided.base.get(decision.solution_id)
    if base is None:
        return decision
    placed = replace(decision, origin=origin_of(base, tree_of(base.issue_id, forest)))
    if placed.kind != "edit":
        return replace(placed, built="")
    return check_edit(replace(placed, built=decision.built or placed.origin.built), decided, spec)


def check_edit(edit: Decision, decided: Decided, spec: DomainSpec) -> Decision:
    """Return an edit with what the rules' patterns say of its text."""
    base = decided.base.get(edit.solution_id)
    return edit if base is None else replace(edit, rules=check_text(edit_solution(base, edit), spec))


def check_text(solution: Solution, spec: DomainSpec) -> tuple[Verdict, ...]:
    """Return what the rules' patterns say of a text that a person wrote; the next build asks the model as well.

    A rule whose pattern takes too long to say so counts as broken: what nobody could check is not shown.
    """
    title = solution_title(solution)

    def verdict(rule: Rule) -> Verdict:
        try:
            (found,) = verdicts_by_patterns([rule], title, solution.steps, solution.text, spec.language)
        except SlowPatternError as error:
            return Verdict(rule.id, "broken", str(error))
        return Verdict(found.rule, found.verdict, found.reason)

    return tuple(map(verdict, spec.rules))


def withheld_by_rules(taken: Taken, before: Published, after: Published) -> list[Skipped]:
    """Name the edited texts that were taken and are not shown, because they break a rule."""
    named = []
    for edit in taken.decisions:
        if edit.kind != "edit":
            continue
        solution = after.kb.solutions.get(edit.solution_id)
        old = before.kb.solutions.get(edit.solution_id)
        if solution is not None and solution.status == "withheld" and (old is None or old.status in DISPLAYED):
            named.append(Skipped(f"solution {solution.id}", f"its edit was taken but is not shown: {solution.reason}"))
    return named
