"""Names of people are found where a message gives them away, and words of products are not taken for them."""

from __future__ import annotations

import pytest

from autokb.text.person_names import find_names, mask_names
from autokb.text.stemming import stem

PRODUCTS = ("lumo", "one", "windows", "thunderbird", "bluetooth", "kopfhörer", "outlook")
VOCABULARY = {language: frozenset(stem(word, language) for word in PRODUCTS) for language in ("en", "de")}

NAMED = [
    ("en", "Hi, I'm Anna Schmidt and my Lumo One is dead", ["Anna Schmidt"]),
    ("en", "Hello, this is Jean-Pierre from Leeds.", ["Jean-Pierre"]),
    ("en", "My name is Tom and Outlook is slow", ["Tom"]),
    ("en", "Hi Tom, it fails again.\nKind regards,\nMary O'Neil\nSent from my phone", ["Tom", "Mary O'Neil"]),
    ("en", "it does not start\nThanks in advance - Jay M.", ["Jay M."]),
    ("en", "No sound at all. Thanks, Windows", ["Windows"]),  # the last word of a message is a name, whatever it means
    ("en", "I spoke to Mr. Smith and Dr. Jane Low before", ["Smith", "Jane Low"]),
    ("de", "Hallo, ich bin Anna Schmidt und mein Kopfhörer ist stumm", ["Anna Schmidt"]),
    ("de", "Sehr geehrter Herr Müller, es geht nicht.\nMit freundlichen Grüßen\nPeter Groß", ["Müller", "Peter Groß"]),
    ("de", "ich heiße Karl und habe eine Frage. Viele Grüße, Karl!", ["Karl", "Karl"]),
    ("de", "Hallo Erika, nichts geht mehr", ["Erika"]),
    ("de", "Ich habe mit Frau Dr. Weber gesprochen", ["Weber"]),
]
NOT_NAMED = [
    ("en", "I'm on Windows and I am Using Outlook"),
    ("en", "Hello Thunderbird, why is it slow"),
    ("en", "Dear Sir or Madam, Dear Support Team,\nHi Lumo Team, hello all"),
    ("en", "my name is not shown in the From field"),
    ("en", "Thanks for the help with Bluetooth. Regards"),
    ("en", "thanks,\nIt works now and Windows is fine again"),
    ("en", "Thank you, NASA"),
    ("en", "Ms Office is slow"),
    ("de", "Hallo, ich bin Kunde bei Lumo"),
    ("de", "Guten Tag liebes Team, Hallo Zusammen, Hallo Bluetooth"),
    ("de", "Danke, Team"),
    ("de", "Ich bin Nutzer des Lumo One. Mit freundlichen Grüßen"),
    ("fr", "Hi, I'm Anna Schmidt. Regards, Anna"),
    ("en", ""),
]


@pytest.mark.parametrize(("language", "text", "names"), NAMED, ids=lambda value: str(value)[:40])
def test_names_are_found_behind_their_cues(language: str, text: str, names: list[str]) -> None:
    assert [text[a:b] for a, b in find_names(text, language, VOCABULARY[language])] == names


@pytest.mark.parametrize(("language", "text"), NOT_NAMED, ids=lambda value: str(value)[:40])
def test_products_and_addressees_are_no_names(language: str, text: str) -> None:
    assert find_names(text, language, VOCABULARY.get(language, frozenset({"lumo"}))) == []


def test_without_a_vocabulary_only_the_sure_cues_are_read() -> None:
    assert (
        mask_names("Hi Lumo, my name is Tom. Regards, Ann", "en") == "Hi Lumo, my name is <name-1>. Regards, <name-2>"
    )


def test_one_name_has_one_placeholder() -> None:
    masked = mask_names("Hi Tom, it fails.\nRegards,\nANN\nThanks, Ann\nCheers, Tom", "en", VOCABULARY["en"])
    assert masked == "Hi <name-1>, it fails.\nRegards,\nANN\nThanks, <name-2>\nCheers, <name-1>"


@pytest.mark.parametrize("piece", [" ", "\t", "!"])  # a quadratic expression would hang here
def test_a_long_text_behind_a_name_is_read(piece: str) -> None:
    masked = mask_names("It hisses.\n\nRegards,\nAnn" + piece * 20_000 + "\n", "en")
    assert masked.startswith("It hisses.\n\nRegards,\n<name-1>")
