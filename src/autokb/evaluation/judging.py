"""What a model's verdicts on solutions add up to; its word stands beside people's and never among theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from autokb.evaluation.bootstrap import estimate
from autokb.evaluation.quality import state
from autokb.tasks.issues.check_rules.shapes import CheckedRules
from autokb.tasks.judges.correctness.shapes import JudgedCorrectness


def judged_correctness(verdicts: Sequence[JudgedCorrectness | None]) -> dict[str, Any]:
    """Return the share of yes among yes and no; ``unsure``, failed and not judged ones are counted apart."""
    said = Counter("failed" if v is None else v.verdict for v in verdicts)
    decided = [float(v.verdict == "yes") for v in verdicts if v is not None and v.verdict in ("yes", "no")]
    return {**_share(decided, len(verdicts)), "unsure": said["unsure"], "failed": said["failed"]}


def judged_compliance(replies: Sequence[CheckedRules | None]) -> dict[str, Any]:
    """Return the share of solutions that break no rule among those that every rule was judged for (Q_D by a model)."""
    states = [None if r is None else state({v.rule: v.verdict for v in r.verdicts}) for r in replies]
    decided = [float(found == "kept") for found in states if found in ("kept", "broken")]
    broken = Counter(v.rule for r in replies if r is not None for v in r.verdicts if v.verdict == "broken")
    return {**_share(decided, len(replies)), "failed": states.count(None), "broken": dict(sorted(broken.items()))}


def _share(decided: Sequence[float], total: int) -> Mapping[str, Any]:
    ends = estimate(decided).as_json() if decided else {"value": None, "low": None, "high": None}
    return {**ends, "judged": len(decided), "not_judged": total - len(decided)}
