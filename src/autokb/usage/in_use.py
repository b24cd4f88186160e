"""What is made of suggestions, and what becomes of conversations: the figures of a deployment, for one's own team."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autokb.core.in_use import (
    CONTROL,
    TREATMENT,
    Arm,
    ArmSettings,
    AssignedArm,
    ConversationOutcome,
    Feedback,
    QuestionOutcome,
    hashed_conversation,
    last_words,
)
from autokb.core.results import Result
from autokb.stats.bootstrap import Interval
from autokb.stats.samples import PERCENTILES, ComparedFigure, compare_samples, nearest_rank
from autokb.stats.shares import Share, clustered_share, share, share_difference
from autokb.stores.feedback import read_feedback
from autokb.stores.outcomes import read_arms, read_outcomes
from autokb.stores.question_log import count_lost, read_question_outcomes
from autokb.stores.workspace import Workspace
from autokb.usage.weeks import day_given, week_name, week_of
from autokb.views.theme_names import ThemeNames

MOST_PARTS = 100  # sources, themes and groups that are told apart, those with most suggestions; weeks are the last ones
UNEVEN = 0.001  # probability of arms as uneven as these by chance: below it something else than the hash deals them out
NOT_CAUSAL = (
    "Agents choose when to use a suggestion, perhaps where a conversation is easy. This doesn't prove an effect; an "
    "experiment would."
)
BY_CHANCE = "The hash of a conversation's id chose its arm, so that what differs by more than chance is an effect."
UNEVEN_ARMS = (
    "The arms are further from the share that was set than chance explains: something else decides who is in which "
    "(reports that come for one arm alone, perhaps). Do not trust the differences before that is found."
)
Dated = TypeVar("Dated", Feedback, QuestionOutcome, ConversationOutcome, AssignedArm)


@dataclass(frozen=True, slots=True)
class Acceptance(Result):
    """What agents made of suggestions: ``rate`` is the share that was used or edited of those that they judged by use.

    ``helpful_rate`` is that of thumbs up. Intervals take the suggestions of one conversation together.
    """

    used: int
    edited: int
    rejected: int
    rate: Share
    helpful: int
    unhelpful: int
    helpful_rate: Share


@dataclass(frozen=True, slots=True)
class QuestionCounts(Result):
    """What was asked by the log, which has the newest questions alone, the oldest of ``since``.

    ``lost`` questions could not be kept, whatever the day.
    ``adoption`` is the share of its conversations with a suggestion that was used or edited.
    """

    asked: int
    answered: Share
    asks: int
    abstains: int
    conversations: int
    adoption: Share
    since: str
    lost: int


@dataclass(frozen=True, slots=True)
class Duration(Result):
    """Seconds that ``n`` conversations took."""

    n: int
    mean: Interval
    p50: Interval
    p90: Interval


@dataclass(frozen=True, slots=True)
class ReaderFigures(Result):
    """The logged questions that one reader decided, or for which ``offline`` stood in because the reader failed.

    Seconds from question to answer (nearest rank) and USD a question, None where nothing, or no price, is known.
    """

    asked: int
    answered: Share
    p50: float | None
    p95: float | None
    p99: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class GroupOutcomes(Result):
    """How the conversations of one group ended; of ``conversations`` so many were ``reported``."""

    conversations: int
    reported: int
    resolved: Share
    returned: Share
    seconds: Duration


@dataclass(frozen=True, slots=True)
class OutcomeComparison(Result):
    """Two groups of conversations, and the first minus the second.

    ``differences`` has ``resolved``, ``returned``, ``seconds_mean``, ``seconds_p50`` and ``seconds_p90``, and those of
    seconds as a share of the second group's too (``seconds_p50_relative``). ``note`` says what it means.
    """

    groups: Mapping[str, GroupOutcomes]
    differences: Mapping[str, Interval]
    is_causal: bool
    note: str


@dataclass(frozen=True, slots=True)
class ExperimentFigures(Result):
    """An experiment: conversations that asked for suggestions, by arm.

    ``dealt`` is the share of them in the treatment arm; ``is_uneven`` where chance does not explain how far that is
    from the ``share`` that was set. ``unassigned`` outcomes are of conversations without an arm.
    """

    enabled: bool
    salt: str
    share: float
    dealt: Share
    is_uneven: bool
    unassigned: int
    outcomes: OutcomeComparison


@dataclass(frozen=True, slots=True)
class InUse(Result):
    """All figures since a day; the parts are by name, ``left_out`` says how many of a part are not told apart here."""

    since: str | None
    suggestions: Acceptance
    by_source: Mapping[str, Acceptance]
    by_theme: Mapping[str, Acceptance]
    by_group: Mapping[str, Acceptance]
    by_week: Mapping[str, Acceptance]
    left_out: Mapping[str, int]
    questions: QuestionCounts
    by_reader: Mapping[str, ReaderFigures]
    experiment: ExperimentFigures | None
    use: OutcomeComparison


# Complex: all tables are of one snapshot, and the inner function parts the same feedback four ways.
def measure_use(workspace: Workspace, since: str | None) -> InUse:
    """Work out everything that is known since a day (BadInputError where that is none)."""
    day = day_given(since, "since")
    experiment = workspace.settings.experiment
    with workspace.file() as file, file.snapshot():
        feedback = _from(day, read_feedback(file))
        questions = _from(day, read_question_outcomes(file))
        outcomes = _from(day, read_outcomes(file))
        arms = {one.conversation: one.arm for one in _from(day, read_arms(file, experiment.salt))}
        themes = ThemeNames(file, of_many=True)
        theme_of = {s: themes.of_solution(s) for s in {one.solution_id for one in feedback if one.solution_id}}
        lost = count_lost(file)
    left_out: dict[str, int] = {}

    def parted(name: str, part_of: Callable[[Feedback], str], *, newest: bool = False) -> dict[str, Acceptance]:
        parts: dict[str, list[Feedback]] = {}
        for one in feedback:
            parts.setdefault(part_of(one), []).append(one)
        names = sorted(parts, reverse=newest)
        if not newest:
            names.sort(key=lambda part: -len(parts[part]))
        left_out[name] = max(0, len(names) - MOST_PARTS)
        kept = names[:MOST_PARTS]
        return {part: _acceptance(parts[part]) for part in (sorted(kept) if newest else kept)}

    used = {one.conversation for one in feedback if one.verdict in ("used", "edited") and one.conversation}
    control = {conversation for conversation, arm in arms.items() if arm == CONTROL}
    return InUse(
        since=day or None,
        suggestions=_acceptance(feedback),
        by_source=parted("by_source", lambda one: one.source),
        by_theme=parted("by_theme", lambda one: theme_of.get(one.solution_id or "", "")),
        by_group=parted("by_group", lambda one: one.group),
        by_week=parted("by_week", lambda one: week_name(week_of(one.date)), newest=True),
        left_out=left_out,
        questions=_count_questions(questions, used, lost),
        by_reader=_by_reader(questions),
        experiment=_measure_experiment(experiment, arms, outcomes),
        use=_compare(
            [one for one in outcomes if one.conversation not in control],
            lambda one: "used" if one.conversation in used else "not_used",
            ("used", "not_used"),
            None,
            NOT_CAUSAL,
        ),
    )


def _from(day: str, records: Iterable[Dated]) -> list[Dated]:
    return [one for one in records if one.date[:10] >= day]


def _acceptance(feedback: Sequence[Feedback]) -> Acceptance:
    """Count what was said last of each suggestion: by using it or not, and by a thumb."""
    by_use = last_words(one for one in feedback if one.verdict in ("used", "edited", "rejected"))
    by_thumb = last_words(one for one in feedback if one.verdict in ("helpful", "unhelpful"))
    counts = Counter(one.verdict for one in (*by_use, *by_thumb))
    return Acceptance(
        used=counts["used"],
        edited=counts["edited"],
        rejected=counts["rejected"],
        rate=_share_said(by_use, ("used", "edited")),
        helpful=counts["helpful"],
        unhelpful=counts["unhelpful"],
        helpful_rate=_share_said(by_thumb, ("helpful",)),
    )


def _share_said(feedback: Iterable[Feedback], verdicts: tuple[str, ...]) -> Share:
    clusters: dict[str, list[bool]] = {}
    for one in feedback:
        clusters.setdefault(one.conversation or f"\0{one.id}", []).append(one.verdict in verdicts)
    return clustered_share([(sum(said), len(said)) for said in clusters.values()])


def _count_questions(questions: Sequence[QuestionOutcome], used: Iterable[str], lost: int) -> QuestionCounts:
    outcomes = Counter(one.outcome for one in questions)
    clusters: dict[str, list[bool]] = {}
    for one in questions:
        clusters.setdefault(one.conversation or f"\0{one.number}", []).append(one.outcome == "answered")
    conversations = {one.conversation for one in questions if one.conversation}
    with_used = conversations & set(map(hashed_conversation, used))
    return QuestionCounts(
        asked=len(questions),
        answered=clustered_share([(sum(said), len(said)) for said in clusters.values()]),
        asks=outcomes["asks"],
        abstains=outcomes["abstains"],
        conversations=len(conversations),
        adoption=share(len(with_used), len(conversations)),
        since=questions[0].date if questions else "",
        lost=lost,
    )


def _by_reader(questions: Sequence[QuestionOutcome]) -> dict[str, ReaderFigures]:
    """Return the figures of each reader by its name; of questions for which none was asked under an empty one."""
    parts: dict[str, list[QuestionOutcome]] = {}
    for one in questions:
        parts.setdefault(one.reader, []).append(one)
    found = {}
    for name, some in sorted(parts.items()):
        seconds = sorted(one.seconds for one in some if one.seconds is not None)
        costs = [one.cost for one in some if one.cost is not None]
        p50, p95, p99 = (nearest_rank(seconds, part) for part in PERCENTILES)
        found[name] = ReaderFigures(
            asked=len(some),
            answered=share(sum(one.outcome == "answered" for one in some), len(some)),
            p50=p50,
            p95=p95,
            p99=p99,
            cost=sum(costs) / len(costs) if len(costs) == len(some) else None,
        )
    return found


def _measure_experiment(
    experiment: ArmSettings, arms: Mapping[str, Arm], outcomes: Sequence[ConversationOutcome]
) -> ExperimentFigures | None:
    if not experiment.enabled and not arms:
        return None
    counts: Counter[str] = Counter(arms.values())
    dealt = share(counts[TREATMENT], len(arms))
    uneven = _is_uneven(counts[TREATMENT], len(arms), experiment.share)
    note = UNEVEN_ARMS if uneven else BY_CHANCE
    known = [one for one in outcomes if one.conversation in arms]
    compared = _compare(known, lambda one: arms[one.conversation], (TREATMENT, CONTROL), counts, note)
    return ExperimentFigures(
        enabled=experiment.enabled,
        salt=experiment.salt,
        share=experiment.share,
        dealt=dealt,
        is_uneven=uneven,
        unassigned=len(outcomes) - len(known) if experiment.enabled else 0,
        outcomes=compared,
    )


def _is_uneven(in_treatment: int, n: int, wanted: float) -> bool:
    """Return whether chance does not deal so unevenly: the normal approximation to the binomial distribution."""
    deviation = math.sqrt(n * wanted * (1 - wanted))
    if not deviation:
        return in_treatment != n * wanted
    return math.erfc(abs(in_treatment - n * wanted) / deviation / math.sqrt(2)) < UNEVEN


def _compare(
    outcomes: Sequence[ConversationOutcome],
    group_of: Callable[[ConversationOutcome], str],
    names: tuple[str, str],
    conversations: Mapping[str, int] | None,
    note: str,
) -> OutcomeComparison:
    """Compare the conversations of two groups; ``conversations`` counts those of experiments, reported or not."""
    groups: dict[str, list[ConversationOutcome]] = {name: [] for name in names}
    for one in outcomes:
        groups[group_of(one)].append(one)
    first, second = (groups[name] for name in names)
    seconds = [[one.seconds for one in group if one.seconds is not None] for group in (first, second)]
    times = compare_samples(*seconds)
    found = {
        name: _group(
            groups[name], conversations[name] if conversations is not None else len(groups[name]), times, place
        )
        for place, name in enumerate(names)
    }
    after, before = found.values()
    differences = {
        "resolved": share_difference(after.resolved, before.resolved),
        "returned": share_difference(after.returned, before.returned),
    }
    for name, figure in times.items():
        differences[f"seconds_{name}"] = figure.difference
        differences[f"seconds_{name}_relative"] = figure.relative
    return OutcomeComparison(found, differences, conversations is not None, note)


def _group(
    group: Sequence[ConversationOutcome], conversations: int, times: Mapping[str, ComparedFigure], place: int
) -> GroupOutcomes:
    def known(values: Iterable[bool | None]) -> Share:
        said = [value for value in values if value is not None]
        return share(sum(said), len(said))

    figures = [(times[name].after, times[name].before)[place] for name in ("mean", "p50", "p90")]
    return GroupOutcomes(
        conversations,
        len(group),
        known(one.resolved for one in group),
        known(one.returned for one in group),
        Duration(sum(one.seconds is not None for one in group), *figures),
    )
