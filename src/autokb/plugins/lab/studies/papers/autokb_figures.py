"""Table 6 and figures 1 to 4 of the AutoKB paper: a node's paraphrases, a tree, an issue's solutions side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from autokb.core.attributes import ANY, Attributes, Match, as_lists, compare
from autokb.core.forest import Forest
from autokb.core.nouns import DISPLAYED, Chunk, Issue, Solution
from autokb.core.regex_timeout import SlowPatternError
from autokb.heuristics.rules import find_breach
from autokb.plugins.lab.evaluation.quality.measures import solution_verdicts
from autokb.plugins.lab.evaluation.report import Cell, Table, picture
from autokb.plugins.lab.evaluation.retrieval.query_paraphrases import domain_synonyms, source_texts
from autokb.plugins.lab.studies.papers import PaperTables
from autokb.plugins.lab.studies.papers.autokb_judge import PaperJudge, Subject, raw_solution
from autokb.plugins.lab.studies.papers.autokb_sheets import AUTOKB, RAW, UNAIDED
from autokb.retrieval.read_question import read_question
from autokb.tasks.probes.query_variations.task import EACH, LEVELS, TASK, VaryQuery
from autokb.text.lexicon import lexicon
from autokb.text.plain_text import plain_text
from autokb.text.words import normalized, split_words

PAPER = PaperTables("autokb")
NO_SUCH = "the words of this text give no further paraphrase by rules"
EXAMPLES = 20  # child issues among which one with paraphrases of every level is looked for


def paraphrase_table(subject: Subject) -> Table | None:
    """Table 6: one child issue in other words, level by level, by rules."""
    found = [
        (source.text, TASK.offline(VaryQuery(source.text, source.context, synonyms, subject.spec.language)).levels)
        for source in source_texts(subject.kb, (), EXAMPLES)
        for synonyms in (domain_synonyms(source.text, subject.spec),)
    ]
    if not found:
        return None
    text, levels = max(found, key=lambda one: (min(map(len, one[1].values())), sum(map(len, one[1].values()))))
    rows = {
        f"{level} {n + 1}": (Cell.known(levels[level][n] if n < len(levels[level]) else None, NO_SUCH),)
        for level in LEVELS
        for n in range(EACH)
    }
    return PAPER.table("paraphrases", rows, text=text, name=subject.name)


# -- figures 1 to 3 ---------------------------------------------------------------------------------------------------

MOST_CHILDREN = 4  # that are drawn
LETTERS = 34  # of a line in a box
LINES = 7  # of a box, and 4 of the question's
# The colours of exact, subset and mismatch, the first two as in figure 3.
MEANING = {"exact match": "#cfe8cf", "subset match": "#dfe3e8", "no match": "#ffffff"}


def tree_table(subject: Subject) -> Table | None:
    """Figures 1 to 3: a parent with children and their attributes, and how each stands to a question."""
    forest = Forest(subject.kb.issues.values())
    shown = _shown_tree(subject, forest)
    if shown is None:
        return None
    parent, question = shown
    children = sorted(forest.children(parent.id), key=lambda child: (child.id != question.id, child.id))[:MOST_CHILDREN]
    asked = read_question(question.text, {}, subject.spec).attributes
    nodes = (parent, *children)
    matches = [_meaning(node, asked, subject) for node in nodes]
    values = [named_values(node.attributes) or "holds for all" for node in nodes]
    rows = [
        (node.text, (Cell("child" if node.parent_id else "parent"), Cell(value), Cell(match)))
        for node, value, match in zip(nodes, values, matches, strict=True)
    ]
    issues = subject.kb.issues.values()
    parents = sum(issue.parent_id is None for issue in issues)
    return PAPER.table(
        "tree",
        rows,
        name=subject.name,
        question=question.text,
        said=named_values(asked) or "no value",
        documents=len(subject.kb.documents),  # and what else the steps of figure 2 gave here
        chunks=len(subject.chunks),
        raw_issues=len(subject.raw_issues),
        themes=len(subject.kb.themes),
        seeds=len(subject.kb.seeds),
        parents=parents,
        children=len(issues) - parents,
        solutions=len(subject.kb.solutions),
        pictures=[draw_tree(question.text, [node.text for node in nodes], values, matches)],
    )


def _shown_tree(subject: Subject, forest: Forest[Issue]) -> tuple[Issue, Issue] | None:
    """Return a parent and the child whose text is the question: one that matches exactly, under a subset, if any."""
    pairs = [
        (parent, child)
        for child in sorted(forest.nodes.values(), key=lambda node: node.id)
        if (parent := forest.nodes.get(child.parent_id or "")) is not None
    ]

    def fitness(pair: tuple[Issue, Issue]) -> tuple[bool, bool, int]:
        parent, child = pair
        asked = read_question(child.text, {}, subject.spec).attributes
        is_exact = _meaning(child, asked, subject) == "exact match"
        is_subset = _meaning(parent, asked, subject) == "subset match"
        return is_exact, is_subset, min(len(list(forest.children(parent.id))), MOST_CHILDREN)

    return max(pairs, key=fitness, default=None)  # of equals the first by id


def _meaning(node: Issue, asked: Attributes, subject: Subject) -> str:
    """Return what the paper calls the match of a node with a question; what it leaves unknown is no conflict."""
    names = {Match.EXACT: "exact match", Match.BROADER: "subset match"}
    return names.get(compare(node.attributes, asked, subject.spec.attributes), "no match")


def named_values(attributes: Attributes) -> str:
    """Return the values of the attributes that are limited to some."""
    named = {name: values for name, values in attributes.items() if values != ANY}
    return "; ".join(f"{name}: {', '.join(values)}" for name, values in as_lists(named).items())


def draw_tree(question: str, texts: Sequence[str], values: Sequence[str], matches: Sequence[str]) -> str:
    """Return an SVG of a question, a parent (the first of the texts) and its children."""
    told = zip(matches, texts, values, strict=True)
    nodes = [(MEANING[match], _lines([match.upper(), text, value], LINES)) for match, text, value in told]
    return picture("tree", question=_lines([f"Question: {question}"], 4), nodes=nodes)


def _lines(paragraphs: Sequence[str], most: int) -> list[str]:
    """Return the lines of a box, with dots for those that it has no room for."""
    lines = [line for paragraph in paragraphs for line in wrap(paragraph, LETTERS)]
    return lines if len(lines) < most else [*lines[: most - 2], "…"]


# -- figure 4 ----------------------------------------------------------------------------------------------------------

NO_CHUNK = "no chunk holds what the solution cites"
NO_RAW_ISSUE = "the model solved no raw issue of this tree"
COLUMN_LETTERS = 44  # of a line in a column
COLUMN_LINES = 30  # of a column
BROKEN, NAMED = "broken", "named"  # why a word is marked


def example_table(subject: Subject, judge: PaperJudge) -> Table | None:
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
    rows = {name: _example_cells(one, subject) for name, one in found.items()}
    beside = draw_beside({name: _marked(one, subject) for name, one in found.items()})
    return PAPER.table("example", rows, name=subject.name, issue=issue.text, pictures=[beside])


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
    spans = [*_broken_spans(line, subject), *_named_spans(line, solution, subject)]
    found = []
    for word in re.finditer(r"\S+", line):
        marks = (mark for mark, first, last in spans if first < word.end() and word.start() < last)
        found.append(MarkedWord(word.group(), next(marks, "")))
    return found


def _broken_spans(line: str, subject: Subject) -> Iterator[tuple[str, int, int]]:
    """Give the places in a line that break a rule."""
    for rule in subject.spec.rules:
        try:
            words = find_breach(rule, line, subject.spec.language)
        except SlowPatternError:  # then the rule is not judged
            continue
        if words and (place := line.find(words)) >= 0:
            yield BROKEN, place, place + len(words)


def _named_spans(line: str, solution: Solution, subject: Subject) -> Iterator[tuple[str, int, int]]:
    """Give the places in a line that name a value of the solution."""
    words = split_words(line)
    for one in lexicon(subject.spec).mentions(words):
        if one.value in solution.attributes.get(one.attribute, ANY):
            last = one.end - 1
            yield NAMED, words.starts[one.start], words.starts[last] + len(words.raw[last])


def draw_beside(columns: Mapping[str, Sequence[Sequence[MarkedWord]]]) -> str:
    """Return an SVG of texts side by side under their names."""
    drawn = []
    for name, lines in columns.items():
        drawn.append(_shortened([[MarkedWord(name)], *(row for line in lines for row in _wrapped(line))]))
    return picture("beside", columns=drawn)


def _shortened(rows: Sequence[list[MarkedWord]]) -> list[list[MarkedWord]]:
    """Return the first rows and those with words that break a rule, with a row of dots where others are left out."""
    if len(rows) <= COLUMN_LINES:
        return list(rows)
    first = COLUMN_LINES // 2
    broken = [n for n, row in enumerate(rows) if n >= first and any(word.mark == BROKEN for word in row)]
    kept = [*range(first), *broken[: first // 2]]  # with dots behind each of the latter these are at most COLUMN_LINES
    shown: list[list[MarkedWord]] = []
    for n, following in zip(kept, [*kept[1:], len(rows)], strict=True):
        shown.append(rows[n])
        if following > n + 1:
            shown.append([MarkedWord("…")])
    return shown


def _wrapped(words: Sequence[MarkedWord]) -> Iterator[list[MarkedWord]]:
    """Give the rows of a line; what is longer than a row is cut."""
    row: list[MarkedWord] = []
    for word in words:
        text = word.text if len(word.text) <= COLUMN_LETTERS else f"{word.text[: COLUMN_LETTERS - 1]}…"
        if row and len(" ".join([*(one.text for one in row), text])) > COLUMN_LETTERS:
            yield row
            row = []
        row.append(replace(word, text=text))
    if row:
        yield row
