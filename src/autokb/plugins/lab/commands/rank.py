"""``autokb rank``: ranking features of plug-ins, weighed on a team's own questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autokb.cli.commands import Folder, Json
from autokb.cli.manual import Commands

if TYPE_CHECKING:
    from autokb.pipeline.fit_features import RankFit

rank = Commands(no_args_is_help=True)


@rank.callback()
def _rank() -> None:
    """Ranking features of plug-ins: fitted on your own questions."""


@rank.command(epilog="Example: autokb rank fit kb")
def fit(workspace: Folder, json: Json = False) -> None:
    """Fit the features of plug-ins on the workspace's checks and linked issues, and use those that gain."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    found = SupportKB.open(workspace).evaluate.fit_features()
    emit(json, found.as_json(), lambda: _fitted(found))


def _fitted(found: RankFit) -> str:
    lines = [f"{found.n} questions: mean reciprocal rank {found.before:.3f} before, {found.after:.3f} now"]
    for one in found.features:
        no_use = "not used" if one.gain or one.standard_error else "not used: it moves the right section of no question"
        use = f"used, weight {one.weight:.3f}" if one.used else no_use
        lines.append(f"{one.name}  gain {one.gain:+.4f} (standard error {one.standard_error:.4f})  {use}")
    return "\n".join(lines)
