"""How far an answer has the words of a reference, from 0 to 1: BLEU, ROUGE-L and METEOR by their usual libraries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from autokb.plugins.lab.evaluation.suggestions.meteor import WORDNET, NoMeteorError, load_meteor

Metric = Callable[[str, str], float]  # of an answer and its reference

_BLEU = BLEU(effective_order=True)  # an answer of fewer than four words is compared by the n-grams that it has
_ROUGE_L = RougeScorer(["rougeL"], use_stemmer=False)


def find_metrics(wordnet: Path = WORDNET) -> tuple[dict[str, Metric], dict[str, str]]:
    """Return the metrics that can be computed on this machine, and why another cannot."""
    found: dict[str, Metric] = {"bleu": bleu, "rouge": rouge_l}
    try:
        found["meteor"] = load_meteor(wordnet)
    except NoMeteorError as error:
        return found, {"meteor": str(error)}
    return found, {}


def bleu(answer: str, reference: str) -> float:
    """Compare n-grams of up to four words of one text with another's (Papineni and others 2002, sacrebleu's tokens)."""
    return float(_BLEU.sentence_score(answer, [reference]).score) / 100


def rouge_l(answer: str, reference: str) -> float:
    """Return the F1 of the longest common subsequence of words (Lin 2004, without stemming)."""
    return float(_ROUGE_L.score(reference, answer)["rougeL"].fmeasure)
