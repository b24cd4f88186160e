"""``python -m benchmarks.chunk_noise_fit`` fits boilerplate/weights.py on half of the pages.

A paragraph's label is the share of its words that an alignment finds in the page's gold text; in trafilatura_eval only
the paragraphs with a snippet are labelled. Hidden copies take part in the alignment only where the rest lacks the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from autokb.chunking.boilerplate.features import KINDS, VisibleText, boilerplate_features, visible_texts
from autokb.chunking.boilerplate.weights import FeatureWeights
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.sources.whole_page import whole_page
from benchmarks.chunk_noise_data import SETS, GoldPage, gold_pages

OUT = Path(__file__).parents[1] / "src/autokb/chunking/boilerplate/weights.py"
STRENGTH = 2.0  # of the data against the pull of the weights to zero
SNIPPET = 9.0  # what a paragraph with a snippet weighs; any other weighs the square root of its words
_WORD = re.compile(r"\w+")
_OF_VOTES = re.compile("kept|trafilatura|readability")
# Steps and tables must not be judged by what news pages do with them; chance of so few pages.
_LEFT_OUT = frozenset({"table", "length_around"})

Row = tuple[dict[str, float], float, float]  # features, label, weight


def rows_of(page: GoldPage) -> list[Row]:
    """Return the labelled paragraphs of a page."""
    whole = whole_page(page.html)
    blocks = numbered_blocks(whole.text)
    texts = visible_texts(whole.text, blocks)
    found = boilerplate_features(blocks, texts, whole.marks)
    labels = _snippet_labels(page, texts) if page.set == SETS[2] else _aligned_labels(page, texts, found)
    weights = [SNIPPET if page.set == SETS[2] else max(text.count, 1) ** 0.5 for text in texts]
    return [(s, y, w) for s, y, w in zip(found, labels, weights, strict=True) if y is not None]


def _snippet_labels(page: GoldPage, texts: Sequence[VisibleText]) -> Iterator[float | None]:
    for text in texts:
        words = " ".join(text.words.split())
        if any(" ".join(s.split()) in words for s in page.must):
            yield 1.0
        else:
            yield 0.0 if any(" ".join(s.split()) in words for s in page.must_not) else None


def _aligned_labels(
    page: GoldPage, texts: Sequence[VisibleText], found: Sequence[dict[str, float]]
) -> list[float | None]:
    gold = _WORD.findall(page.gold)
    hits = _hits(texts, range(len(texts)), gold)
    shown = [n for n, features in enumerate(found) if max(features["hidden"], features["nav"], features["form"]) < 0.5]
    if shown and sum((without := _hits(texts, shown, gold)).values()) >= 0.97 * sum(hits.values()):
        hits = without
    return [hits.get(n, 0) / text.count if text.count else None for n, text in enumerate(texts)]


def _hits(texts: Sequence[VisibleText], chosen: Sequence[int], gold: list[str]) -> dict[int, int]:
    """Count the words of each chosen paragraph that the alignment finds in the gold text."""
    words = [(word, n) for n in chosen for word in _WORD.findall(texts[n].words)]
    found: dict[int, int] = {}
    matcher = SequenceMatcher(None, [word for word, _ in words], gold, autojunk=False)
    for start, _, size in matcher.get_matching_blocks():
        for _, n in words[start : start + size]:
            found[n] = found.get(n, 0) + 1
    return found


def fitted(rows: Sequence[Row], names: Sequence[str]) -> tuple[float, dict[str, float]]:
    """Fit a logistic regression on the named features."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    values = np.array([[features[name] for name in names] for features, _, _ in rows])
    labels, weights = np.array([y for _, y, _ in rows]), np.array([w for _, _, w in rows])
    twice = np.concatenate([values, values])  # a paragraph that is half in the gold text counts half as either
    chance = np.concatenate([labels * weights, (1 - labels) * weights])
    classes = np.concatenate([np.ones(len(rows)), np.zeros(len(rows))])
    used = chance > 0
    model = LogisticRegression(C=STRENGTH, max_iter=5000)
    model.fit(twice[used], classes[used], sample_weight=chance[used] / chance[used].mean())
    return float(model.intercept_[0]), dict(zip(names, (float(w) for w in model.coef_[0]), strict=True))


def both_weights(rows: Sequence[Row]) -> tuple[FeatureWeights, FeatureWeights]:
    """Fit the weights with the votes of the extractors and those without."""
    names = [name for name in rows[0][0] if name not in _LEFT_OUT]
    plain = [name for name in names if not _OF_VOTES.search(name)]
    return FeatureWeights(*fitted(rows, names)), FeatureWeights(*fitted(rows, plain))


def main() -> None:
    """Fit both sets of weights and write them."""
    rows = [row for page in gold_pages() if page.fits for row in rows_of(page)]
    text = OUT.read_text(encoding="utf-8")
    head = text[: text.index("WITH_VOTES")]
    voted, plain = both_weights(rows)
    OUT.write_text(f"{head}WITH_VOTES = {_written(voted)}\nWITHOUT_VOTES = {_written(plain)}\n")
    print(f"{len(rows)} paragraphs, {len(voted.of)} features, {len(KINDS)} kinds of marks: {OUT}")


def _written(weights: FeatureWeights) -> str:
    lines = "".join(f'        "{name}": {weight:.2f},\n' for name, weight in weights.of.items())
    return f"FeatureWeights(\n    {weights.bias:.2f},\n    {{\n{lines}    }},\n)"


if __name__ == "__main__":
    main()
