"""The calibration of the gate on the terminal: what passes, and both distributions side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

if TYPE_CHECKING:
    from autokb.pipeline.calibrate_gate import GateCalibration, GateReset, GateSide

BAR = 24  # characters of a bar for all questions of a side


def calibration_view(found: GateCalibration) -> RenderableType:
    """Show how many of each side pass, the histograms of their probabilities, and what a bare cosine would do."""
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


def reset_sentence(done: GateReset) -> str:
    """Say which calibration was dropped."""
    if not done.dropped:
        return "The gate was not calibrated; that of the build decides."
    return f"The calibration of {done.date or 'an unknown date'} is gone; the gate of the build decides again."
