"""A knowledge base of any size, grown from the real words of the Thunderbird data, as lines that ``import`` takes.

Every sentence is a real one, only their company is new: so words, lengths and the spread of the vectors are those of
real articles and questions. Nothing of it is stored in the repository.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from autokb.core.domain import DomainSpec
from benchmarks import thunderbird

SEED = 20250101
CHILDREN = 3
SOLUTIONS_A_NODE = 3
NODES_A_TREE = 1 + CHILDREN
TREES_A_DOCUMENT = 2
SECTIONS = 8
STEPS = 4
THEMES = 40
MARKUP = re.compile(r"[{}\[\]|=<>]")


def article_sentences() -> list[str]:
    """Return the plain sentences of the articles, in order."""
    texts = (f.read_text(encoding="utf-8") for f in sorted((thunderbird.data_folder() / "kb_wiki").glob("*.wiki")))
    return _sentences("\n".join(texts))


def question_sentences() -> list[str]:
    """Return the plain sentences of the questions, in order."""
    return _sentences("\n".join(issue["text"] for issue in thunderbird.issues()))


def _sentences(text: str) -> list[str]:
    parts = re.split(r"(?<=[.!?])\s+|\n+", text.replace("'''", "").replace("''", ""))
    plain = (" ".join(part.lstrip("*#: ").split()) for part in parts if not MARKUP.search(part))
    return list(dict.fromkeys(s for s in plain if 6 <= len(s.split()) <= 25))


def lines(solutions: int, spec: DomainSpec) -> Iterator[dict[str, Any]]:
    """Yield a knowledge base with at least that many solutions, each citing a list in a document."""
    rng = random.Random(SEED)
    written, asked = article_sentences(), question_sentences()
    trees = -(-solutions // (NODES_A_TREE * SOLUTIONS_A_NODE))
    documents = [_document(rng, f"article-{n}", written) for n in range(-(-trees // TREES_A_DOCUMENT))]
    for document, _places in documents:
        yield document
    for n in range(THEMES):
        yield {"kind": "theme", "id": f"theme-{n}", "name": " ".join(rng.choice(asked).split()[:3])}
    values = child_values(spec)
    for n in range(trees):
        yield from _tree(rng, n, asked, values, spec, documents[n // TREES_A_DOCUMENT])


Place = tuple[int, int, str, tuple[str, ...]]  # start and end of a list, its heading, its steps


def _document(rng: random.Random, document_id: str, pool: Sequence[str]) -> tuple[dict[str, Any], list[Place]]:
    title = " ".join(rng.choice(pool).split()[:7])
    text = f"# {title}\n"
    places: list[Place] = []
    for _ in range(SECTIONS):
        heading, intro = " ".join(rng.choice(pool).split()[:6]), rng.choice(pool)
        steps = tuple(rng.sample(list(pool), STEPS))
        text += f"\n## {heading}\n\n{intro}\n\n"
        block = "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))
        places.append((len(text), len(text) + len(block), heading, steps))
        text += block + "\n"
    return {"kind": "document", "id": document_id, "title": title, "text": text, "url": ""}, places


def child_values(spec: DomainSpec) -> list[tuple[str, str]]:
    """Return the values that children fix: those of the closed attribute with the most of them."""
    closed = sorted((a for a in spec.attributes.values() if a.kind == "closed"), key=lambda a: (-len(a.values), a.name))
    return [(closed[0].name, value) for value in closed[0].values] if closed else []


def _tree(
    rng: random.Random,
    number: int,
    asked: Sequence[str],
    values: Sequence[tuple[str, str]],
    spec: DomainSpec,
    cited: tuple[dict[str, Any], list[Place]],
) -> Iterator[dict[str, Any]]:
    theme, seed, parent = f"theme-{number % THEMES}", f"seed-{number}", f"issue-{number}"
    text = " ".join(rng.sample(list(asked), 2))
    raw = {"text": text, "title": "", "date": "", "resolved_by": [cited[0]["id"]]}
    place = {"theme": theme, "seed": seed, "issue": parent}
    yield {"kind": "raw_issue", "id": f"raw-{number}", **raw, **place}
    yield {"kind": "seed", "id": seed, "raw_issue": f"raw-{number}", "theme": theme}
    wide = {name: ["Any"] for name in spec.attributes}
    nodes: list[tuple[str, str | None, str, dict[str, list[str]]]] = [(parent, None, text, wide)]
    for n in range(CHILDREN):
        name, value = values[n % len(values)] if values else ("", "")
        fixed = {**wide, name: [value]} if name else wide
        nodes.append((f"{parent}-{n}", parent, f"{value}: {rng.choice(asked)} {text}", fixed))
    for node, above, said, attributes in nodes:
        yield {
            "kind": "issue",
            "id": node,
            "text": said,
            "parent_id": above,
            "attributes": attributes,
            "seed": seed,
            "raw_issues": [f"raw-{number}"],
        }
        for n, chosen in enumerate(rng.sample(cited[1], SOLUTIONS_A_NODE)):
            yield _solution(f"{node}-s{n}", node, attributes, cited[0], chosen)


def _solution(
    solution_id: str, node: str, attributes: dict[str, list[str]], document: dict[str, Any], place: Place
) -> dict[str, Any]:
    start, end, heading, steps = place
    numbered = "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))
    evidence = {"document": document["id"], "start": start, "end": end, "quote": document["text"][start:end]}
    return {
        "kind": "solution",
        "id": solution_id,
        "issue_id": node,
        "text": f"{heading}\n{numbered}",
        "steps": list(steps),
        "attributes": attributes,
        "evidence": [evidence] * len(steps),
        "status": "displayed",
        "reason": "",
        "rules": [],
    }


def questions(words: int, count: int) -> list[str]:
    """Return different questions of that many words, cut from what customers wrote."""
    rng = random.Random(SEED + words)
    pool = question_sentences()
    made = []
    for _ in range(count):
        said: list[str] = []
        while len(said) < words:
            said += rng.choice(pool).split()
        made.append(" ".join(said[:words]))
    return made
