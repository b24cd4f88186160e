"""Chats of WhatsApp and Teams that were saved as text, and captions: who said what, and when."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.sources import Fields, read_documents, read_issues
from autokb.sources.chats import read_chats
from autokb.testing import FormatContract

AGENT = Fields(agents="Support Team")


def read(path: Path, text: str) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return role, text and date of each message, and what is said of the file."""
    path.write_text(text, encoding="utf-8")
    found = read_chats([path], AGENT)
    messages = [(m.role, m.text, m.date) for one in found.records for m in one.item.messages]
    return messages, [one.reason for one in found.skipped]


HELLO = [
    ("customer", "Hello: it is silent\nsee you at 10:40", "2026-11-13T10:31"),
    ("agent", "Reset it", "2026-11-13T10:35"),
]


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "13.11.26, 10:31 - Ann Lee: Hello: it is silent\nsee you at 10:40\n"
            "13.11.26, 10:35 - Support Team: Reset it\n",
            HELLO,
        ),
        (
            "[13/11/2026, 10:31:22] Ann Lee: Hello: it is silent\r\nsee you at 10:40\r\n"
            "[13/11/2026, 10:35:01] Support Team: Reset it\r\n",
            [
                (role, said, f"{date}{seconds}")
                for (role, said, date), seconds in zip(HELLO, (":22", ":01"), strict=True)
            ],
        ),
        (
            "\u200e11/13/26, 1:05\u202fPM - Ann Lee: Hello\n11/13/26, 12:35\u202fAM - Support Team: Reset it\n",
            [("agent", "Reset it", "2026-11-13T00:35"), ("customer", "Hello", "2026-11-13T13:05")],
        ),
        (
            "2026-11-13, 10:31 - Ann Lee: Hello: it is silent\nsee you at 10:40\n"
            "2026-11-13, 10:35 - Support Team: Reset it\n",
            HELLO,
        ),
        (
            "[13.11.2026 10:31] Ann Lee\nHello: it is silent\nsee you at 10:40\n\n"
            "[13.11.2026 10:35] Support Team\nReset it\n",
            HELLO,
        ),
        (
            "Ann Lee 13.11.2026 10:31\nHello: it is silent\nsee you at 10:40\n\n"
            "Support Team   13.11.2026 10:35\n\nReset it\n",
            HELLO,
        ),
        (
            "Ann Lee  10:31 AM\nHello\nSee You 10:32\n\nSupport Team  10:35 AM\nReset it\n",
            [("customer", "Hello\nSee You 10:32", ""), ("agent", "Reset it", "")],
        ),
    ],
)
def test_messages_with_names_and_times(tmp_path: Path, text: str, messages: list[tuple[str, str, str]]) -> None:
    assert read(tmp_path / "a.txt", text) == (messages, [])


def test_days_that_could_be_two_are_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("3/11/26, 10:31 - Ann Lee: Hello\n3/11/26, 10:35 - Support Team: Hi\n", "utf-8")
    found = read_chats([tmp_path / "a.txt"], AGENT)
    assert [m.date for m in found.records[0].item.messages] == ["", ""]
    assert any("dates could be two days" in note for note in found.notes)


def test_what_the_program_wrote_itself_and_media_are_counted(tmp_path: Path) -> None:
    text = (
        "13.11.26, 10:30 - Messages and calls are end-to-end encrypted.\n13.11.26, 10:31 - Ann Lee: Hello\n"
        "13.11.26, 10:32 - Ann Lee: <Media omitted>\n13.11.26, 10:33 - Ann Lee: \u200eimage omitted\n"
        "13.11.26, 10:34 - Bob added Support Team\n13.11.26, 10:35 - Support Team: Hi\n"
    )
    messages, said = read(tmp_path / "a.txt", text)
    assert [text for _, text, _ in messages] == ["Hello", "Hi"]
    assert said == ["is read without: 2 lines of the program itself, 2 pictures, videos or files."]


def test_another_text_is_no_chat_and_stays_a_document_and_issues(tmp_path: Path) -> None:
    messages, said = read(tmp_path / "a.txt", "The left bud is silent at 10:31.\nNote: wipe it.\n")
    assert not messages and said[0].startswith("holds no messages that are known")
    assert [one.item.text for one in read_documents([tmp_path / "a.txt"]).records] == [
        "The left bud is silent at 10:31.\nNote: wipe it.\n"
    ]
    assert len(read_issues([tmp_path / "a.txt"]).records) == 2


CAPTIONS = (
    "WEBVTT - A meeting\n\nNOTE made by a machine\n\nSTYLE\n::cue { color: red }\n\nid-1\n"
    "00:00:01.000 --> 00:00:02.000 align:left\n"
    "<v Ann Lee>It is <i>silent</i> &amp; old.</v>\n\n00:00:02.000 --> 00:00:03.000\n<v Ann Lee>Since Monday.</v>\n\n"
    "01:00:02.000 --> 01:00:03.000\n<v.loud Support Team>Reset it.</v>\n<v Ann Lee>I did.\n"
)


def test_captions_are_turns_of_speakers(tmp_path: Path) -> None:
    messages, said = read(tmp_path / "a.vtt", CAPTIONS)
    assert [(role, text) for role, text, _ in messages] == [
        ("customer", "It is silent & old. Since Monday."),
        ("agent", "Reset it."),
        ("customer", "I did."),
    ]
    assert said == ["is read without: 1 note."]
    (one,) = (record.item for record in read_documents([tmp_path / "a.vtt"]).records)
    assert (
        one.text
        == "**Ann Lee:** It is silent & old. Since Monday.\n\n**Support Team:** Reset it.\n\n**Ann Lee:** I did."
    )


def test_captions_with_names_before_a_colon_and_rolling_lines(tmp_path: Path) -> None:
    cues = ("Ann Lee: It is silent.", "Ann Lee: It is silent.", "Support Team: Reset it.")
    text = "WEBVTT\n\n" + "".join(f"00:0{n}.000 --> 00:0{n + 1}.000\n{words}\n\n" for n, words in enumerate(cues))
    messages, _ = read(tmp_path / "a.vtt", text)
    assert [(role, text) for role, text, _ in messages] == [("customer", "It is silent."), ("agent", "Reset it.")]


def test_captions_without_speakers_are_a_document_and_no_chat(tmp_path: Path) -> None:
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nOpen the lid.\n\n00:02.000 --> 00:03.000\nWait.\n"
    messages, said = read(tmp_path / "a.vtt", text)
    assert not messages and said[0].startswith("does not say who speaks")
    assert [one.item.text for one in read_documents([tmp_path / "a.vtt"]).records] == ["Open the lid. Wait."]


def test_hostile_texts_are_refused_or_read_within_the_limits(tmp_path: Path) -> None:
    for sign in ("1/1/26, 1:1", "[", "a: ", "Ann Lee 1:11\n", "[1:11] a\n", "13.11.26, 10:31 - a: b\n"):
        messages, said = read(tmp_path / "a.txt", sign * 20_000)
        assert messages or said, sign
    for sign in ("<v ", "<v a>", "<", "-->", ": ", "&amp;"):
        (tmp_path / "a.vtt").write_text(f"WEBVTT\n\n00:01.000 --> 00:02.000\n{sign * 100_000}\n", "utf-8")
        found = read_documents([tmp_path / "a.vtt"])
        assert len(found.records) + len(found.skipped) == 1, sign
    for data in (b"No captions", b"WEBVTT\0\0\0"):
        (tmp_path / "a.vtt").write_bytes(data)
        assert not read_documents([tmp_path / "a.vtt"]).records


class TestVtt(FormatContract):
    suffix = ".vtt"
    examples = (b"WEBVTT\n\n00:01.000 --> 00:02.000\nSome words.\n",)
