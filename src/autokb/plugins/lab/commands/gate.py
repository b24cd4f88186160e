"""``autokb gate`` and ``autokb rank``: the gate and ranking features of plug-ins, by a team's own questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json
from autokb.cli.manual import Commands

if TYPE_CHECKING:
    from rich.console import RenderableType

    from autokb.pipeline.calibrate_gate import GateCalibration, GateReset, GateSide
    from autokb.pipeline.fit_features import RankFit

BAR = 24  # characters of a bar for all questions of a side

gate = Commands(no_args_is_help=True)
rank = Commands(no_args_is_help=True)


@gate.command(epilog="Example: autokb gate calibrate kb --in-domain ours.jsonl --out-of-domain others.jsonl")
def calibrate(
    workspace: Folder,
    in_domain: Annotated[
        Path, typer.Option(metavar="FILE", help="Questions that the knowledge base is for: JSONL with id and text.")
    ],
    out_of_domain: Annotated[
        Path, typer.Option(metavar="FILE", help="Messages that it is not for: small talk, other products.")
    ],
    json: Json = False,
) -> None:
    """Calibrate the gate on your own questions; builds keep it, another encoder is refused."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    found = SupportKB.open(workspace).evaluate.calibrate_gate(in_domain, out_of_domain)
    emit(json, found.as_json(), lambda: _calibration(found))


@gate.command(epilog="Example: autokb gate reset kb")
def reset(workspace: Folder, json: Json = False) -> None:
    """Drop the calibration: the gate that the build fitted decides again."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    done = SupportKB.open(workspace).evaluate.reset_gate()
    emit(json, done.as_json(), lambda: _reset(done))


def _calibration(found: GateCalibration) -> RenderableType:
    """Show how many of each side pass, the histograms of their probabilities, and what a bare cosine would do."""
    from rich.console import Group
    from rich.text import Text

    lines = [
        Text(f"threshold {found.threshold:.3f}, a probability, for the encoder {found.encoder}", style="bold"),
        Text(f"in-domain      {_share(found.in_domain.passing, found.in_domain.n)} pass"),
        Text(f"out-of-domain  {_share(found.out_of_domain.passing, found.out_of_domain.n)} pass"),
        Text(""),
        Text(f"probability   {'in-domain':<{BAR + 7}} out-of-domain", style="dim"),
    ]
    bins = len(found.in_domain.histogram)
    for n in reversed(range(bins)):
        mark = "<" if n == min(int(found.threshold * bins), bins - 1) else " "
        bars = " ".join(_bar(side, n) for side in (found.in_domain, found.out_of_domain))
        lines.append(Text(f"{n / bins:.1f} to {(n + 1) / bins:.1f} {mark} {bars}".rstrip()))
    lines += [
        Text("< holds the threshold; each question was scored by a gate fitted without it", style="dim"),
        Text(
            f"A threshold of {found.cosine:.3f} on the cosine alone lets "
            f"{_share(found.in_domain.passing_by_cosine, found.in_domain.n)} in-domain and "
            f"{_share(found.out_of_domain.passing_by_cosine, found.out_of_domain.n)} out-of-domain pass.",
            style="dim",
        ),
    ]
    if found.other_language:
        lines.append(Text(f"{found.other_language} in other languages were left out: another gate reads them."))
    return Group(*lines)


def _bar(side: GateSide, n: int) -> str:
    count = side.histogram[n] if n < len(side.histogram) else 0
    length = round(BAR * count / max(side.n, 1))
    return f"{count:>6} {'#' * max(length, int(count > 0)):<{BAR}}"


def _share(count: int, n: int) -> str:
    return f"{count} of {n} ({count / max(n, 1):.1%})"


def _reset(done: GateReset) -> str:
    """Say which calibration was dropped."""
    if not done.dropped:
        return "The gate was not calibrated; that of the build decides."
    return f"The calibration of {done.date or 'an unknown date'} is gone; the gate of the build decides again."


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
