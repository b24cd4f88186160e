"""How much of a question has to be embedded: hit rates and the encoder's time for parts of it, beside all of it.

``python -m benchmarks.question_length`` builds from the first half of Thunderbird's questions and asks the next fifth,
each part paired with the whole text. Search and late interaction read the part, with its slips mended; the words are
always those of the whole.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from autokb.pipeline.open_index import open_index
from autokb.retrieval.index import QuestionIndex
from autokb.stats.bootstrap import mean_interval
from autokb.stores.workspace import open_workspace
from autokb.text.sentences import sentences
from benchmarks import thunderbird
from benchmarks.retrieval import split
from benchmarks.running import folder

DEPTHS = (1, 5, 10)
TELLS_A_PROBLEM = re.compile(
    r"\?|n't\b|\b(?:can(?:no|')t|won't|no|not|error|fail\w*|problem|how|why|what|lost|missing|unable|want|need|tried)\b",
    re.IGNORECASE,
)


def first_characters(count: int) -> Callable[[str], str]:
    """Return what cuts a text at the last space before so many characters."""
    return lambda text: text if len(text) <= count else text[: text.rfind(" ", 0, count)]


def telling_sentences(count: int) -> Callable[[str], str]:
    """Return what keeps the title and, of so many characters, the sentences that tell a problem before the others."""

    def cut(text: str) -> str:
        title, *others = [text[a:b] for a, b in sentences(text, 0, len(text), language="en")]
        kept, length = [], len(title)
        for n in sorted(range(len(others)), key=lambda n: (not TELLS_A_PROBLEM.search(others[n]), n)):
            if length + len(others[n]) <= count:
                kept.append(n)
                length += len(others[n])
        return " ".join([title, *(others[n] for n in sorted(kept))])

    return cut


PARTS: Mapping[str, Callable[[str], str]] = {
    "all of it": lambda text: text,
    **{f"first {n} characters": first_characters(n) for n in (200, 300, 400, 600, 800)},
    **{f"title and telling sentences, {n}": telling_sentences(n) for n in (300, 500)},
    "title": lambda text: text.strip().partition("\n")[0],
}


def hits(index: QuestionIndex, text: str, part: str, linked: set[str]) -> tuple[list[float], float]:
    """Return whether a linked article is among the first 1, 5 and 10, and the seconds that the encoder took."""
    assert index.spelling is not None and index.read_tokens is not None, "the packaged encoder"
    text, part = index.spelling.correct(text), index.spelling.correct(part)
    start = time.perf_counter()
    vector, tokens = index.embed_questions([part])[0], index.read_tokens(part)
    seconds = time.perf_counter() - start
    # mended already, for a text with slips would be embedded anew
    reading_part = replace(index, spelling=None, read_tokens=lambda _: tokens)
    ranked = [hit.id for hit in reading_part.score(text, vector=vector).documents.best(max(DEPTHS))]
    return [float(any(Path(d).stem in linked or d in linked for d in ranked[:k])) for k in DEPTHS], seconds


def main() -> None:
    """Print a line a part: hit rates, their differences to the whole text, milliseconds of the encoder."""
    asked, history = split(thunderbird.issues(), tuning=True)
    with folder() as place:
        thunderbird.stage(place / "kb", history)
        thunderbird.build(place / "kb")
        queries, qrels = thunderbird.write_test(place, asked)
        linked: dict[str, set[str]] = defaultdict(set)
        for line in qrels.read_text(encoding="utf-8").splitlines()[1:]:
            linked[line.split("\t")[0]].add(line.split("\t")[1])
        questions = [q for line in queries.read_text(encoding="utf-8").splitlines() if (q := json.loads(line))]
        questions = [q for q in questions if q["id"] in linked]
        with closing(open_index(open_workspace(place / "kb"))) as opened:
            whole = None
            for name, cut in PARTS.items():
                found = [hits(opened.index, q["text"], cut(q["text"]), linked[q["id"]]) for q in questions]
                rates = np.array([h for h, _ in found])
                whole = rates if whole is None else whole
                differences = [mean_interval(list(column)) for column in (rates - whole).T]
                print(
                    f"{name:34}",
                    "/".join(f"{rate:.3f}" for rate in rates.mean(axis=0)),
                    " ".join(f"{d.value:+.3f} [{d.low:+.3f}, {d.high:+.3f}]" for d in differences),
                    f"{1000 * sum(s for _, s in found) / len(found):.1f} ms",
                    f"of {len(found)}",
                )


if __name__ == "__main__":
    main()
