"""Which paragraphs of a page are noise, and why: signs are added up by fitted weights, a few rules have the last word.

A text without marks (a manual, a wiki article) is no web page: only what is surely furniture is dropped from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autokb.chunking.blocks import NumberedBlock
from autokb.chunking.cutting import Mark
from autokb.chunking.noise_rules import (
    ALL_LINKS,
    FRONT_MATTER,
    FURNITURE,
    MOSTLY_LINKS,
    NOISE,
    Judged,
    SeenPage,
    apply_rules,
    judge_plain_text,
    keep_what_is_left,
    shares_its_text,
)
from autokb.chunking.noise_signs import Seen, seen, signs
from autokb.chunking.noise_weights import WITH_VOTES, WITHOUT_VOTES, Weights
from autokb.chunking.repeated import block_hash, counts

MIDDLE = 0.6  # chosen by cross-validation inside the half of the pages that the weights are fitted on
SURE = (0.2, 0.8)  # up to the first a paragraph is noise, from the second it is text; between them a model may be asked
_REASONS = {
    "nav": "stands in a menu",
    "header": "stands in the head of the page",
    "footer": "stands in the foot of the page",
    "aside": "stands beside the text",
    "form": "belongs to a form",
    "hidden": "is hidden",
    "dialog": "stands in a dialog",
    "named": "stands in a part that is named as page furniture",
    "under_furniture": "stands under a heading of page furniture",
    "links": "is made of links",
    "links_around": "stands among links",
    "credit": "says whose picture it is",
    "before_all_kept": "stands before the text",
    "after_all_kept": "stands after the text",
}
_MOSTLY = 0.5
_OUTSIDE = "stands outside of the text"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to become of one paragraph: ``score`` says how sure it is text, ``reason`` why it may be noise."""

    kind: Literal["keep", "drop", "unsure"]
    score: float
    reason: str = ""

    @property
    def keeps(self) -> bool:
        """Whether it is kept where nobody else is asked."""
        return self.score >= MIDDLE


_UNSEEN = Seen("", 0, 0.0, False, "")  # what a reader sees of front matter
_FRONT = Verdict("drop", NOISE, FRONT_MATTER)


def noise_verdicts(
    text: str,
    blocks: Sequence[NumberedBlock],
    marks: Sequence[Mark],
    repeated: frozenset[str] = frozenset(),
    weights: tuple[Weights, Weights] = (WITH_VOTES, WITHOUT_VOTES),
) -> tuple[Verdict, ...]:
    """Return the verdict on each paragraph; ``repeated`` are hashes of paragraphs that stand on other pages too."""
    fronts = [block.kind == "front matter" for block in blocks]
    looks = [_UNSEEN if front else look for front, look in zip(fronts, seen(text, blocks), strict=True)]
    again = [bool(repeated) and _is_repeated(b, look, repeated) for b, look in zip(blocks, looks, strict=True)]
    if shares_its_text(looks, again):
        again = [is_repeated and look.linked > ALL_LINKS for is_repeated, look in zip(again, looks, strict=True)]
    judged = _judge_page(blocks, looks, marks, again, weights) if marks else None
    judged = judged or judge_plain_text(blocks, looks, again)
    return tuple(_FRONT if front else _verdict(one) for front, one in zip(fronts, judged, strict=True))


def _is_repeated(block: NumberedBlock, look: Seen, repeated: frozenset[str]) -> bool:
    return counts(block) and block_hash(look.words) in repeated


def _judge_page(
    blocks: Sequence[NumberedBlock],
    looks: Sequence[Seen],
    marks: Sequence[Mark],
    again: Sequence[bool],
    both: tuple[Weights, Weights],
) -> list[Judged] | None:
    """Judge by weights and rules, at first with the votes; None where no running text would be left.

    A page without running text keeps what words it has of its own; one that is all links may well be dropped whole.
    """
    found = signs(blocks, looks, marks)
    page = SeenPage(blocks, looks, found, again, MIDDLE)
    prose = [n for n, look in enumerate(looks) if _is_prose(look, found[n])]
    for weights in both:
        judged = [_judge(look, sign, weights) for look, sign in zip(looks, found, strict=True)]
        apply_rules(judged, page)
        if not prose or any(judged[n].score >= MIDDLE for n in prose):
            keep_what_is_left(judged, page)
            return judged
    return None


def _judge(look: Seen, sign: dict[str, float], weights: Weights) -> Judged:
    return Judged(1 / (1 + math.exp(-log_odds(sign, weights))), _reason(look, sign, weights))


def _is_prose(look: Seen, sign: dict[str, float]) -> bool:
    in_text = not look.furniture and not any(sign[kind] for kind in FURNITURE)
    return bool(sign["sentence"]) and look.linked <= MOSTLY_LINKS and in_text


def log_odds(sign: dict[str, float], weights: Weights) -> float:
    """Return how the signs of a paragraph speak for text (above 0) or noise (below)."""
    return weights.bias + sum(weight * sign[name] for name, weight in weights.of.items())


def _reason(look: Seen, sign: dict[str, float], weights: Weights) -> str:
    """Name the part of the page that a paragraph stands in, or else the sign that speaks most against it."""
    if look.furniture:
        return look.furniture
    against = {name: weights.of.get(name, 0.0) * sign[name] for name in _REASONS}
    parts = [name for name in FURNITURE if against[name] < 0 and sign[name] >= _MOSTLY]
    worst = min(parts or against, key=lambda name: against[name])
    return _REASONS[worst] if against[worst] < 0 else _OUTSIDE


def _verdict(judged: Judged) -> Verdict:
    low, high = SURE
    score = round(judged.score, 4)
    if score >= high:
        return Verdict("keep", score)
    return Verdict("drop" if score <= low else "unsure", score, judged.reason)
