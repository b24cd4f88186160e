"""The task that says a text in other words, to test retrieval with (prompt G.4)."""

from __future__ import annotations

from autokb.tasks.probes.query_variations import model, offline
from autokb.tasks.probes.query_variations.shapes import EACH, LEVELS, Level, QueryVariations, VaryQuery, check
from autokb.tasks.task import Task

__all__ = ["EACH", "LEVELS", "TASK", "Level", "QueryVariations", "VaryQuery"]


def _offline(item: VaryQuery) -> QueryVariations:
    """Change the text mechanically; a level for which the words give nothing stays short or empty."""
    taken = {item.text.strip()}
    easy = offline.fresh(offline.easy(item.text), taken, EACH)
    medium = offline.fresh(offline.medium(item.text, item.synonyms), taken, EACH)
    hard = offline.fresh(offline.hard(item.text), taken, EACH)
    return QueryVariations(easy=easy, medium=medium, hard=hard)


TASK: Task[VaryQuery, QueryVariations] = Task(
    name="probes/query_variations",
    version=1,
    input=VaryQuery,
    output=QueryVariations,
    offline=_offline,
    check=check,
    asking=model.ASKING,
)
