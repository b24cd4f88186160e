"""The arms of an experiment: dealt by a hash that no version may change, and by nothing else."""

from __future__ import annotations

import pytest

from autokb.core.errors import BadInputError
from autokb.core.in_use import CONTROL, TREATMENT, ArmSettings
from autokb.core.settings import read_settings


def test_the_arm_of_a_conversation_is_the_same_in_every_process_and_version() -> None:
    spring = ArmSettings(True, 0.5, "spring")
    dealt = "".join("tc"[spring.arm_of(f"c{n}") == CONTROL] for n in range(20))
    assert dealt == "tcttctttctcctctccctc"  # whoever changes it deals running experiments out anew


def test_a_share_is_dealt_and_a_wider_one_keeps_who_was_in() -> None:
    ids = [f"chat/{n}" for n in range(10_000)]
    treated = {}
    for share in (0.0, 0.1, 0.5, 1.0):
        treated[share] = {i for i in ids if ArmSettings(True, share, "a").arm_of(i) == TREATMENT}
        # 4 standard deviations of a binomial distribution
        assert abs(len(treated[share]) - 10_000 * share) <= 4 * (10_000 * share * (1 - share)) ** 0.5
    assert treated[0.0] < treated[0.1] < treated[0.5] < treated[1.0]
    other = {i for i in ids if ArmSettings(True, 0.5, "b").arm_of(i) == TREATMENT}
    assert abs(len(other & treated[0.5]) - 2_500) < 200  # another salt deals independently


def test_without_an_experiment_or_an_id_there_is_no_arm() -> None:
    assert ArmSettings(False).arm_of("c") is None
    assert ArmSettings(True).arm_of("") is None


def test_settings_of_an_experiment() -> None:
    assert read_settings({}).experiment == ArmSettings()
    assert read_settings({"experiment": {"share": "0.2", "salt": 2026}}).experiment == ArmSettings(True, 0.2, "2026")
    assert read_settings({"experiment": {"enabled": "false", "salt": "x"}}).experiment == ArmSettings(False, 0.5, "x")
    for wrong, words in (
        ({"share": 1.5}, "from 0 to 1, not 1.5"),
        ({"share": "nan"}, "from 0 to 1"),
        ({"part": 1}, "enabled, share, salt, not 'part'"),
        ({"enabled": "maybe"}, "true or false"),
        ({"salt": ["x"]}, "a word"),
    ):
        with pytest.raises(BadInputError, match=words):
            read_settings({"experiment": wrong})


def test_questions_are_kept_unless_the_settings_say_no() -> None:
    assert read_settings({}).log_questions
    assert not read_settings({"log_questions": "false"}).log_questions
    with pytest.raises(BadInputError, match="log_questions must be true or false"):
        read_settings({"log_questions": "sometimes"})
