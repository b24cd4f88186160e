"""Trends on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from autokb.cli.output import one_line
from autokb.cli.views import next_line, quoted, several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autokb.plugins.insight.effects import Effect
    from autokb.plugins.insight.rises import Trend
    from autokb.plugins.insight.trends import Trends
    from autokb.stats.bootstrap import Interval

SHOWN = 10  # of each list; --json has more
BARS = "▁▂▃▄▅▆▇█"
NAME = 60  # characters of a name


def trends_view(workspace: Path, found: Trends) -> RenderableType:
    """Show the increases with the weeks of each series, new topics, and the effect of solutions."""
    lines: list[RenderableType] = [
        Text(f"The last {several(found.weeks, 'whole week')} up to {found.last}, beside those before", style="bold")
    ]
    if not found.sources:
        lines.append(Text("Nothing here has a date: no raw issue, question, conversation or ticket."))
    for source in found.sources:
        undated = f", {source.undated} without a date" if source.undated else ""
        lines.append(Text(f"{source.source}: {source.dated}{undated}. {source.why}".rstrip(), "dim"))
    if found.series and not found.rising:
        lines.append(Text("No significant increase.", style="bold"))
    lines += [line for one in found.series[:SHOWN] for line in _series_lines(one)]
    lines += _new_lines(found)
    lines += _effect_lines(found)
    lines.append(next_line(f"Next: autokb gaps {quoted(workspace)}"))
    return Group(*lines)


def _series_lines(one: Trend) -> Iterator[Text]:
    kind = one.source if one.kind == "all" else f"{one.source}, {one.kind}"
    name = f"{one_line(one.name, NAME)} ({kind})" if one.name else f"All {one.source}"
    yield Text(f"{'rises  ' if one.rises else ''}{name}", "bold" if one.rises else "")
    compared = one.why
    if one.chance is not None:
        compared = f"{ratio_text(one.ratio)} times the weekly rate before (p = {one.chance:.2g})"
    yield Text(f"    {_bars(one.counts)}  {one.recent} now, {one.past} before: {compared}", "dim")


def _bars(counts: Sequence[int]) -> str:
    most = max(counts, default=0) or 1
    return "".join(BARS[round(count / most * (len(BARS) - 1))] for count in counts)


def ratio_text(figures: Interval) -> str:
    """Return a ratio with its interval, which has no upper end where nothing was before."""
    if figures.low is None:
        return "-"
    ends = f"[{figures.low:.2f}, {'' if figures.high is None else f'{figures.high:.2f}'}]"
    return f"new {ends}" if figures.value is None else f"{figures.value:.2f} {ends}"


def _new_lines(found: Trends) -> Iterator[Text]:
    since = f" since {one_line(found.since[:10])}" if found.since else ""
    yield Text(f"Asked{since} and in no tree: {found.new_total}", style="bold")
    for one in found.new[:SHOWN]:
        yield Text(f"{several(one.asked, 'time')}  {one_line(one.name, NAME)}: {one_line(one.text, 2 * NAME)}")


def _effect_lines(found: Trends) -> Iterator[Text]:
    told = [one for one in found.effects if not one.why]
    yield Text(f"Effect of solutions on their trees: {several(len(told), 'tree')} with enough weeks", style="bold")
    for one in told[:SHOWN]:
        yield Text(_effect_text(one))
    if told:
        yield Text(found.note, "dim")


def _effect_text(one: Effect) -> str:
    before, after = f"{one.before} in {several(one.weeks_before, 'week')}", f"{one.after} in {one.weeks_after}"
    return f"{one.source}, {one_line(one.name, NAME)}, {one.published}: {before}, then {after}: {ratio_text(one.ratio)}"
