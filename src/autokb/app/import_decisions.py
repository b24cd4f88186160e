"""What people decided, as an export's lines or edited texts tell it, and how a workspace takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from autokb.app.edited_exports import ExportedTexts
from autokb.app.export_kb import same_text
from autokb.app.jsonl_schema import BUILT_STATUSES, Lines
from autokb.core.decisions import (
    D,
    Decided,
    Decision,
    Decisions,
    apply_decisions,
    edit_solution,
    new_edit,
    new_verdict,
    origin_of,
    text_mark,
    tree_of,
)
from autokb.core.domain import DomainSpec, Rule
from autokb.core.forest import Forest
from autokb.core.ids import short_id
from autokb.core.nouns import (
    DISPLAYED,
    Edit,
    HandWritten,
    HumanVerdict,
    Issue,
    Origin,
    Skipped,
    Solution,
    Verdict,
)
from autokb.core.timed_patterns import SlowPatternError
from autokb.heuristics.rules import verdicts_by_patterns
from autokb.issues.wording import solution_title
from autokb.stores.codecs import ISSUE, SOLUTION, read_edit, read_hand_written, read_human_verdict
from autokb.stores.published import Published

AUTHOR = "import"  # of a decision that a changed line of a file tells


@dataclass(frozen=True, slots=True)
class FileDecisions:
    """The decisions in a file in the order that it gives them, those last that only its changed lines tell.

    ``lifted`` are ids of verdicts in the file whose solution's line has the status of the build again,
    ``told_by_changes`` counts the decisions without a line of their own.
    """

    decisions: tuple[Decision, ...]
    told_by_changes: int = 0
    lifted: frozenset[str] = frozenset()


@dataclass(slots=True)
class Taken:
    """What a workspace takes of a file's decisions, with their numbers here."""

    edits: dict[str, Edit] = field(default_factory=dict)
    verdicts: dict[str, HumanVerdict] = field(default_factory=dict)
    written: dict[str, HandWritten] = field(default_factory=dict)
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.edits) + len(self.verdicts) + len(self.written)


# -- out of a file --------------------------------------------------------------------------------------------


def separate_decisions(lines: Lines, now: str, verdict_date: str) -> FileDecisions:
    """Take the decisions of people out of an export's lines, and leave the solutions as they were built.

    A changed text is an edit, a changed status a verdict (or lifts the one that the file holds).
    """
    by_hand = {key: lines.pop(key) for key, body in list(lines.items()) if key[0] == "solution" and body.get("by_hand")}
    written = [_read_by_hand(i, body) for (_, i), body in by_hand.items()]
    edits = [read_edit(i, _own(lines.pop(k))) for k in list(lines) if k[0] == "edit" for i in [k[1]]]
    verdicts = [read_human_verdict(i, _own(lines.pop(k))) for k in list(lines) if k[0] == "verdict" for i in [k[1]]]
    given = {
        i: (body["status"], body.get("reason") or "")
        for (kind, i), body in sorted({**lines, **by_hand}.items())
        if kind == "solution"
    }
    for (kind, _), body in lines.items():
        if kind == "solution":
            _restore_status(body)
    issues = {i: ISSUE.read(body, id=i) for (kind, i), body in lines.items() if kind == "issue"}
    forest = Forest(issues.values())
    changed = [
        _edit_of_changed(i, body, forest, now)
        for (kind, i), body in sorted({**lines, **by_hand}.items())
        if kind == "solution" and body.get("built") and body["built"] != text_mark(body["text"], body["steps"])
    ]
    decisions = Decisions(
        tuple(sorted((*edits, *changed), key=_order)), tuple(sorted(verdicts, key=_order)), tuple(written)
    )
    solutions = {i: SOLUTION.read(body, id=i) for (kind, i), body in lines.items() if kind == "solution"}
    decided = apply_decisions(solutions, issues, decisions)
    judged, lifted = _changed_statuses(given, decided, forest, verdict_date)
    found: list[Decision] = sorted([*edits, *verdicts, *written], key=_order)
    return FileDecisions((*found, *changed, *judged), len(changed) + len(judged), frozenset(lifted))


def _own(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a decision's fields without nulls, and whether rules and origin are missing like any other."""
    return {name: value for name, value in body.items() if value is not None and name != "undone"}


def _order(decision: Decision) -> tuple[bool, int, str, str]:
    """Order by the numbers of the file; what has none comes last, by its date."""
    return decision.number == 0, decision.number, decision.date, decision.id


def _read_by_hand(solution_id: str, body: Mapping[str, Any]) -> HandWritten:
    names = {name: value for name, value in body["by_hand"].items() if value is not None}
    kept = {name: body[name] for name in ("text", "steps", "attributes")}
    return read_hand_written(solution_id, {**kept, **names, "rules": body.get("rules") or []})


def _restore_status(body: dict[str, Any]) -> None:
    """Give a solution's line the status of the build; one that a person judged without a build was displayed."""
    status, reason = body.pop("built_status", None), body.pop("built_reason", None)
    if status is not None:
        body |= {"status": status, "reason": reason or ""}
    elif body["status"] not in BUILT_STATUSES:
        body |= {"status": "displayed", "reason": ""}


def _edit_of_changed(solution_id: str, body: Mapping[str, Any], forest: Forest[Issue], now: str) -> Edit:
    built = str(body["built"])
    evidence = body.get("evidence") or [{}]
    origin = Origin(tree_of(str(body["issue_id"]), forest), str(evidence[0].get("document", "")), built)
    return new_edit(solution_id, body["text"], body["steps"], AUTHOR, now, origin=origin, based_on=built)


def _changed_statuses(
    given: Mapping[str, tuple[str, str]], decided: Decided, forest: Forest[Issue], date: str
) -> tuple[list[HumanVerdict], list[str]]:
    """Return a verdict for each status that a person set in the file, and the ids of verdicts that one lifts."""
    judged, lifted = [], []
    for solution_id, (status, reason) in given.items():
        solution = decided.solutions.get(solution_id)
        if solution is None or solution.status == status:
            continue
        if status in ("approved", "rejected", "hidden"):
            origin = origin_of(decided.base[solution_id], tree_of(solution.issue_id, forest))
            own_reason = "" if reason == solution.reason else reason
            judged.append(new_verdict(solution, status, AUTHOR, date, origin, own_reason))  # type: ignore[arg-type]
        elif solution_id in decided.verdicts:
            lifted.append(decided.verdicts[solution_id].id)
    return judged, lifted


# -- into a workspace that holds something --------------------------------------------------------------------


def take_decisions(found: FileDecisions, published: Published, spec: DomainSpec, last_number: int) -> Taken:
    """Return what a workspace does not know yet, numbered after what it has, in the order of the file."""
    taken = Taken()
    ours = published.decisions
    forest = Forest(published.kb.issues.values())
    edits, verdicts = {e.id: e for e in ours.edits}, {v.id: v for v in ours.verdicts}
    written = {w.id for w in ours.written}
    for one in found.decisions:
        number = last_number + 1 + len(taken)
        if isinstance(one, Edit):
            edit = _renamed_if_changed(one, edits)
            if edit.id in edits or _is_edit_known(edit, published):
                taken.unchanged += 1
            else:
                taken.edits[edit.id] = replace(with_origin(edit, published.decided, forest), number=number)
        elif isinstance(one, HumanVerdict):
            verdict = _verdict_renamed_if_changed(one, verdicts)
            if verdict.id in verdicts or _is_verdict_known(verdict, published):
                taken.unchanged += 1
            else:
                taken.verdicts[verdict.id] = replace(with_origin(verdict, published.decided, forest), number=number)
        elif one.id in written:
            taken.unchanged += 1
        else:
            taken.written[one.id] = replace(one, number=number)
    for verdict in ours.verdicts:
        if verdict.id in found.lifted and not verdict.undone:
            taken.verdicts[verdict.id] = replace(verdict, undone=True)
    taken.edits = {i: check_edit(e, published.decided, spec) for i, e in taken.edits.items()}
    return taken


def _renamed_if_changed(edit: Edit, ours: Mapping[str, Edit]) -> Edit:
    """Return an edit whose own line a person changed in the file as the new edit that it is."""
    known = ours.get(edit.id)
    if known is None or _says(known) == _says(edit):
        return edit
    return new_edit(edit.solution_id, edit.text, edit.steps, AUTHOR, edit.date)


def _verdict_renamed_if_changed(verdict: HumanVerdict, ours: Mapping[str, HumanVerdict]) -> HumanVerdict:
    known = ours.get(verdict.id)
    if known is None or (known.solution_id, known.verdict) == (verdict.solution_id, verdict.verdict):
        return verdict
    parts = (verdict.solution_id, verdict.verdict, AUTHOR, verdict.date, verdict.shown)
    return replace(verdict, id=short_id("verdict", *parts), author=AUTHOR)


def _says(edit: Edit) -> tuple[str, str, tuple[str, ...]]:
    return edit.solution_id, edit.text, edit.steps


def _is_edit_known(edit: Edit, published: Published) -> bool:
    """Return whether a text that was changed in a file is shown here, or came in with that file before."""
    if not edit.based_on:
        return False
    if any(_says(e) == _says(edit) and e.based_on == edit.based_on for e in published.decisions.edits):
        return True
    solution, base = published.kb.solutions.get(edit.solution_id), published.decided.base.get(edit.solution_id)
    if solution is None or base is None:
        return False
    edited = edit_solution(base, edit)
    return (edited.text, edited.steps) == (solution.text, solution.steps)


def _is_verdict_known(verdict: HumanVerdict, published: Published) -> bool:
    """Return whether a status that was changed in a file is that of the solution here, or came in with it before."""
    if verdict.author != AUTHOR:
        return False
    solution = published.kb.solutions.get(verdict.solution_id)
    names = (AUTHOR, verdict.solution_id, verdict.verdict, verdict.shown)
    before = {(v.author, v.solution_id, v.verdict, v.shown) for v in published.decisions.verdicts}
    return names in before or (solution is not None and solution.status == verdict.verdict)


def take_texts(name: str, found: ExportedTexts, published: Published, spec: DomainSpec, now: str, last: int) -> Taken:
    """Return the edits that a file for people tells; ``name`` is the file's, ``last`` the last number taken here."""
    solutions = published.kb.solutions
    forest = Forest(published.kb.issues.values())
    taken = Taken(skipped=list(found.skipped))
    for solution_id, exported in found.texts.items():
        solution = solutions.get(solution_id)
        if solution is None:
            where = f"{name}: {solution_id or 'a row'}"
            taken.skipped.append(Skipped(where, "no solution has this id; it was not taken"))
        elif not exported.text:
            reason = "its text is empty; to hide a solution, use: autokb hide"
            taken.skipped.append(Skipped(f"{name}: {solution_id}", reason))
        elif exported.is_untouched or exported.text == same_text(solution.text):
            taken.unchanged += 1
        else:
            edit = new_edit(solution_id, exported.text, (), AUTHOR, now, based_on=exported.checksum)
            if _is_edit_known(edit, published):
                taken.unchanged += 1
                continue
            edit = replace(with_origin(edit, published.decided, forest), number=last + 1 + len(taken))
            taken.edits[edit.id] = check_edit(edit, published.decided, spec)
    if missing := len(solutions.keys() - found.texts.keys()):
        taken.skipped.append(Skipped(name, f"{missing} solutions are not in the file; they stay as they are"))
    return taken


# -- what a decision knows of its solution --------------------------------------------------------------------


def with_origin(decision: D, decided: Decided, forest: Forest[Issue]) -> D:
    """Return an edit or verdict that knows the solution here; one whose solution is not here keeps what it knows."""
    base = decided.base.get(decision.solution_id)
    if base is None:
        return decision
    origin = origin_of(base, tree_of(base.issue_id, forest))
    if isinstance(decision, Edit):
        return replace(decision, origin=origin, built=origin.built)
    return replace(decision, origin=origin)


def check_edit(edit: Edit, decided: Decided, spec: DomainSpec) -> Edit:
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
    for edit in taken.edits.values():
        solution = after.kb.solutions.get(edit.solution_id)
        old = before.kb.solutions.get(edit.solution_id)
        if solution is not None and solution.status == "withheld" and (old is None or old.status in DISPLAYED):
            named.append(Skipped(f"solution {solution.id}", f"its edit was taken but is not shown: {solution.reason}"))
    return named
