"""The figures of use: expected counts written out, stable arms, and comparisons that say what they are worth."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.in_use import CONTROL, TREATMENT, ArmSettings, AssignedArm, Feedback
from autokb.stats.shares import clustered_share, share
from autokb.stores.feedback import keep_feedback
from autokb.stores.outcomes import keep_arms
from autokb.stores.workspace import Workspace, open_workspace
from autokb.suggesting.suggestion_models import SuggestionModels

QUESTION = "my robot does not charge in the dock"
SPRING = "experiment: {share: 0.5, salt: spring}\n"


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    return SupportKB(hand_made)


def with_experiment(hand_made: Workspace, settings: str = SPRING, *, keep_log: bool = True) -> SupportKB:
    (hand_made.folder / "settings.yaml").write_text(settings)
    return SupportKB(open_workspace(hand_made.folder), keep_log=keep_log)


def give(kb: SupportKB, *feedback: Feedback) -> None:
    """Store feedback with dates of one's own."""
    with kb.workspace.file() as file, file.transaction():
        for one in feedback:
            keep_feedback(file, one)


def said(number: int, verdict: str, solution: str | None = "s-contacts", **more: str) -> Feedback:
    given = {"date": "2026-03-02T10:00:00+00:00", "source": "solution", "conversation": f"c{number}", **more}
    return Feedback(f"f-{number}-{verdict}-{solution}", "q", verdict, solution, **given)  # type: ignore[arg-type]


def test_acceptance_by_source_theme_group_and_week(kb: SupportKB) -> None:
    give(
        kb,
        said(1, "used", group="eu"),
        said(1, "rejected", "s-rain", group="eu"),
        said(2, "edited", group="us", date="2026-03-09T10:00:00+00:00"),
        said(3, "rejected", group="us"),
        said(4, "rejected"),
        said(4, "used"),  # of the same suggestion: the last word counts
        said(5, "used", None, source="ticket"),
        said(6, "helpful"),
        said(6, "used"),
        said(7, "unhelpful", "s-gone"),
    )
    found = kb.usage.in_use()
    all_ = found.suggestions
    assert (all_.used, all_.edited, all_.rejected, all_.helpful, all_.unhelpful) == (4, 1, 2, 1, 1)
    assert all_.rate == clustered_share([(1, 2), (1, 1), (0, 1), (1, 1), (1, 1), (1, 1)])
    assert all_.helpful_rate == share(1, 2)
    by = {name: (one.used, one.edited, one.rejected) for name, one in found.by_source.items()}
    assert by == {"solution": (3, 1, 2), "ticket": (1, 0, 0)}
    by = {name: (one.used, one.edited, one.rejected) for name, one in found.by_theme.items()}
    assert by == {"power": (3, 1, 1), "weather": (0, 0, 1), "": (1, 0, 0)}
    by = {name: (one.used, one.edited, one.rejected) for name, one in found.by_group.items()}
    assert by == {"": (3, 0, 0), "eu": (1, 0, 1), "us": (0, 1, 1)}
    assert {name: one.rate.n for name, one in found.by_week.items()} == {"2026-W10": 6, "2026-W11": 1}
    assert set(found.left_out.values()) == {0}
    since = kb.usage.in_use("2026-03-09")
    assert (since.since, since.suggestions.edited, since.suggestions.rate.n) == ("2026-03-09", 1, 1)


def test_groups_without_end_are_cut(kb: SupportKB) -> None:
    give(kb, *(said(n, "used", group=f"g{n % 130:03}") for n in range(260)), said(999, "used", group="g129"))
    found = kb.usage.in_use()
    assert (len(found.by_group), found.left_out["by_group"]) == (100, 30)
    assert next(iter(found.by_group)) == "g129"


def test_a_day_that_is_none_is_said(kb: SupportKB) -> None:
    for since in ("yesterday", "2026-13-01", "2026"):
        with pytest.raises(BadInputError, match="a day such as"):
            kb.usage.in_use(since)


def test_nothing_at_all_has_figures_without_values(kb: SupportKB) -> None:
    found = kb.usage.in_use()
    assert found.suggestions.rate.value is None and found.experiment is None and found.by_week == {}
    assert found.use.differences["resolved"].value is None and not found.use.is_causal
    assert found.as_json()["questions"]["adoption"] == {"n": 0, "value": None, "low": None, "high": None}


def test_the_control_arm_gets_no_suggestions_and_an_honest_outcome(hand_made: Workspace) -> None:
    kb = with_experiment(hand_made)
    plain = kb.suggest(QUESTION)
    assert plain.arm is None and plain.suggestions
    for n in range(12):
        arm = ArmSettings(True, 0.5, "spring").arm_of(f"c{n}")
        found = kb.suggest(QUESTION, conversation=f" c{n}\n")
        assert (found.arm, found.outcome) == (arm, "answered")
        assert bool(found.suggestions) == (arm == TREATMENT)
        assert found.as_json()["arm"] == arm
    with pytest.raises(BadInputError, match="strategy"):
        kb.suggest(QUESTION, conversation="c1", strategy="best")
    with pytest.raises(BadInputError, match="500 can be kept"):
        kb.suggest(QUESTION, conversation="c" * 501)
    kb.close()


def test_no_model_is_asked_for_the_control_arm(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    kb = with_experiment(hand_made, "model: openai:any\nexperiment: {share: 0, salt: spring}\n")

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a model was asked")

    monkeypatch.setattr(SuggestionModels, "answering", never)
    found = kb.suggest(QUESTION, conversation="c1", strategy="react")
    assert (found.arm, found.outcome, found.suggestions, found.spent.calls) == (CONTROL, "answered", (), 0)
    kb.close()


def test_arms_are_the_same_in_another_process(hand_made: Workspace) -> None:
    kb = with_experiment(hand_made, keep_log=False)
    code = (
        "import sys; from autokb.app import SupportKB; kb = SupportKB.open(sys.argv[1])\n"
        f"print(*(kb.suggest({QUESTION!r}, conversation=f'c{{n}}').arm for n in range(8)))"
    )
    other = subprocess.run([sys.executable, "-c", code, str(hand_made.folder)], capture_output=True, text=True)
    assert other.stdout.split() == [kb.suggest(QUESTION, conversation=f"c{n}").arm for n in range(8)], other.stderr


def test_outcomes_are_compared_by_arm(hand_made: Workspace) -> None:
    kb = with_experiment(hand_made)
    counts = {TREATMENT: 0, CONTROL: 0}
    for n in range(60):
        arm = kb.suggest(QUESTION, conversation=f"c{n}").arm
        assert arm is not None
        counts[arm] += 1
        if n < 50:  # of the others nothing is heard
            kb.usage.report_outcome(
                f"c{n}", resolved=arm == TREATMENT or n % 2 == 0, seconds=100 if arm == TREATMENT else 200
            )
    kb.usage.report_outcome("another", resolved=True)
    found = kb.usage.in_use().experiment
    assert found is not None and (found.enabled, found.salt, found.share, found.unassigned) == (True, "spring", 0.5, 1)
    assert found.dealt == share(counts[TREATMENT], 60) and not found.is_uneven and found.outcomes.is_causal
    treatment, control = found.outcomes.groups[TREATMENT], found.outcomes.groups[CONTROL]
    assert (treatment.conversations, control.conversations) == (counts[TREATMENT], counts[CONTROL])
    assert treatment.reported + control.reported == 50
    assert treatment.resolved == share(treatment.reported, treatment.reported)
    assert (treatment.seconds.p50.value, control.seconds.p50.value, treatment.returned.n) == (100, 200, 0)
    resolved = found.outcomes.differences["resolved"]
    assert resolved.value is not None and resolved.low is not None and resolved.low > 0
    assert found.outcomes.differences["seconds_p50"].value == -100
    assert found.outcomes.differences["seconds_p50_relative"].value == -0.5
    assert found.outcomes.differences["returned"].value is None
    kb.close()


def test_arms_that_chance_does_not_deal_are_named(hand_made: Workspace) -> None:
    kb = with_experiment(hand_made)
    with kb.workspace.file() as file, file.transaction():
        keep_arms(file, [AssignedArm(f"c{n}", "spring", TREATMENT, "2026-03-01") for n in range(40)])
    found = kb.usage.in_use().experiment
    assert found is not None and found.is_uneven and "Do not trust" in found.outcomes.note
    other = with_experiment(hand_made, "experiment: {share: 0.5, salt: summer}\n").usage.in_use().experiment
    assert other is not None and other.dealt.n == 0 and not other.is_uneven  # each experiment has its own
    off = with_experiment(hand_made, "experiment: {enabled: false, salt: spring}\n").usage.in_use().experiment
    assert off is not None and off.dealt.n == 40 and not off.enabled  # its figures stay


def test_conversations_with_a_used_suggestion_are_set_apart_without_a_causal_claim(hand_made: Workspace) -> None:
    kb = with_experiment(hand_made)
    treated = [f"c{n}" for n in range(40) if ArmSettings(True, 0.5, "spring").arm_of(f"c{n}") == TREATMENT]
    control = next(f"c{n}" for n in range(40) if f"c{n}" not in treated)
    for conversation in (*treated[:4], control):
        kb.suggest(QUESTION, conversation=conversation)
    kb.usage.give_feedback(QUESTION, "used", "s-contacts", conversation=treated[0])
    kb.usage.give_feedback(QUESTION, "edited", "s-contacts", "Wipe it.", conversation=treated[1])
    kb.usage.give_feedback(QUESTION, "rejected", "s-contacts", conversation=treated[2])
    for n, conversation in enumerate((*treated[:4], control)):
        kb.usage.report_outcome(conversation, resolved=n < 2, returned=n >= 2, seconds=60 * n)
    found = kb.usage.in_use()
    assert {name: one.reported for name, one in found.use.groups.items()} == {"used": 2, "not_used": 2}
    assert found.use.differences["resolved"].value == 1.0 and found.use.differences["returned"].value == -1.0
    assert found.use.differences["seconds_mean"].value == 30 - 150
    assert not found.use.is_causal and "doesn't prove an effect" in found.use.note
    asked = found.questions
    assert (asked.asked, asked.conversations, asked.adoption) == (5, 5, share(2, 5))
    assert asked.answered == share(5, 5)
    kb.close()


def test_arms_are_kept_where_no_question_is(hand_made: Workspace) -> None:
    kb = with_experiment(hand_made, f"log_questions: false\n{SPRING}")
    kb.suggest(QUESTION, conversation="c1")
    found = kb.usage.in_use()
    assert found.questions.asked == 0 and found.experiment is not None and found.experiment.dealt.n == 1
    kb.close()


def test_a_workspace_without_a_build_has_figures(tmp_path: Path) -> None:
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    kb.usage.report_outcome("c1", resolved=True)
    assert kb.usage.in_use().use.groups["not_used"].resolved == share(1, 1)
    assert kb.usage.gaps().questions_total == 0
