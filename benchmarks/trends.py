"""Increases: false alarms where dates are dealt out anew, and how often a planted rise is found.

Two sets with dates: past tickets (Titanium's Jira, a series a component) and forum questions (Thunderbird, a series a
topic). Each report is of a random week. For false alarms the dates change places among all things of a set, so that
nothing rises: the share of reports with any alarm is how often a team would be woken in vain. Where whole weeks change
places, bursts stay together; what increases then did once, so that figure has no aim. A planted rise adds things of
one series to the last weeks of a report. The same reports are judged by other tests, which is how the one in use was
chosen.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autokb.plugins.insight.rises import (
    ALARM,
    ALL,
    FEWEST_WEEKS,
    PAST_WEEKS,
    DatedEvents,
    Group,
    GroupKind,
    Trend,
    chance_of_rise,
    find_trends,
)
from autokb.plugins.insight.trends import WEEKS
from autokb.stats.counts import chance_of_more, chance_of_share, holm
from autokb.usage.weeks import week_of
from benchmarks.figures import Figure, Result
from benchmarks.tickets import read_tickets

SHUFFLES, QUICK_SHUFFLES = 1_000, 50
SPANS = (1, WEEKS)  # last weeks of a report
TIMES = (2, 3)  # times its own rate that a series is planted to rise to
RATES = ((0.5, 2.0), (2.0, 8.0))  # things a week in the past of the planted series, from and below
BUSY, BUSY_RATES = 4, ((8.0, 16.0),)  # weeks that are taken for one, as of a team with four times as much
PLANTED = 400  # reports with a planted rise a cell
FAR = 100  # reports with a rise of the rate looked for, before a cell stays empty
MOST_FALSE = 0.05  # share of reports with any false alarm
FORUM = Path(__file__).resolve().parents[2] / "shared" / "data" / "A_troubleshooting" / "thunderbird"
Event = tuple[int, tuple[Group, ...]]
Test = Callable[[Group, Sequence[int], Sequence[int], int], float]


def run(options: argparse.Namespace) -> Result:
    """Deal out dates, plant rises, and count alarms."""
    reports = QUICK_SHUFFLES if options.quick else SHUFFLES
    figures: list[Figure] = []
    planted = QUICK_SHUFFLES if options.quick else PLANTED
    for name, events in {"tickets": _tickets(), "questions": _questions()}.items():
        bench = _Bench(name, events)
        figures.append(Figure(f"{name}.dated", len(events), ""))
        figures.append(Figure(f"{name}.series", len({group for _, groups in events for group in groups}), ""))
        for weeks in SPANS:
            figures += bench.false_alarms(weeks, reports)
        busy = _Bench(f"{name}_busy", [(week // BUSY, groups) for week, groups in events])
        for times in TIMES:
            figures += bench.power(times, RATES, planted)
            figures += busy.power(times, BUSY_RATES, planted)
    return Result("trends", figures)


def _tickets() -> list[Event]:
    return [_event(one["created"], "component", one["components"] or [one["project"]]) for one in read_tickets()]


def _questions() -> list[Event]:
    if not FORUM.is_dir():
        raise SystemExit("This benchmark needs ../shared/data/A_troubleshooting/thunderbird beside the repository.")
    found: list[dict[str, Any]] = []
    for name in ("raw_issues.jsonl.gz", "raw_issues_extra.jsonl.gz"):
        with gzip.open(FORUM / name, "rt", encoding="utf-8", newline="\n") as file:
            found += map(json.loads, file)
    return [_event(one["created"], "theme", [one["topic"]]) for one in found]


def _event(moment: str, kind: GroupKind, names: Sequence[str]) -> Event:
    week = week_of(moment)
    assert week is not None, moment
    return week, tuple((kind, name) for name in names)


# -- other tests that were tried --------------------------------------------------------------------------------------


def _poisson(group: Group, counts: Sequence[int], everything: Sequence[int], weeks: int) -> float:
    past = len(counts) - weeks
    return chance_of_more(sum(counts[past:]), sum(counts[:past]), weeks, past)


def _negative_binomial(group: Group, counts: Sequence[int], everything: Sequence[int], weeks: int) -> float:
    """Return what the mean and variance of the past weeks (method of moments) make of the last ones."""
    from scipy.special import betainc

    past, recent = counts[: len(counts) - weeks], sum(counts[len(counts) - weeks :])
    mean, variance = float(np.mean(past)), float(np.var(past, ddof=1))
    if variance <= mean or not recent:
        return _poisson(group, counts, everything, weeks)
    size = mean * mean / (variance - mean) * weeks
    return float(betainc(recent, size, mean * weeks / (size + mean * weeks)))


def _share_alone(group: Group, counts: Sequence[int], everything: Sequence[int], weeks: int) -> float:
    past = len(counts) - weeks
    if group == ALL:
        return chance_of_rise(group, counts, everything, weeks)
    return chance_of_share(sum(counts[past:]), sum(counts), sum(everything[past:]), sum(everything))


def _and_share(own: Test) -> Test:
    def test(group: Group, counts: Sequence[int], everything: Sequence[int], weeks: int) -> float:
        share = _share_alone(group, counts, everything, weeks)
        return share if group == ALL else max(own(group, counts, everything, weeks), share)

    return test


TESTS: Mapping[str, Test] = {
    "in_use": chance_of_rise,
    "poisson": _poisson,
    "negative_binomial": _negative_binomial,
    "share_alone": _share_alone,
    "poisson_and_share": _and_share(_poisson),
    "negative_binomial_and_share": _and_share(_negative_binomial),
}


@dataclass(frozen=True)
class _Bench:
    """One set of dated things."""

    name: str
    events: list[Event]

    def false_alarms(self, weeks: int, reports: int) -> Iterator[Figure]:
        """Say in how many reports anything rises where nothing does."""
        for way, deal in {"shuffled": self._shuffled, "whole_weeks": self._weeks_moved}.items():
            dice = random.Random(f"{self.name} {weeks} {way}")
            alarms: Counter[str] = Counter()
            tested = 0
            for _ in range(reports):
                series = self._report(deal(dice), self._end(dice), weeks)
                tested += len(series)
                alarms.update(name for name, test in TESTS.items() if _alarms(series, test, weeks))
            for name in TESTS:
                aim = MOST_FALSE if name == "in_use" and way == "shuffled" else None
                figure = f"{self.name}.{weeks}_weeks.{way}.{name}"
                yield Figure(figure, alarms[name] / reports, "share of reports", at_most=aim)
            yield Figure(f"{self.name}.{weeks}_weeks.{way}.series_tested", tested / reports, "a report")

    def power(self, times: int, rates: Sequence[tuple[float, float]], reports: int) -> Iterator[Figure]:
        """Say how often a planted rise is found, by how much there was a week before."""
        for least, most in rates:
            dice = random.Random(f"{self.name} {times} {least}")
            numbers = np.random.default_rng(dice.randrange(2**32))
            found: Counter[str] = Counter()
            planted = misses = 0
            while planted < reports and misses < FAR * (planted + 1):
                events, end = self._shuffled(dice), self._end(dice)
                past = Counter(g for week, groups in events if 0 <= end - WEEKS - week < PAST_WEEKS for g in groups)
                fitting = [g for g, count in sorted(past.items()) if least <= count / PAST_WEEKS < most]
                if not fitting:
                    misses += 1
                    continue
                planted += 1
                group = dice.choice(fitting)
                more = int(numbers.poisson((times - 1) * past[group] / PAST_WEEKS * WEEKS))
                events += [(end - dice.randrange(WEEKS), (group,)) for _ in range(more)]
                series = self._report(events, end, WEEKS)
                found.update(name for name, test in TESTS.items() if group in _alarms(series, test, WEEKS))
            for name in TESTS:
                share = found[name] / planted if planted else None
                yield Figure(f"{self.name}.times_{times}.from_{least:g}_a_week.{name}", share, "share found")

    def _end(self, dice: random.Random) -> int:
        weeks = [week for week, _ in self.events]
        return dice.randint(min(weeks) + FEWEST_WEEKS + WEEKS + 1, max(weeks) - 1)

    def _shuffled(self, dice: random.Random) -> list[Event]:
        weeks = [week for week, _ in self.events]
        dice.shuffle(weeks)
        return [(week, groups) for week, (_, groups) in zip(weeks, self.events, strict=True)]

    def _weeks_moved(self, dice: random.Random) -> list[Event]:
        weeks = [week for week, _ in self.events]
        order = list(range(min(weeks), max(weeks) + 1))
        moved = dict(zip(order, dice.sample(order, len(order)), strict=True))
        return [(moved[week], groups) for week, groups in self.events]

    @staticmethod
    def _report(events: Sequence[Event], end: int, weeks: int) -> list[Trend]:
        """Return the series that a report tests."""
        _, series = find_trends([DatedEvents("tickets", events)], {}, end, weeks)
        return [one for one in series if one.chance is not None]


def _alarms(series: Sequence[Trend], test: Test, weeks: int) -> list[Group]:
    """Return the series that rise by a test, corrected for how many there are."""
    everything = next((one.counts for one in series if one.kind == "all"), ())
    chances = holm([test((one.kind, one.id), one.counts, everything, weeks) for one in series])
    return [(one.kind, one.id) for one, chance in zip(series, chances, strict=True) if chance < ALARM]
