"""The language of a question: another one is named, and one in the documents' language is never taken for another."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autokb.llm.embedders.multilingual import LANGUAGES
from autokb.text.languages import LANGUAGE_NAMES, find_other_language
from autokb.text.words import terms

MANUAL = (
    "Ear tips and fit. Choose the ear tip that seals. Pairing: put the buds into the case, hold the button until the "
    "light blinks white. Charging the left earbud. The battery drains. Reset. Sound is missing on a Windows laptop."
)
VOCABULARY = frozenset(terms(MANUAL))
QUESTIONS = {
    "de": ("Mein linker Kopfhörer lädt nicht mehr, was kann ich tun?", "Akku ist nach einer Stunde leer"),
    "fr": ("Mon écouteur gauche ne se recharge plus, que faire ?", "pas de son dans l'oreille gauche"),
    "es": ("El auricular izquierdo ya no carga, ¿qué puedo hacer?", "no se oye nada en el portátil"),
    "it": ("L'auricolare sinistro non si ricarica più",),
    "pt": ("O fone esquerdo não carrega mais, o que eu faço?",),
    "nl": ("Het linker oordopje laadt niet meer op",),
    "pl": ("Lewa słuchawka przestała się ładować",),
    "tr": ("Sol kulaklık artık şarj olmuyor",),
    "ru": ("Левый наушник больше не заряжается",),
    "ar": ("السماعة اليسرى لا تشحن",),
    "ja": ("左のイヤホンが充電できません",),
    "ko": ("왼쪽 이어폰이 충전되지 않아요",),
    "th": ("หูฟังข้างซ้ายชาร์จไม่เข้า",),
    "zh": ("左边的耳机充不上电",),
    "sv": ("vänster hörlur laddar inte längre",),
}
ENGLISH = (
    "ear tips hurt",
    "left earbud dead",
    "reset",
    "no sound",
    "pairing?",
    "Lumo Buds 2 iPhone 15 pairing",
    "die battery die",
    "how do I make a tortilla de patatas",
    "which vaccination do I need for Brazil",
    "can you hear music from the left",
    "",
    "???",
    "12 34 56",
)


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, some in QUESTIONS.items() for text in some])
def test_a_question_in_another_language_is_named(language: str, text: str) -> None:
    assert find_other_language(text, "en", VOCABULARY) == language


@pytest.mark.parametrize("text", ENGLISH)
def test_an_english_question_is_in_no_other_language(text: str) -> None:
    assert find_other_language(text, "en", VOCABULARY) is None


def test_words_of_the_documents_count_whatever_language_the_domain_names() -> None:
    """A German workspace whose domain.yaml lacks its language is asked in German as before."""
    question = "Wasserkocher entkalken"
    german = frozenset(terms("Den Wasserkocher mit Essig entkalken"))
    assert find_other_language(question, "en", german) is None
    assert find_other_language(question, "en", VOCABULARY) == "de"


def test_english_is_another_language_where_the_documents_are_german() -> None:
    german = frozenset(terms("Die Lampe am Wasserkocher blinkt rot, weil er zu heiß ist.", "de"))
    assert find_other_language("why does the red light on my kettle blink", "de", german) == "en"
    assert find_other_language("warum blinkt die rote Lampe", "de", german) is None


def test_a_language_that_the_detector_was_not_made_for_is_left_alone() -> None:
    assert find_other_language("Mein Kopfhörer lädt nicht mehr", "sw", frozenset()) is None


def test_the_first_of_a_long_message_tells_its_language() -> None:
    assert (
        find_other_language("Mein Kopfhörer lädt nicht. " * 80 + "the light blinks " * 50_000, "en", VOCABULARY) == "de"
    )


def test_every_language_of_the_encoder_can_be_named() -> None:
    assert not LANGUAGES - set(LANGUAGE_NAMES)


def test_a_question_in_the_language_of_the_documents_loads_no_detector() -> None:
    code = (
        "import sys; from autokb.text.languages import find_other_language as f; "
        "f('the ear tips hurt', 'en', frozenset(['ear', 'tip'])); print('py3langid' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
