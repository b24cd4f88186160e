"""The names of systems: which there are, and which words of a command line name some."""

from __future__ import annotations

import pytest

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.system_names import FREE_SYSTEMS, LLM_ONLY, choose_systems, names_systems


def test_without_names_every_system_that_asks_no_model_is_chosen() -> None:
    assert choose_systems([]) == list(FREE_SYSTEMS)
    assert LLM_ONLY not in FREE_SYSTEMS
    assert choose_systems([], has_reader=True) == [*FREE_SYSTEMS, "autokb+reader"]
    assert choose_systems(["bm25", LLM_ONLY]) == ["bm25", LLM_ONLY]


@pytest.mark.parametrize("name", ["oracle", "autokb+nothing", ""])
def test_an_unknown_system_is_named_beside_those_that_there_are(name: str) -> None:
    with pytest.raises(BadInputError, match=r"is no system; the systems are raw, raw\+cc, .*llm-wk\."):
        choose_systems(["raw", name])


@pytest.mark.parametrize("word", [*FREE_SYSTEMS, LLM_ONLY, "raw,bm25", "raw,oracle", "autokb+nohistori"])
def test_words_that_name_systems(word: str) -> None:
    assert names_systems(word)


@pytest.mark.parametrize("word", ["kb", "raws", "--queries", "folder/raw", "oracle", "raw+1", ""])
def test_words_that_name_none(word: str) -> None:
    assert not names_systems(word)
