"""The AutoKB paper's sheets for people: solutions of three systems for one issue, rules and attributes to judge.

Two people fill them in without knowing whose work a line is, which the key beside a sheet says; it holds what people
saw, so that a judge reads the same words even after another build. The first annotator answers every line, the second
those of a tenth of the groups, as in the paper.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from autokb.core.attributes import Attributes
from autokb.core.domain import Attribute, DomainSpec
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.files import write_file
from autokb.core.forest import Forest
from autokb.core.ids import digest, short_id
from autokb.core.nouns import DISPLAYED, Chunk, Issue, RawIssue, Solution
from autokb.core.solution_text import solution_title
from autokb.core.test_sets import read_test_set
from autokb.pipeline.stages import open_stages, without_models
from autokb.plugins.lab.evaluation.quality.annotation import ANNOTATED_TWICE
from autokb.plugins.lab.evaluation.report import Cell, Table
from autokb.plugins.lab.evaluation.retrieval.baselines import index_chunks, nearest_chunks
from autokb.plugins.lab.evaluation.sheets import (
    ANNOTATORS,
    YES_NO,
    has_marks,
    key_path,
    read_key,
    read_rows,
    sheet_text,
)
from autokb.plugins.lab.studies.papers import NEEDS_PEOPLE, PaperRun, PaperTables
from autokb.plugins.lab.studies.papers.autokb_judge import PaperJudge, Subject, raw_solution
from autokb.retrieval.read_question import read_values
from autokb.text.plain_text import plain_text

FILLED_IN = ("item", "annotator", "answer")
GROUP = "group"  # what a line belongs to, in every key: an issue, a solution, a text
Hidden = Mapping[str, str | Sequence[str]]
Answer = TypeVar("Answer", bool, str, tuple[str, ...])
UNAIDED, RAW, AUTOKB = "LLM-WK", "Raw", "AutoKB"
CORRECTNESS, RULES, ATTRIBUTES = "correctness", "rules", "attributes"
MOST_NODES = 50  # on the sheet of correctness, each with a solution of every system
MOST_RULED = 20  # of these nodes, whose solutions people hold against every rule
MOST_READ = 30  # raw issues whose attributes people read
HOW = "autokb evaluate paper autokb WORKSPACE --sheets FOLDER, fill in {sheet}.csv, then --read FOLDER"
NEEDS_SHEET = {name: NEEDS_PEOPLE.format(how=HOW.format(sheet=name)) for name in (CORRECTNESS, RULES, ATTRIBUTES)}
VERDICTS = {
    **dict.fromkeys(("kept", "yes"), "kept"),
    **dict.fromkeys(("broken", "no"), "broken"),
    **dict.fromkeys(("not applicable", "n/a", "na"), "not applicable"),
}
NOT_SAID = ("not said", "-", "–", "—")
CORRECT_FIELDS = (GROUP, "system", "tree")
RULE_FIELDS = (GROUP, "rule", "rule_text", "title", "steps", "text")
ATTRIBUTE_FIELDS = (GROUP, "attribute", "text")


@dataclass(frozen=True, slots=True)
class SystemSolution:
    """What a system has for a node: AutoKB its best solution, Raw the nearest chunk, LLM-WK what a model knows.

    ``quotes`` are what the documents say of the issue, the same for all systems; people do not see them.
    """

    system: str
    node: Issue
    tree: str
    solution: Solution
    quotes: tuple[str, ...]

    @property
    def item(self) -> str:
        """The item on the sheet; other words are another item."""
        return short_id("s", self.system, self.node.text, self.solution.text)

    @property
    def title(self) -> str:
        """The first line; of a chunk the first of its plain text."""
        return self.shown.partition("\n")[0] if self.system == RAW else solution_title(self.solution)

    @property
    def steps(self) -> tuple[str, ...]:
        """What follows the title."""
        if self.system != RAW:
            return self.solution.steps
        return tuple(line for line in self.shown.split("\n")[1:] if line.strip())

    @property
    def shown(self) -> str:
        """What people read: without marks, by which one would know a chunk."""
        return plain_text(self.solution.text, images=False)


@dataclass
class PaperSheets:
    """The sheets of a run's workspaces: written to ``run.sheets``, read from ``run.filled``."""

    run: PaperRun
    judge: PaperJudge
    _solutions: dict[str, list[SystemSolution]] = field(default_factory=dict)

    def solutions(self, subject: Subject) -> list[SystemSolution]:
        """Return the solutions of all systems for the same nodes; those of a model only where one judges."""
        key = str(subject.workspace.folder)
        if key not in self._solutions:
            self._solutions[key] = list(system_solutions(subject, self.judge))
        return self._solutions[key]

    def write(self, subjects: Sequence[Subject], folder: Path) -> Table:
        """Write the three sheets of each workspace into a folder of its name, and say how many lines they have."""
        rows = {}
        for subject in subjects:
            solutions = self.solutions(subject)
            sheets = {
                CORRECTNESS: [_correctness_line(one) for one in solutions],
                RULES: list(_rule_lines(solutions, subject.spec)),
                ATTRIBUTES: list(_attribute_lines(subject.raw_issues.values(), subject.spec)),
            }
            write_sheets(folder / _name(subject), sheets)
            for name, lines in sheets.items():
                counts = (len(lines), len({line.group for line in lines}))
                rows[f"{_name(subject)}/{name}.csv"] = [Cell(count) for count in counts]
        return PaperTables("autokb").table("sheets", rows)

    def correctness(self, subject: Subject) -> FilledSheet[bool] | None:
        """Return who says which solution is correct; None without a filled sheet."""
        return self._read(subject, CORRECTNESS, CORRECT_FIELDS, partial(_read_word, YES_NO, "yes or no"))

    def rules(self, subject: Subject) -> FilledSheet[str] | None:
        """Return which rules people see kept or broken."""
        read = partial(_read_word, VERDICTS, "kept, broken or not applicable")
        return self._read(subject, RULES, RULE_FIELDS, read)

    def attributes(self, subject: Subject) -> FilledSheet[tuple[str, ...]] | None:
        """Return which values people read, none where nothing is said."""
        return self._read(subject, ATTRIBUTES, ATTRIBUTE_FIELDS, partial(_read_attribute, subject.spec))

    def labels(self, subject: Subject) -> Sequence[LabelledText]:
        """Return labels of whole texts, which stand beside the sheets as ``attributes.jsonl`` where there are some."""
        path = self._folder(subject) / f"{ATTRIBUTES}.jsonl" if self.run.filled else None
        if path is None or not path.exists():
            return ()
        example = '{"id": "1", "text": "…", "attributes": {"os": ["iOS"]}}'
        return read_test_set(path, partial(_read_label, subject.spec), "text", "texts", example)

    def check(self, subjects: Sequence[Subject]) -> None:
        """Refuse workspaces of one name, and a folder in which nothing is filled in (BadInputError)."""
        names = [_name(subject) for subject in subjects]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise BadInputError(f"Two workspaces are called {twice}, so their sheets would be too; measure one a run.")
        if self.run.filled is None:
            return
        if not self.run.filled.is_dir():
            raise BadInputError(f"{self.run.filled} is no folder; name the one that --sheets has written.")
        parts: list[Callable[[Subject], object]] = [self.correctness, self.rules, self.attributes, self.labels]
        if not any(read(subject) for subject in subjects for read in parts):
            raise BadInputError(
                f"{self.run.filled} holds no answers to {', '.join(names)}; fill in the column answer of a sheet that "
                "--sheets has written, and keep its folder and its key."
            )

    def _read(
        self, subject: Subject, name: str, fields: Sequence[str], read: Callable[[str, Hidden], Answer]
    ) -> FilledSheet[Answer] | None:
        if self.run.filled is None:
            return None
        return read_filled(self._folder(subject) / f"{name}.csv", fields, read)

    def _folder(self, subject: Subject) -> Path:
        assert self.run.filled is not None, "nothing is read without a folder"
        return self.run.filled / _name(subject)


def _name(subject: Subject) -> str:
    return subject.workspace.folder.resolve().name


# -- solutions of three systems ---------------------------------------------------------------------------------------


# Complex: what the systems have for a node is sought in one look at it.
def system_solutions(subject: Subject, judge: PaperJudge) -> Iterator[SystemSolution]:
    """Give what each system has for an even sample of the nodes with displayed solutions, the same one each time."""
    best: dict[str, Solution] = {}
    for solution in sorted(subject.kb.solutions.values(), key=lambda s: (s.rank, s.id)):
        if solution.status in DISPLAYED and solution.issue_id in subject.kb.issues:
            best.setdefault(solution.issue_id, solution)
    forest = Forest(subject.kb.issues.values())
    nodes = [subject.kb.issues[node] for node in sorted(best, key=lambda node: digest("sheet", node))[:MOST_NODES]]
    texts = {node.id: node.text for node in nodes}
    chunks = _nearest_chunks(subject, list(dict.fromkeys(texts.values())))
    solved = judge.solve(subject, texts)
    for node in nodes:
        tree, chunk = forest.root(node.id).id, chunks.get(node.text)
        found = {AUTOKB: best[node.id]}
        if chunk is not None:
            found[RAW] = raw_solution(chunk, subject)
        if not isinstance(solved, str) and solved.get(node.id):
            found[UNAIDED] = solved[node.id][0]
        said = [evidence.quote for evidence in best[node.id].evidence]
        quotes = tuple(dict.fromkeys([*said, *([chunk.text] if chunk else [])]))
        yield from (SystemSolution(system, node, tree, solution, quotes) for system, solution in found.items())


def _nearest_chunks(subject: Subject, texts: Sequence[str]) -> Mapping[str, Chunk]:
    """Return the chunk that plain cosine search finds first for each text."""
    by_id = {chunk.id: chunk for chunk in subject.chunks}
    workspace = without_models(subject.workspace)
    with workspace.file() as file, open_stages(workspace, file) as stages:
        index = index_chunks(subject.kb.documents, subject.chunks, stages.embed, language=subject.spec.language)
        find = nearest_chunks(index, dict(zip(texts, stages.embed(texts), strict=True)).__getitem__)
        return {text: by_id[found[0]] for text in texts if (found := find(text))}


# -- lines ------------------------------------------------------------------------------------------------------------


def _correctness_line(one: SystemSolution) -> SheetLine:
    return SheetLine(
        one.item,
        {"issue": one.node.text, "solution": one.shown, "write": "yes or no: is the solution correct for the issue?"},
        {GROUP: one.node.id, "system": one.system, "tree": one.tree},
    )


def _rule_lines(solutions: Sequence[SystemSolution], spec: DomainSpec) -> Iterator[SheetLine]:
    """Give a line for each rule and each text among the solutions of the first nodes: rules are about words alone."""
    chosen = set(list(dict.fromkeys(one.node.id for one in solutions))[:MOST_RULED])
    for one in {one.shown: one for one in reversed(solutions) if one.node.id in chosen}.values():
        words = short_id("w", one.shown)
        for rule in spec.rules:
            yield SheetLine(
                short_id("r", words, rule.id, rule.text),
                {
                    "issue": one.node.text,
                    "solution": one.shown,
                    "rule": rule.text,
                    "write": "kept, broken or not applicable",
                },
                {
                    GROUP: words,
                    "rule": rule.id,
                    "rule_text": rule.text,
                    "title": one.title,
                    "steps": one.steps,
                    "text": one.shown,
                },
            )


def _attribute_lines(issues: Iterable[RawIssue], spec: DomainSpec) -> Iterator[SheetLine]:
    """Give a line for each attribute of an even sample of the raw issues, equal texts once."""
    texts = sorted({issue.full_text for issue in issues}, key=lambda text: digest("sheet", text))[:MOST_READ]
    for text in texts:
        for attribute in spec.attributes.values():
            yield SheetLine(
                short_id("a", text, attribute.name),
                {"text": text, "attribute": attribute.name, "write": _allowed(attribute)},
                {GROUP: short_id("t", text), "attribute": attribute.name, "text": text},
            )


def _allowed(attribute: Attribute) -> str:
    named = ", ".join(attribute.values) if attribute.values else f"such as {', '.join(attribute.examples)}"
    return (
        f"what the text says, several with a semicolon: {named}; Any where it says that it holds for all, NONE where "
        f"it says that there is none; {NOT_SAID[0]} where it says nothing"
    )


# -- answers ----------------------------------------------------------------------------------------------------------


def _read_word(allowed: Mapping[str, Answer], says: str, answer: str, _hidden: Hidden) -> Answer:
    if answer.casefold() not in allowed:
        raise BadInputError(f"{answer!r}; write {says}.")
    return allowed[answer.casefold()]


def _read_attribute(spec: DomainSpec, answer: str, hidden: Hidden) -> tuple[str, ...]:
    """Read values of the item's attribute, or none for what is not said."""
    name = str(hidden["attribute"])
    if answer.casefold() in NOT_SAID:
        return ()
    try:
        values = read_values(spec, {name: [part.strip() for part in answer.split(";") if part.strip()]})
    except BadInputError as error:
        raise BadInputError(f"{error} Write {NOT_SAID[0]} where the text says nothing of it.") from error
    return tuple(sorted(values.get(name, ())))


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text with all the values that people read in it; what has none is not said."""

    id: str
    text: str
    values: Attributes


def _read_label(spec: DomainSpec, record: Mapping[str, Any], where: str) -> LabelledText:
    text, given = record.get("text"), record.get("attributes")
    if not record.get("id") or not isinstance(text, str) or not isinstance(given, dict):
        raise BadInputError(f"{where} needs id, text and attributes.")
    if not all(isinstance(values, list) and all(isinstance(v, str) for v in values) for values in given.values()):
        raise BadInputError(f"{where}: attributes are lists of values.")
    try:
        return LabelledText(str(record["id"]), text, read_values(spec, given))
    except BadInputError as error:
        raise BadInputError(f"{where}: {error}") from error


# -- the files -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SheetLine:
    """What people see of one item by column, and what the key alone says: whose it is, and its ``group``.

    An ``item`` begins with a letter, for a spreadsheet makes a number of what looks like one.
    """

    item: str
    shown: Mapping[str, str]
    hidden: Hidden

    @property
    def group(self) -> str:
        """What it belongs to: lines of one group stand together, and both annotators get all of them or one does."""
        return str(self.hidden[GROUP])


@dataclass(frozen=True, slots=True)
class FilledSheet(Generic[Answer]):
    """What people answered, by item and annotator, and what the key says of these items."""

    answers: Mapping[str, Mapping[str, Answer]]
    hidden: Mapping[str, Hidden]


def write_sheets(folder: Path, sheets: Mapping[str, Sequence[SheetLine]]) -> None:
    """Write each sheet as ``NAME.csv`` with its key; the same lines leave a sheet as it is, with what is filled in.

    BadInputError where a sheet of other lines has answers; then none is written.
    """
    keys = {folder / f"{name}.csv": _key_text(lines) for name, lines in sheets.items()}
    new = {path: lines for path, lines in zip(keys, sheets.values(), strict=True) if not _is_written(path, keys[path])}
    for path in new:
        if path.exists() and has_marks(path, FILLED_IN[:-1], FILLED_IN[-1:]):
            raise BadInputError(
                f"{path} is filled in, and its lines are no longer those of the knowledge base; read it first "
                "(--read), and name a new folder for the new sheets."
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AutokbError(f"{folder} cannot be made ({error.strerror}).") from error
    for path, lines in new.items():
        write_file(path, _sheet(lines))
        write_file(key_path(path), keys[path])


def _key_text(lines: Iterable[SheetLine]) -> str:
    items = {line.item: line.hidden for line in sorted(lines, key=lambda line: line.item)}
    return json.dumps({"items": items}, ensure_ascii=False, indent=1) + "\n"


def _is_written(path: Path, key: str) -> bool:
    place = key_path(path)
    return path.exists() and place.is_file() and place.read_bytes() == key.encode()


def _sheet(lines: Sequence[SheetLine]) -> str:
    """Return the CSV: groups and the lines in them in an order that says nothing, the same one each time."""
    groups = sorted({line.group for line in lines}, key=lambda group: digest("group", group))
    place = {group: n for n, group in enumerate(groups)}
    twice = set(groups[: math.ceil(len(groups) * ANNOTATED_TWICE)])
    ordered = sorted(lines, key=lambda line: (place[line.group], digest("line", line.item)))
    columns = tuple(ordered[0].shown) if ordered else ()
    rows = (
        (line.item, annotator, "", *(line.shown[column] for column in columns))
        for annotator in ANNOTATORS
        for line in ordered
        if annotator == ANNOTATORS[0] or line.group in twice
    )
    return sheet_text((*FILLED_IN, *columns), rows)


# Complex: each test names the cell that it is of, in the order in which a person would look at it.
def read_filled(path: Path, fields: Sequence[str], read: Callable[[str, Hidden], Answer]) -> FilledSheet[Answer] | None:
    """Return what a sheet says, None where it is not there or nobody has answered anything.

    ``fields`` are what its key holds of each item; ``read`` reads an answer, or raises BadInputError with what is
    allowed. BadInputError names file, row (as a spreadsheet counts them) and column.
    """
    if not path.exists():
        return None
    hidden = read_key(path, partial(_hidden_of, fields))
    answers: dict[str, dict[str, Answer]] = {}
    for number, (_, row) in enumerate(read_rows(path, FILLED_IN), 2):
        item, annotator, answer = (row[column] for column in FILLED_IN)
        if not any((item, annotator, answer)):
            continue
        where = f"{path}, row {number}, column"
        if item not in hidden:
            raise BadInputError(f"{where} item: {item!r} is not in the key of the sheet; keep the items as written.")
        if annotator not in ANNOTATORS:
            raise BadInputError(f"{where} annotator: {annotator!r}; write {' or '.join(ANNOTATORS)}.")
        if not answer:
            continue
        given = answers.setdefault(item, {})
        if annotator in given:
            raise BadInputError(f"{where} answer: annotator {annotator} has answered {item} before; leave one answer.")
        try:
            given[annotator] = read(answer, hidden[item])
        except BadInputError as error:
            raise BadInputError(f"{where} answer: {error}") from error
    return FilledSheet(answers, {item: hidden[item] for item in answers}) if answers else None


def _hidden_of(fields: Sequence[str], key: Any) -> dict[str, Hidden]:
    items = key["items"]
    found: dict[str, Hidden] = {str(item): {field: body[field] for field in fields} for item, body in items.items()}
    if not all(_is_text(value) for body in found.values() for value in body.values()):
        raise ValueError("a field is neither a text nor a list of texts")
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value))
