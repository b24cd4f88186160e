"""What a draft looks for: groups of values that many domains have, and rules that many support desks have."""

from __future__ import annotations

from autokb.core.domain import Attribute
from autokb.heuristics.spec.proposal import DraftedRule
from autokb.text.lexicon_words import COMMON


def _closed(name: str, values: str) -> Attribute:
    return Attribute(name, "closed", tuple(values.split(", ")))


FAMILIES: tuple[Attribute, ...] = (
    _closed("os", "Windows, Mac, Linux, Android, iOS, ChromeOS"),
    _closed("device", "Phone, Tablet, Laptop, Desktop, Watch, Television"),
    _closed("connectivity", "Wired, Wireless"),
    _closed("network", "Wi-Fi, Ethernet, Mobile data"),
    _closed("browser", "Chrome, Firefox, Safari, Edge, Opera"),
    _closed("mail_protocol", "IMAP, POP, Exchange"),
    _closed("mail_provider", "Gmail, Outlook, Yahoo, iCloud, Hotmail"),
    _closed("headphone_type", "Earbud, Earphone, Headphone"),
    _closed("age", "Infant, Child, Adolescent, Adult, Elderly"),
    _closed("sex", "Male, Female"),
    Attribute("condition", "open", (), ("Hypertension", "Diabetes", "Asthma", "Heart disease", "Pregnancy", "Allergy")),
)
FAMILY_WORDS = frozenset(
    word.casefold().lstrip("?")
    for family in FAMILIES
    for value in (*family.values, *family.examples)
    for word in (value, *COMMON.get(value.casefold(), ()))
)

_WHY = "General, of any support desk"
RULES: tuple[DraftedRule, ...] = (
    DraftedRule(
        id="no-support",
        text="Do not tell the customer to contact support; this answer is the support.",
        why=_WHY,
        patterns=(
            r"\b(?:contact|call|e-?mail|write to|ask|reach out to)\s+(?:[\w-]+\s+){0,3}?(?:support|customer service)\b",
        ),
    ),
    DraftedRule(
        id="no-service-centre",
        text="Do not send the customer to a shop or a service centre for repair or replacement.",
        why=_WHY,
        patterns=(
            r"\b(?:service|repair)\s+(?:cent(?:er|re)|shop|partner)s?\b",
            r"\bauthori[sz]ed\s+(?:dealer|technician)s?\b",
        ),
    ),
    DraftedRule(
        id="no-manual",
        text="Do not point the customer to a manual instead of giving the steps.",
        why=_WHY,
        patterns=(
            r"\b(?:see|consult|read|refer to|check)\s+(?:the|your|our)\s+(?:\w+\s+){0,2}?(?:manual|handbook|guide)\b",
        ),
    ),
    DraftedRule(
        id="no-secrets",
        text="Do not ask the customer for a password, a PIN or a card number.",
        why=_WHY,
        patterns=(r"\b(?:send|tell|give)\s+(?:us|me|our\s+\w+)\s+(?:[\w-]+\s+){0,3}?(?:password|pin|card number)\b",),
    ),
)
