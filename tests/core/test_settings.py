"""Settings: what earlier versions called by another word is still read."""

from __future__ import annotations

from typing import Any

import pytest

from autokb.core.errors import AutokbWarning, BadInputError
from autokb.core.settings import CAUTION, GraphSettings, read_settings

JUDGE = {"check_rules": "openai:judge"}


def test_models_of_single_tasks_are_read_under_the_old_word_too() -> None:
    assert read_settings({"tasks": JUDGE}).tasks == read_settings({"rooms": JUDGE}).tasks == JUDGE
    assert read_settings({"tasks": JUDGE, "rooms": {"check_rules": "openai:old"}}).tasks == JUDGE


@pytest.mark.parametrize("data", [None, {}, {"answer": None}, {"answer": {}}])
def test_without_a_word_on_answers_the_caution_is_one_half(data: Any) -> None:
    assert read_settings(data).answer.caution == CAUTION == 0.5


@pytest.mark.parametrize("caution", [0, 0.25, 1, "0.75"])  # our YAML gives decimals as text
def test_the_caution_is_a_probability(caution: Any) -> None:
    assert read_settings({"answer": {"caution": caution}}).answer.caution == float(caution)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"caution": 1.5}, "caution must be a probability"),
        ({"caution": -1}, "caution must be a probability"),
        ({"caution": True}, "caution must be a probability"),
        ({"caution": "high"}, "caution must be a probability"),
        ({"caution": float("nan")}, "caution must be a probability"),
        ({"caution": None}, "caution must be a probability"),
        ({"caution": 10**400}, "caution must be a probability"),
        ({"courage": 1}, "answer takes caution alone, not 'courage'"),
        (0.5, "answer must be a mapping"),
    ],
)
def test_another_caution_is_refused(answer: Any, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        read_settings({"answer": answer})


def test_a_reasoning_effort_is_set_by_model_under_either_spelling() -> None:
    settings = read_settings({"reasoning_effort": {"openai:gpt-5-mini": "minimal", "gemini-2.5-flash": "none"}})
    assert settings.effort_of("openai:gpt-5-mini") == "minimal"
    assert settings.effort_of("google:gemini-2.5-flash") == "none"
    assert settings.effort_of("gpt-5-mini") == settings.effort_of("openai:gpt-4o") == ""
    assert read_settings({}).effort_of("openai:gpt-5-mini") == ""


@pytest.mark.parametrize("effort", ["lots", 3, None, True, ["low"]])
def test_another_effort_is_refused(effort: Any) -> None:
    with pytest.raises(
        BadInputError, match=r"reasoning_effort of m must be one of none, minimal, low, .* sends none\."
    ):
        read_settings({"reasoning_effort": {"m": effort}})


def test_efforts_without_models_are_refused() -> None:
    with pytest.raises(BadInputError, match="reasoning_effort must be a mapping"):
        read_settings({"reasoning_effort": "low"})


def test_a_scratchpad_is_off_unless_the_settings_say_so() -> None:
    assert not read_settings({}).scratchpad
    assert read_settings({"scratchpad": True}).scratchpad
    assert read_settings({"scratchpad": "true"}).scratchpad
    assert not read_settings({"scratchpad": "False"}).scratchpad
    with pytest.raises(BadInputError, match="scratchpad must be true or false, not 'please'"):
        read_settings({"scratchpad": "please"})


def test_the_graph_store_is_ladybug() -> None:
    assert read_settings({}).graph == GraphSettings("ladybug")
    assert read_settings({"graph": {"store": "ladybug"}}).graph == GraphSettings()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("ladybug", "must be a mapping"),
        ({"store": "neo4j"}, "store must be ladybug, not"),
        ({"uri": "bolt://me:secret@graph"}, "graph takes store alone, not"),
        ({"store": 1}, "store must be ladybug, not 1"),
    ],
)
def test_a_wrong_graph_store_is_named(given: object, why: str) -> None:
    with pytest.raises(BadInputError, match=why) as refused:
        read_settings({"graph": given})
    assert "secret" not in str(refused.value)


def test_a_knowledge_base_is_searched_in_the_database_from_a_number_of_rows() -> None:
    assert read_settings({}).search.in_database_from == 200_000
    assert read_settings({"search": {"in_database_from": 0}}).search.in_database_from == 0
    for given, why in (({"from": 1}, "in_database_from alone"), ({"in_database_from": -1}, "a number of rows")):
        with pytest.raises(BadInputError, match=why):
            read_settings({"search": given})


@pytest.mark.parametrize(("name", "said"), [("sync", "its settings are under sources:"), ("ray", "it has no settings")])
def test_a_section_that_no_plug_in_reads_is_named(name: str, said: str) -> None:
    with pytest.warns(AutokbWarning, match=f"plugins: {name} is not read; {said}"):
        read_settings({"plugins": {name: {"every": "5m"}}})
