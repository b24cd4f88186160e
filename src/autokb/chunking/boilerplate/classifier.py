"""Tells text from boilerplate: features of each block are added up by fitted weights, rules have the last word.

A text without marks (a manual, a wiki article) is no web page: only what is surely boilerplate is dropped from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from autokb.chunking.boilerplate.features import VisibleText, boilerplate_features, visible_texts
from autokb.chunking.boilerplate.rules import (
    ALL_LINKS,
    BOILERPLATE_AREAS,
    FRONT_MATTER,
    MOSTLY_LINKS,
    NOISE,
    BlockScore,
    PageFeatures,
    apply_rules,
    keep_what_is_left,
    score_plain_text,
    shares_its_text,
)
from autokb.chunking.boilerplate.site_boilerplate import block_hash, can_be_repeated
from autokb.chunking.boilerplate.verdict import KEEP_FROM, BlockVerdict
from autokb.chunking.boilerplate.weights import WITH_VOTES, WITHOUT_VOTES, FeatureWeights
from autokb.chunking.chunk_result import Page
from autokb.chunking.structure.blocks import NumberedBlock
from autokb.core.marks import Mark

UNSURE_BETWEEN = (0.2, 0.8)  # scores: up to the first a block is noise, from the second text; between a model may tell
_REASONS = {
    "nav": "stands in a menu",
    "header": "stands in the head of the page",
    "footer": "stands in the foot of the page",
    "aside": "stands beside the text",
    "form": "belongs to a form",
    "hidden": "is hidden",
    "dialog": "stands in a dialog",
    "named": "stands in a part that is named as page furniture",
    "under_boilerplate": "stands under a heading of page furniture",
    "links": "is made of links",
    "links_around": "stands among links",
    "credit": "says whose picture it is",
    "before_all_kept": "stands before the text",
    "after_all_kept": "stands after the text",
}
_MOSTLY_IN_AREA = 0.5  # share of a block
_OUTSIDE = "stands outside of the text"

_UNSEEN = VisibleText("", 0, 0.0, False, "")  # what a reader sees of front matter


def filter_boilerplate(
    page: Page,
    blocks: Sequence[NumberedBlock],
    weights: tuple[FeatureWeights, FeatureWeights] = (WITH_VOTES, WITHOUT_VOTES),
) -> tuple[BlockVerdict, ...]:
    """Return the verdict on each of a page's blocks."""
    fronts = [block.kind == "front matter" for block in blocks]
    seen = visible_texts(page.document.text, blocks)
    texts = [_UNSEEN if front else text for front, text in zip(fronts, seen, strict=True)]
    on_other_pages = [
        bool(page.site_boilerplate) and can_be_repeated(block) and block_hash(text.words) in page.site_boilerplate
        for block, text in zip(blocks, texts, strict=True)
    ]
    if shares_its_text(texts, on_other_pages):
        on_other_pages = [
            repeated and text.linked > ALL_LINKS for repeated, text in zip(on_other_pages, texts, strict=True)
        ]
    scores = _score_page(blocks, texts, page.marks, on_other_pages, weights) if page.marks else None
    scores = scores or score_plain_text(blocks, texts, on_other_pages)
    front_matter = BlockVerdict("drop", NOISE, FRONT_MATTER)
    return tuple(front_matter if front else _verdict(score) for front, score in zip(fronts, scores, strict=True))


def _score_page(
    blocks: Sequence[NumberedBlock],
    texts: Sequence[VisibleText],
    marks: Sequence[Mark],
    on_other_pages: Sequence[bool],
    weights: tuple[FeatureWeights, FeatureWeights],
) -> list[BlockScore] | None:
    """Score by weights and rules, at first with the extractors' votes; None where no running text would be left.

    A page without running text keeps what words it has of its own; one that is all links may well be dropped whole.
    """
    found = boilerplate_features(blocks, texts, marks)
    page = PageFeatures(blocks, texts, found, on_other_pages)
    prose = [n for n, text in enumerate(texts) if _is_prose(text, found[n])]
    for one in weights:
        scores = [_score_block(text, features, one) for text, features in zip(texts, found, strict=True)]
        apply_rules(scores, page)
        if not prose or any(scores[n].score >= KEEP_FROM for n in prose):
            keep_what_is_left(scores, page)
            return scores
    return None


def _score_block(text: VisibleText, features: dict[str, float], weights: FeatureWeights) -> BlockScore:
    return BlockScore(1 / (1 + math.exp(-log_odds(features, weights))), _reason_against(text, features, weights))


def _is_prose(text: VisibleText, features: dict[str, float]) -> bool:
    in_text = not text.boilerplate and not any(features[kind] for kind in BOILERPLATE_AREAS)
    return bool(features["sentence"]) and text.linked <= MOSTLY_LINKS and in_text


def log_odds(features: dict[str, float], weights: FeatureWeights) -> float:
    """Return the log-odds that a block of these features is text."""
    return weights.bias + sum(weight * features[name] for name, weight in weights.of.items())


def _reason_against(text: VisibleText, features: dict[str, float], weights: FeatureWeights) -> str:
    """Name the area of the page that a block is in, or else the feature that speaks most against it."""
    if text.boilerplate:
        return text.boilerplate
    against = {name: weights.of.get(name, 0.0) * features[name] for name in _REASONS}
    parts = [name for name in BOILERPLATE_AREAS if against[name] < 0 and features[name] >= _MOSTLY_IN_AREA]
    worst = min(parts or against, key=lambda name: against[name])
    return _REASONS[worst] if against[worst] < 0 else _OUTSIDE


def _verdict(block: BlockScore) -> BlockVerdict:
    low, high = UNSURE_BETWEEN
    score = round(block.score, 4)
    if score >= high:
        return BlockVerdict("keep", score)
    return BlockVerdict("drop" if score <= low else "unsure", score, block.reason)
