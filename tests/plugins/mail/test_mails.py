"""Mails and mailboxes as documents, issues, tickets and conversations; attachments are named."""

from __future__ import annotations

import mailbox
import os
from email.message import EmailMessage
from pathlib import Path

import outlook_files
import pytest

from autokb.sources import Fields, Reading, read_documents, read_issues
from autokb.sources.chats import read_chats
from autokb.sources.tickets import read_tickets
from autokb.testing import FormatContract

ANN, SUPPORT = "Ann Lee <ann@example.com>", "Support <help@example.com>"


def mail(day: int, subject: str, text: str, sender: str = ANN, before: str = "", html: str = "") -> EmailMessage:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = subject, sender, "help@example.com"
    message["Date"] = f"Tue, {day:02} Nov 2026 10:30:00 +0100"
    message["Message-ID"] = f"<m{day}@example.com>"
    if before:
        message["References"], message["In-Reply-To"] = before, before.split()[-1]
    if text:
        message.set_content(text)
    if html:
        (message.add_alternative if text else message.set_content)(html, subtype="html")
    return message


def write(path: Path, *messages: EmailMessage) -> Path:
    if path.suffix == ".eml":
        path.write_bytes(bytes(messages[0]))
        return path
    box = mailbox.mbox(path)
    for message in messages:
        box.add(message)
    box.flush()
    box.close()
    os.utime(path, (1, 1))  # as one that nobody writes any more
    return path


def texts(reading: Reading[object]) -> list[object]:
    return [one.item for one in reading.records]


def test_a_mail_is_a_document_with_its_subject_and_sender(tmp_path: Path) -> None:
    message = mail(3, "Grüße: left bud is silent", "Hello,\n\nit is silent.\n")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="Rechnung März.pdf")
    message.add_attachment(b"y", maintype="image", subtype="png")
    found = read_documents([write(tmp_path / "a.eml", message)])
    (one,) = (record.item for record in found.records)
    assert (one.id, one.title) == ("a.eml", "Grüße: left bud is silent")
    assert one.text == (
        "# Grüße: left bud is silent\n\nFrom: Ann Lee \\<ann@example.com>  \nDate: 2026-11-03T10:30:00+01:00\n\n"
        "Hello,\n\nit is silent."
    )
    assert [(skipped.path, skipped.reason) for skipped in found.skipped] == [
        ("a.eml, in part", "is read without: the attachment 'Rechnung März.pdf', the attachment 'image/png'.")
    ]


def test_html_is_read_where_a_mail_has_no_plain_text(tmp_path: Path) -> None:
    only = mail(3, "A", "", html="<p>It <b>beeps</b>.</p><ul><li>left</li></ul>")
    both = mail(4, "A", "It beeps.\n", html="<p>It <b>beeps</b>.</p>")
    for message, text in ((only, "It **beeps**.\n\n- left"), (both, "It beeps.")):
        (issue,) = (one.item for one in read_issues([write(tmp_path / "a.eml", message)]).records)
        assert (issue.text, issue.title) == (text, "A")


def test_words_in_other_encodings_are_read(tmp_path: Path) -> None:
    raw = (
        b"From: =?iso-8859-1?q?J=FCrgen?= <j@example.com>\nSubject: =?utf-8?b?R3LDvMOfZQ==?=\n =?utf-8?q?_an_alle?=\n"
        b"Content-Type: text/plain; charset=iso-8859-15\nContent-Transfer-Encoding: quoted-printable\n\n"
        b"5 =A4 f=FCr =\nalle\n"
    )
    (tmp_path / "a.eml").write_bytes(raw)
    (one,) = (record.item for record in read_documents([tmp_path / "a.eml"]).records)
    assert one.text == "# Grüße an alle\n\nFrom: Jürgen \\<j@example.com>\n\n5 € für alle"


THREAD = (
    mail(1, "Left bud", "It is silent.\n\nFrom the first day on.\n"),
    mail(2, "Re: Left bud", "Please reset it.\n", SUPPORT, "<m1@example.com>"),
    mail(3, "The lid", "It does not close.\n"),
    mail(4, "Re: Left bud", "Thanks!\n", ANN, "<m1@example.com> <m2@example.com>"),
)


def test_of_a_mailbox_the_first_mail_of_each_thread_is_an_issue(tmp_path: Path) -> None:
    found = read_issues([write(tmp_path / "a.mbox", *THREAD)])
    assert [(one.item.id, one.item.title, one.item.text, one.item.date) for one in found.records] == [
        ("m1@example.com", "Left bud", "It is silent.\n\nFrom the first day on.", "2026-11-01T10:30:00+01:00"),
        ("m3@example.com", "The lid", "It does not close.", "2026-11-03T10:30:00+01:00"),
    ]
    assert [one.reason for one in found.skipped] == ["is read without: 2 replies to other mails of the file."]


def test_a_thread_is_a_ticket_with_comments_in_the_order_of_time(tmp_path: Path) -> None:
    found = read_tickets([write(tmp_path / "a.mbox", THREAD[3], *THREAD[:3])])
    one, two = sorted((record.item for record in found.records), key=lambda ticket: ticket.id)
    assert (one.id, one.title, one.reporter, one.description) == (
        "m1@example.com", "Left bud", ANN, "It is silent.\n\nFrom the first day on."
    )  # fmt: skip
    assert [(comment.author, comment.text) for comment in one.comments] == [
        (SUPPORT, "Please reset it."),
        (ANN, "Thanks!"),
    ]
    assert (two.id, two.comments) == ("m3@example.com", ())


def test_a_thread_is_a_conversation(tmp_path: Path) -> None:
    found = read_chats([write(tmp_path / "a.mbox", *THREAD)], Fields(agents="Support"))
    one, two = (record.item for record in found.records)
    assert [(m.role, m.text) for m in one.messages] == [
        ("customer", "It is silent.\n\nFrom the first day on."),
        ("agent", "Please reset it."),
        ("customer", "Thanks!"),
    ]
    assert len(two.messages) == 1


def test_each_mail_of_a_mailbox_is_a_document(tmp_path: Path) -> None:
    found = read_documents([write(tmp_path / "a.mbox", *THREAD)])
    assert [one.item.id for one in found.records] == [f"m{n}@example.com" for n in (1, 2, 4, 3)]
    assert found.records[0].item.text.endswith("From the first day on.")


def test_a_mail_inside_of_a_mail_is_named_and_not_mixed_in(tmp_path: Path) -> None:
    outer = mail(3, "Fwd", "See below.\n")
    outer.add_attachment(mail(1, "Inner", "A secret.\n"))
    found = read_documents([write(tmp_path / "a.eml", outer)])
    assert "secret" not in found.records[0].item.text
    assert found.skipped[0].reason == "is read without: the attachment 'message/rfc822'."


def test_a_mail_of_outlook(tmp_path: Path) -> None:
    data = outlook_files.message(
        subject="Left bud", body="It is silent.\r\n", sender=("Ann Lee", "ann@example.com"), attachment="log.txt"
    )
    (tmp_path / "a.msg").write_bytes(data)
    found = read_documents([tmp_path / "a.msg"])
    (one,) = (record.item for record in found.records)
    assert (one.title, one.text.replace("\\", "").replace('"', "")) == (
        "Left bud",
        "# Left bud\n\nFrom: Ann Lee <ann@example.com>\n\nIt is silent.",
    )
    assert found.skipped[0].reason == "is read without: the attachment 'log.txt'."
    (issue,) = (record.item for record in read_issues([tmp_path / "a.msg"]).records)
    assert (issue.title, issue.text) == ("Left bud", "It is silent.")


def test_hostile_mails_are_refused_or_read_in_part(tmp_path: Path) -> None:
    parts = b"From: a\nContent-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 5_000
    deep = b"From: a\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (n, n) for n in range(2_000)
    )
    bad = {
        "words.eml": (b"Just words.\n", "is no mail"),
        "ole.eml": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "is no mail"),
        "locked.eml": (b"From: a\nContent-Type: application/pkcs7-mime\n\nx\n", "is encrypted"),
        "empty.eml": (b"From: a\nSubject: b\n\n", "holds no text"),
        "parts.eml": (parts, "has more than 1,000 parts"),
        "deep.eml": (deep, "is nested too deeply"),
        "words.mbox": (b"Just words.\n", "is no mailbox"),
        "words.msg": (b"Just words.\n", "is no whole mail of Outlook"),
        "torn.msg": (outlook_files.message(subject="a", body="b")[:700], "is no whole mail of Outlook"),
        "zeros.msg": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 5_000, "is no whole mail of Outlook"),
    }
    for name, (data, reason) in bad.items():
        (tmp_path / name).write_bytes(data)
        found = read_documents([tmp_path / name])
        assert not found.records and found.skipped[0].reason.startswith(reason), (name, found)
    for header in ("Subject", "From", "References", "Date"):
        (tmp_path / "long.eml").write_bytes(f"From: a\n{header}: {'<a@b> =?q?' * 50_000}\n\nWords.\n".encode())
        assert "Words." in read_documents([tmp_path / "long.eml"]).records[0].item.text


def test_one_bad_mail_of_a_mailbox_is_counted_and_the_others_are_read(tmp_path: Path) -> None:
    box = (
        b"From a Mon\nFrom: a\nSubject: One\n\nFirst.\n\nFrom b Mon\nFrom: b\nContent-Type: application/pkcs7-mime\n"
        b"\nx\n\nFrom c Mon\nFrom: c\nSubject: Three\n\nThird.\n\n>From then on.\n"
    )
    (tmp_path / "a.mbox").write_bytes(box)
    found = read_issues([tmp_path / "a.mbox"])
    assert [one.item.text for one in found.records] == ["First.", "Third.\n\nFrom then on."]
    assert found.skipped[0].reason == "is read without: 1 mail that is encrypted or damaged."


def test_without_its_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from autokb.core.errors import UnreadableFileError
    from autokb.plugins.mail.mails import read_msg

    monkeypatch.setitem(__import__("sys").modules, "oxmsg", None)
    with pytest.raises(UnreadableFileError, match=r"pip install 'autokb\[mail\]'"):
        read_msg(b"")


class TestEml(FormatContract):
    suffix = ".eml"
    examples = (bytes(mail(3, "A", "Words.\n")),)
