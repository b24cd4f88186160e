"""What of a mail is not its writer's matter leaves it, and what only looks like that stays."""

from __future__ import annotations

import pytest

from autokb.text.mail_parts import says_nothing, without_mail_parts

QUOTE = "> open Billing and press Cancel plan.\n> The plan runs on."
ASKED = "how do I connect Outlook?"
DISCLAIMER = "If you are not the intended recipient please delete it and notify the sender."


@pytest.mark.parametrize(
    ("behind", "kind"),
    [
        (f"On Mon, 3 Nov 2026 at 10:02, Support <help@shop.example> wrote:\n{QUOTE}", "quoted mail"),
        (f"On Mon, 3 Nov 2026 at 10:02, Support\n<help@shop.example> wrote:\n\n{QUOTE}", "quoted mail"),
        (f"Am 03.11.2026 um 10:02 schrieb Support:\n{QUOTE}", "quoted mail"),
        (f"________________________________\nFrom: Support <a@b.example>\nSent: Monday\n\n{QUOTE[2:]}", "quoted mail"),
        ("Von: Support\nGesendet: Montag\nAn: Kim\nBetreff: AW: Plan\n\nalter Text", "quoted mail"),
        ("-----Original Message-----\nSubject: plan\n\nopen Billing", "quoted mail"),
        ("-------- Weitergeleitete Nachricht --------\nBetreff: Plan\n\nalter Text", "quoted mail"),
        (QUOTE, "quoted mail"),
        ("Sent from my iPhone", "lines of a mail program"),
        ("Von meinem iPhone gesendet", "lines of a mail program"),
        ("Get Outlook for iOS<https://aka.ms/o0ukef>", "lines of a mail program"),
        ("Best regards\nMaria Muster\nShop Ltd.\n+49 170 1234567", "signatures"),
        ("Mit freundlichen Grüßen\nMaria Muster", "signatures"),
        ("-- \nMaria Muster\nShop Ltd.", "signatures"),
        (DISCLAIMER, "disclaimers"),
        ("CONFIDENTIALITY NOTICE: This e-mail and its attachment are confidential.\nDo not copy it.", "disclaimers"),
        ("Diese E-Mail kann vertrauliche Informationen enthalten. Unbefugte Weitergabe ist untersagt.", "disclaimers"),
    ],
)
def test_what_stands_behind_the_matter_leaves_a_mail(behind: str, kind: str) -> None:
    assert without_mail_parts(f"{ASKED}\n\n{behind}") == (ASKED, (kind,))
    alone, _ = without_mail_parts(behind)  # a mail is never left empty; what is passed on loses its headers
    assert alone in (behind, behind.rpartition("\n\n")[2])


def test_all_parts_leave_a_mail_in_whatever_order_they_stand() -> None:
    signed = (
        f"{ASKED}\n\nKind regards\nKim\n\nSent from my iPhone\n\n{DISCLAIMER}\n\nOn Monday, 3 May, Kim wrote:\n{QUOTE}"
    )
    text, kinds = without_mail_parts(signed.replace("\n", "\r\n"))
    assert text == ASKED
    assert {*kinds} == {"quoted mail", "disclaimers", "signatures", "lines of a mail program"}
    assert without_mail_parts(f"{ASKED} Sent from my iPhone")[0] == ASKED  # in a file that has lost its lines


def test_answers_between_quoted_lines_stay() -> None:
    mail = (
        "On Monday, 3 May, Kim wrote:\n> Did you reset it?\nYes, twice, without success.\n> Is it new?\nNo, it is old."
    )
    assert without_mail_parts(mail)[0] == "Yes, twice, without success.\nNo, it is old."


@pytest.mark.parametrize(
    "text",
    [
        "I deleted a pairing by mistake. Please delete it from the list for me.",
        "This e-mail is confidential, how can I encrypt it?",
        f"{DISCLAIMER} This stands under each mail I get. How do I switch it off?",
        "Sent from my phone to my laptop, nothing arrives. Why?",
        "It is loud.\n\nThanks\nKim\n\nPS: and the right one crackles",
        "Thanks\nHow do I reset it",
        "my notes:\n> npm install\nfails with\n> error 42\nwhat now",
        "On 3 May 2024 I wrote:\nnothing came back",
        "When I start the app it always says:\n> error 42\n> device not found",
        "Step 1 works\n---\nStep 2 fails",
    ],
)
def test_what_only_looks_like_a_part_stays(text: str) -> None:
    assert without_mail_parts(text) == (text, ())


def test_a_mail_that_is_passed_on_loses_its_headers() -> None:
    text = "see below\n\n-----Original Message-----\nSubject: help\n\nMy headset does not pair."
    assert without_mail_parts(text)[0].split() == "see below My headset does not pair.".split()


def test_a_sentence_behind_a_disclaimer_stays() -> None:
    text = f"It hisses. {DISCLAIMER} Also the case does not charge."
    assert without_mail_parts(text)[0].split() == ["It", "hisses.", *"Also the case does not charge.".split()]


def test_quoted_lines_at_the_end_go_unless_the_writer_announces_them() -> None:
    for said in (
        "It still hisses and clicks a lot.",
        "Het valt steeds weg.\n\nOp 3 nov. 2026 schreef Support <a@b.example>:",
    ):
        assert without_mail_parts(f"{said}\n{QUOTE}") == (said, ("quoted mail",))


# The work on these lies inside regular expressions, where nothing counts it; a quadratic one would hang here.
PIECES = [
    "x",
    "\n",
    " ",
    ".\n",
    "-- \n",
    "Thanks, \n",
    "> a\n",
    "Sent from my \n",
    "From: @\n",
    "<div>",
    "<div class=",
    " <p",
]
PIECES += ["_" * 30 + "\n", "a wrote on abcdefg ", "Sent: a\n", "| a ", "> how do you do it\n", "<a ", "[external"]


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_of_one_piece_is_read_or_stays(piece: str) -> None:
    text = piece * (100_000 // len(piece)) + "\x01"
    rest, kinds = without_mail_parts(text)
    assert rest == text if not kinds else len(rest) < len(text)


def test_a_mail_of_nothing_but_a_disclaimer_says_nothing() -> None:
    for mail in (
        DISCLAIMER,
        "Please consider the environment before printing this e-mail.",
        "Diese E-Mail enthält vertrauliche Informationen.\nUnbefugte Weitergabe ist untersagt.",
        "Sent from my iPhone",
        f"{DISCLAIMER}\n\nSent from my iPhone",
    ):
        assert says_nothing(mail), mail
    for mail in ("It hisses.", "", "This e-mail is confidential, how can I encrypt it?", f"It hisses. {DISCLAIMER}"):
        assert not says_nothing(mail), mail
