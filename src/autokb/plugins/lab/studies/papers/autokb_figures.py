"""Table 6 and figures 1 to 3 of the AutoKB paper: one node's paraphrases, and one tree as a question meets it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from textwrap import wrap

from autokb.core.attributes import ANY, Attributes, Match, as_lists, compare
from autokb.core.forest import Forest
from autokb.core.nouns import Issue
from autokb.plugins.lab.evaluation.papers.tables import Cell, PaperTable
from autokb.plugins.lab.evaluation.retrieval.query_paraphrases import domain_synonyms, source_texts
from autokb.plugins.lab.studies.papers.autokb_subject import Subject
from autokb.retrieval.read_question import read_question
from autokb.tasks.probes.query_variations.task import EACH, LEVELS, TASK, VaryQuery
from autokb.text.control_characters import for_terminal

NO_SUCH = "the words of this text give no further paraphrase by rules"
EXAMPLES = 20  # child issues among which one with paraphrases of every level is looked for


def paraphrase_table(subject: Subject) -> PaperTable | None:
    """Table 6: one child issue in other words, level by level, by rules."""
    found = [
        (source.text, TASK.offline(VaryQuery(source.text, source.context, synonyms, subject.spec.language)).levels)
        for source in source_texts(subject.kb, (), EXAMPLES)
        for synonyms in (domain_synonyms(source.text, subject.spec),)
    ]
    if not found:
        return None
    text, levels = max(found, key=lambda one: (min(map(len, one[1].values())), sum(map(len, one[1].values()))))
    rows = tuple(f"{level} {n}" for level in LEVELS for n in range(1, EACH + 1))
    said = [variation for level in LEVELS for variation in (*levels[level], *("",) * EACH)[:EACH]]
    cells = tuple((Cell(one) if one else Cell(missing=NO_SUCH),) for one in said)
    return PaperTable(f"Table 6: “{text}” of {subject.name} in other words", rows, ("paraphrase",), cells)


# -- figures 1 to 3 ---------------------------------------------------------------------------------------------------

MOST_CHILDREN = 4  # that are drawn
BOX, GAP, LINE = 230, 16, 16  # px: width of a box, between two boxes, height of a line
LETTERS = 34  # of a line in a box
LINES = 7  # of a box
GREEN, GREY, WHITE = "#cfe8cf", "#dfe3e8", "#ffffff"  # exact, subset and mismatch, the first two as in figure 3
MEANING = {"exact match": GREEN, "subset match": GREY, "no match": WHITE}


def tree_table(subject: Subject) -> PaperTable | None:
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
    return PaperTable(
        f"Figures 1 to 3: a tree of {subject.name}, and the question “{question.text}”",
        tuple(node.text for node in nodes),
        ("node", "attributes", "for the question"),
        tuple(
            (Cell("child" if node.parent_id else "parent"), Cell(value), Cell(match))
            for node, value, match in zip(nodes, values, matches, strict=True)
        ),
        note=f"The question says {named_values(asked) or 'no value'}. {_pipeline(subject)}",
        pictures=(draw_tree(question.text, [node.text for node in nodes], values, matches),),
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


def _pipeline(subject: Subject) -> str:
    """Return the steps of figure 2 with what each gave here."""
    issues = subject.kb.issues.values()
    parents = sum(issue.parent_id is None for issue in issues)
    return (
        f"The pipeline here: {len(subject.kb.documents)} documents became {len(subject.chunks)} chunks; "
        f"{len(subject.raw_issues)} raw issues became {len(subject.kb.themes)} themes, {len(subject.kb.seeds)} seeds, "
        f"{parents} parents and {len(issues) - parents} children; they have {len(subject.kb.solutions)} solutions."
    )


def draw_tree(question: str, texts: Sequence[str], values: Sequence[str], matches: Sequence[str]) -> str:
    """Return an SVG of a question, a parent (the first of the texts) and its children; every text is escaped."""
    children = max(1, len(texts) - 1)
    width = children * BOX + (children + 1) * GAP
    height = LINES * LINE
    middle = (width - BOX) // 2
    tops = (GAP, 2 * GAP + 4 * LINE, 4 * GAP + 4 * LINE + height)
    places = [(middle, tops[1]), *((GAP + n * (BOX + GAP), tops[2]) for n in range(len(texts) - 1))]
    lines = [
        f'<line x1="{width // 2}" y1="{tops[1] + height}" x2="{x + BOX // 2}" y2="{y}" stroke="#1c2733"/>'
        for x, y in places[1:]
    ]
    boxes = [_box(middle, tops[0], 4, WHITE, [f"Question: {question}"])]
    for (x, y), text, value, match in zip(places, texts, values, matches, strict=True):
        boxes.append(_box(x, y, LINES, MEANING[match], [match.upper(), text, value]))
    total = tops[2] + height + GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" width="{width}" height="{total}" '
        f'font-family="sans-serif" font-size="12">{"".join(lines)}{"".join(boxes)}</svg>'
    )


def _box(x: int, y: int, most: int, fill: str, paragraphs: Sequence[str]) -> str:
    wrapped = [line for paragraph in paragraphs for line in wrap(for_terminal(paragraph), LETTERS)]
    if len(wrapped) > most - 1:
        wrapped = [*wrapped[: most - 2], "…"]
    words = "".join(
        f'<text x="{x + 8}" y="{y + 15 + n * LINE}">{escape(line)}</text>' for n, line in enumerate(wrapped)
    )
    frame = f'<rect x="{x}" y="{y}" width="{BOX}" height="{most * LINE}" rx="6" fill="{fill}" stroke="#1c2733"/>'
    return frame + words
