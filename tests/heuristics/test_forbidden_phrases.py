"""Phrases that a rule forbids: inflections, order and negation."""

from __future__ import annotations

import pytest

from autokb.core.domain import Rule
from autokb.heuristics.forbidden_phrases import find_forbidden
from autokb.heuristics.rules import find_breach

BROKEN = [
    ("contact support", "Contact support."),
    ("contact support", "If this does not help, contact our support team."),
    ("contact support", "If it does not help contact support"),
    ("contact support", "Try contacting the Lumo customer support"),
    ("contact support", "Our support team can be contacted at any time."),
    ("contact support", "Do not hesitate to contact support."),
    ("contact support", "Do not forget to contact support."),
    ("contact support", "Do not contact the shop, contact support."),
    ("contact support", "If not, contact support."),
    ("contact support", "Never mind: contact support."),
    ("call our hotline", "Call the hotline."),
    ("call our hotline", "Our hotline may be called."),
    ("turn off firewall", "Turning both antivirus, VPN, proxy and firewall off is recommended"),
    ("turn off antivirus", "Turning both antivirus, VPN, proxy and firewall off is recommended"),
    ("turn off firewall", "The firewall should be turned off."),
    ("turn off antivirus", "Turn off not only the firewall but also the antivirus."),
    ("disable antivirus", "Disable (not just pause) the antivirus."),
    ("send password", "Passwords are sent to the helper."),
    ("send password", "The password has to be sent."),
    ("enable TLS 1.0", "Re-enabling TLS 1.0 helps."),
]
KEPT = [
    ("contact support", "Do not contact support."),
    ("contact support", "Don’t contact the support team."),
    ("contact support", "You do not need to contact our support."),
    ("contact support", "There is no need to contact support."),
    ("contact support", "Solve it without contacting support."),
    ("contact support", "Restart it instead of contacting support."),
    ("contact support", "Do not contact support, contact us."),
    ("contact support", "Clean the contacts. Many sockets support this."),
    (
        "contact support",
        "The gold contacts of the case are made for phones, tablets and laptops that support charging.",
    ),
    ("turn off firewall", "The firewall should never be turned off."),
    ("turn off firewall", "Turn off the computer; the firewall stays as it is."),
    ("turn off antivirus", "Turn off the VPN, not the antivirus."),
    ("send password", "Never share or send your password."),
    ("delete profile", "Open the profile manager."),
]


@pytest.mark.parametrize(("phrase", "text"), BROKEN)
def test_a_phrase_is_found_in_any_inflection_and_order(phrase: str, text: str) -> None:
    assert find_forbidden([phrase], text)


@pytest.mark.parametrize(("phrase", "text"), KEPT)
def test_what_is_denied_or_said_of_something_else_is_no_advice(phrase: str, text: str) -> None:
    assert find_forbidden([phrase], text) is None


def test_the_words_found_are_those_of_the_text() -> None:
    text = "First: turn “your” antivirus program off, then on."
    assert find_forbidden(["delete mail", "turn off antivirus"], text) == "turn “your” antivirus program off"


@pytest.mark.parametrize(
    ("phrase", "text", "is_broken"),
    [
        ("Support kontaktieren", "Kontaktieren Sie unseren Support.", True),
        ("Support kontaktieren", "Sie können unseren Support kontaktieren.", True),
        ("Support kontaktieren", "Kontaktieren Sie nicht den Support.", False),
        ("Firewall deaktivieren", "Deaktivieren Sie die Firewall nicht.", False),
        ("Firewall deaktivieren", "Deaktivieren Sie nicht nur die Firewall.", True),
        ("Firewall deaktivieren", "Ohne die Firewall zu deaktivieren, geht es auch.", False),
    ],
)
def test_phrases_in_german(phrase: str, text: str, is_broken: bool) -> None:
    assert (find_forbidden([phrase], text, "de") is not None) == is_broken


@pytest.mark.parametrize(
    "text",
    [
        "See https://example.org/kb/disable-ssl for more.",
        "See [the page](https://example.org/disable-ssl).",
        'See [the page](../kb/disable-ssl "disable SSL") for more.',
        "See www.example.org/disable-ssl, or support.example.org/en/disable_ssl.",
        "See <https://example.org/disable-ssl>.",
    ],
)
def test_an_address_breaks_no_rule(text: str) -> None:
    by_pattern, by_phrase = Rule("p", "x", (r"disable[-_ ]ssl",)), Rule("f", "x", (), ("disable SSL",))
    assert find_breach(by_pattern, text) is None
    assert find_breach(by_phrase, text) is None


def test_the_label_of_a_link_and_what_only_looks_like_an_address_count() -> None:
    rule = Rule("p", "x", (r"disable[-_ ]ssl",), ("turn off SSL",))
    assert find_breach(rule, "[Disable SSL](https://example.org/x)") == "Disable SSL"
    assert find_breach(rule, "Turn off SSL/TLS.") == "Turn off SSL"
    assert find_breach(rule, "See https://example.org/x. Disable SSL.") == "Disable SSL"
