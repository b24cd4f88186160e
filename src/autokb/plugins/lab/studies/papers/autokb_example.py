"""Figure 4 of the AutoKB paper: one issue's solutions side by side, what they break and what they name marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from autokb.core.attributes import ANY
from autokb.core.nouns import DISPLAYED, Chunk, Issue, Solution
from autokb.core.regex_timeout import SlowPatternError
from autokb.heuristics.rules import find_breach
from autokb.plugins.lab.evaluation.papers.tables import Cell, PaperTable
from autokb.plugins.lab.evaluation.quality.measures import solution_verdicts
from autokb.plugins.lab.studies.papers.autokb_figures import named_values
from autokb.plugins.lab.studies.papers.autokb_judge import PaperJudge, raw_solution
from autokb.plugins.lab.studies.papers.autokb_sheets import AUTOKB, RAW, UNAIDED
from autokb.plugins.lab.studies.papers.autokb_subject import Subject
from autokb.text.control_characters import for_terminal
from autokb.text.lexicon import lexicon
from autokb.text.plain_text import plain_text
from autokb.text.words import normalized, split_words


def example_table(subject: Subject, judge: PaperJudge) -> PaperTable | None:
    """Figure 4: what one child issue is answered by each, with the rules it breaks and the values it names."""
    shown = _example(subject)
    if shown is None:
        return None
    issue, own = shown
    chunk, solved = _chunk_of(own, subject), judge.solved(subject)
    found: dict[str, Solution | str] = {
        AUTOKB: own,
        RAW: NO_CHUNK if chunk is None else raw_solution(chunk, subject),
        UNAIDED: solved if isinstance(solved, str) else _unaided(issue, subject, solved) or NO_RAW_ISSUE,
    }
    return PaperTable(
        f"Figure 4: one issue of {subject.name}: {issue.text}",
        tuple(found),
        ("solution", "rules that it breaks", "values that it names"),
        tuple(_example_cells(one, subject) for one in found.values()),
        note="An example and no measure: of the child issues whose chunk breaks a rule, where there are any, the one "
        "whose solution names the most values. In the picture words that break a rule are red and underlined, words "
        "that name a value of the solution green and bold.",
        pictures=(draw_beside({name: _marked(one, subject) for name, one in found.items()}),),
    )


def _example(subject: Subject) -> tuple[Issue, Solution] | None:
    """Return the child issue whose shown solution names the most values, first of those whose chunk breaks a rule."""
    issues = subject.kb.issues
    shown = [
        solution
        for solution in subject.kb.solutions.values()
        if solution.status in DISPLAYED and solution.evidence and solution.issue_id in issues
        if issues[solution.issue_id].parent_id is not None
    ]
    breaking = [
        one for one in shown if (chunk := _chunk_of(one, subject)) and _broken(raw_solution(chunk, subject), subject)
    ]
    best = min(breaking or shown, key=lambda one: (-_limited(one), one.id), default=None)
    return None if best is None else (issues[best.issue_id], best)


def _limited(solution: Solution) -> int:
    return sum(values != ANY for values in solution.attributes.values())


def _broken(solution: Solution, subject: Subject) -> list[str]:
    """Return the rules that a solution breaks."""
    verdicts = solution_verdicts(solution, subject.spec.rules, subject.spec.language)
    return [f"{rule.id}: {rule.text}" for rule in subject.spec.rules if verdicts.get(rule.id) == "broken"]


def _example_cells(solution: Solution | str, subject: Subject) -> tuple[Cell, ...]:
    if isinstance(solution, str):
        return (Cell(missing=solution),) * 3
    broken = "; ".join(_broken(solution, subject))
    return Cell(solution.text), Cell(broken or "none"), Cell(named_values(solution.attributes) or "none")


def _chunk_of(solution: Solution, subject: Subject) -> Chunk | None:
    """Return the chunk that holds what a solution cites first."""
    place = solution.evidence[0]
    of_document = (chunk for chunk in subject.chunks if chunk.document == place.document)
    return next((c for c in of_document if any(s < place.end and place.start < e for s, e in c.spans)), None)


def _unaided(issue: Issue, subject: Subject, solved: Mapping[str, Sequence[Solution]]) -> Solution | None:
    """Return what the model solves of the first raw issue behind a node or the one above it."""
    parent = subject.kb.issues.get(issue.parent_id or "")
    of_tree = (*issue.raw_issues, *(parent.raw_issues if parent else ()))
    return next((solved[raw][0] for raw in of_tree if raw in solved), None)


# -- the picture ------------------------------------------------------------------------------------------------------

NO_CHUNK = "no chunk holds what the solution cites"
NO_RAW_ISSUE = "the model solved no raw issue of this tree"
COLUMN, GAP, LINE = 330, 12, 16  # px: width of a column, between two columns, height of a line
LETTERS = 44  # of a line in a column
LINES = 30  # of a column
BROKEN, NAMED = "broken", "named"
STYLES = {  # how a marked word looks: never by its colour alone
    BROKEN: ' fill="#a3161a" text-decoration="underline"',
    NAMED: ' fill="#17692f" font-weight="bold"',
    "": "",
}


@dataclass(frozen=True, slots=True)
class MarkedWord:
    """A word as it is drawn, and why it is marked, if it is."""

    text: str
    mark: str = ""


def _marked(solution: Solution | str, subject: Subject) -> list[list[MarkedWord]]:
    """Return a solution line by line, the words marked that break a rule or name one of its values."""
    if isinstance(solution, str):
        return [[MarkedWord(word) for word in solution.split()]]
    lines = plain_text(solution.text, images=False).split("\n")
    return [_marked_words(normalized(line), solution, subject) for line in lines if line.strip()]


def _marked_words(line: str, solution: Solution, subject: Subject) -> list[MarkedWord]:
    named, broken = list(_named_spans(line, solution, subject)), list(_broken_spans(line, subject))
    found, end = [], 0
    for word in line.split():
        start = line.index(word, end)
        end = start + len(word)
        marks = (mark for mark, spans in ((BROKEN, broken), (NAMED, named)) if _is_within(start, end, spans))
        found.append(MarkedWord(word, next(marks, "")))
    return found


def _is_within(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first < end and start < last for first, last in spans)


def _broken_spans(line: str, subject: Subject) -> Iterator[tuple[int, int]]:
    """Give the places in a line that break a rule."""
    for rule in subject.spec.rules:
        try:
            words = find_breach(rule, line, subject.spec.language)
        except SlowPatternError:  # then the rule is not judged
            continue
        if words and (place := line.find(words)) >= 0:
            yield place, place + len(words)


def _named_spans(line: str, solution: Solution, subject: Subject) -> Iterator[tuple[int, int]]:
    """Give the places in a line that name a value of the solution."""
    words = split_words(line)
    for one in lexicon(subject.spec).mentions(words):
        if one.value in solution.attributes.get(one.attribute, ANY):
            last = one.end - 1
            yield words.starts[one.start], words.starts[last] + len(words.raw[last])


def draw_beside(columns: Mapping[str, Sequence[Sequence[MarkedWord]]]) -> str:
    """Return an SVG of texts side by side under their names; every word is escaped."""
    drawn, height = [], 0
    for n, (name, lines) in enumerate(columns.items()):
        rows = [[MarkedWord(name)], *(row for line in lines for row in _wrapped(line))]
        rows = _shortened(rows)
        left = GAP + n * (COLUMN + GAP)
        height = max(height, len(rows) * LINE + GAP)
        for place, row in enumerate(rows):
            words = " ".join(f"<tspan{STYLES[word.mark]}>{escape(for_terminal(word.text))}</tspan>" for word in row)
            weight = "" if place else ' font-weight="bold"'
            drawn.append(f'<text x="{left + 8}" y="{GAP + 16 + place * LINE}"{weight}>{words}</text>')
    frames = "".join(
        f'<rect x="{GAP + n * (COLUMN + GAP)}" y="{GAP}" width="{COLUMN}" height="{height}" rx="6" fill="#ffffff" '
        'stroke="#1c2733"/>'
        for n in range(len(columns))
    )
    width = GAP + len(columns) * (COLUMN + GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + 2 * GAP}" width="{width}" '
        f'height="{height + 2 * GAP}" font-family="sans-serif" font-size="12">{frames}{"".join(drawn)}</svg>'
    )


def _shortened(rows: Sequence[list[MarkedWord]]) -> list[list[MarkedWord]]:
    """Return the first rows and those with words that break a rule, with a row of dots where others are left out."""
    if len(rows) <= LINES:
        return list(rows)
    first = LINES // 2
    broken = [n for n, row in enumerate(rows) if n >= first and any(word.mark == BROKEN for word in row)]
    kept = [*range(first), *broken[: first // 2]]  # with dots behind each of the latter these are at most LINES
    shown: list[list[MarkedWord]] = []
    for n, following in zip(kept, [*kept[1:], len(rows)], strict=True):
        shown.append(rows[n])
        if following > n + 1:
            shown.append([MarkedWord("…")])
    return shown


def _wrapped(words: Sequence[MarkedWord]) -> Iterator[list[MarkedWord]]:
    """Give the rows of a line; what is longer than a row is cut."""
    row: list[MarkedWord] = []
    used = 0
    for word in words:
        short = MarkedWord(word.text if len(word.text) <= LETTERS else f"{word.text[: LETTERS - 1]}…", word.mark)
        if row and used + 1 + len(short.text) > LETTERS:
            yield row
            row, used = [], 0
        row.append(short)
        used += len(short.text) + 1
    if row:
        yield row
