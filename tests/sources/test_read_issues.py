from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from autokb.core.errors import BadInputError
from autokb.sources import Fields, read_issues

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_csv_with_semicolons_quoted_lines_and_a_byte_order_mark(tmp_path: Path) -> None:
    text = (
        '\ufeffId;Text;Date;resolved_by\r\n7;"first\r\nsecond; third";2024-05-01;a.md|b.md\r\n8;"say ""hi""";;\r\n\r\n'
    )
    reading = read_issues([write(tmp_path, "i.csv", text)])
    one, two = (r.item for r in reading.records)
    assert (one.id, one.text, one.date, one.resolved_by) == (
        "7",
        "first\nsecond; third",
        "2024-05-01",
        ("a.md", "b.md"),
    )
    assert (two.id, two.text, two.resolved_by) == ("8", 'say "hi"', ())
    assert reading.skipped == ()


def test_tsv_and_named_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "i.tsv", "nr\twords\tname\na1\thello, world\tAnna\n")
    (record,) = read_issues([path], Fields(text="words", id="nr")).records
    assert (record.item.id, record.item.text, record.item.title) == ("a1", "hello, world", "")
    assert (record.root, record.relative) == (str(tmp_path), "i.tsv")


@pytest.mark.parametrize("column", ["Ticket No", "Ticket ID", "Case Number", "ticket-number"])
def test_the_numbers_of_helpdesks_are_ids(tmp_path: Path, column: str) -> None:
    (record,) = read_issues([write(tmp_path, "i.csv", f"{column},text\nT-7,hello\n")]).records
    assert record.item.id == "T-7"
    (record,) = read_issues([write(tmp_path, "i.json", json.dumps([{"ticket": {"id": 7}, "text": "hello"}]))]).records
    assert record.item.id.startswith("raw-"), "an object is no id"


def test_which_columns_held_what_is_told(tmp_path: Path) -> None:
    table = write(tmp_path, "i.csv", "nr,Subject,message,day\n1,S,hello,2024-05-01\n")
    assert read_issues([table], Fields(id="nr")).columns == {
        "id": ("nr",),
        "title": ("Subject",),
        "text": ("message",),
        "date": (),
        "resolved_by": (),
    }
    nested = write(tmp_path, "i.jsonl", '{"text": "a", "gold": [{"slug": "x"}]}\n{"body": "b"}\n')
    columns = read_issues([nested], Fields(resolved_by="gold[].slug")).columns
    assert (columns["text"], columns["resolved_by"]) == (("text", "body"), ("gold[].slug",))
    bare = write(tmp_path, "one.csv", "Problem\nIt stops\n")
    assert read_issues([bare]).columns == {"text": ("each line, the first too",)}


def test_titles_that_are_taken_for_want_of_a_text_are_said(tmp_path: Path) -> None:
    table = write(tmp_path, "t.csv", "Ticket No,Subject,In Words,Created\n7,No sound,It is silent,2026-11-03\n")
    reading = read_issues([table])
    assert [(r.item.id, r.item.text) for r in reading.records] == [("7", "No sound")]
    told = "No column is known to hold the text, so titles alone were taken; name it with --text-field"
    assert reading.notes == (f"{told}: Ticket No, In Words, Created.",)
    lines = write(tmp_path, "t.jsonl", '{"subject": "No sound", "words": "It is silent"}\n{"subject": "b"}\n')
    assert read_issues([lines]).notes == (f"{told}: words.",)
    assert read_issues([table], Fields(text="In Words")).notes == ()
    empty = write(tmp_path, "e.csv", "id,Subject,Body\n7,No sound,\n")
    assert read_issues([empty]).notes == (), "the text is known, and there is none"
    assert read_issues([write(tmp_path, "o.csv", "Subject\nNo sound\n")]).notes == (), "there is no other column"


@pytest.mark.parametrize("column", ["Body Text", "message_text"])
def test_texts_of_forums_and_helpdesks_are_found(tmp_path: Path, column: str) -> None:
    (record,) = read_issues([write(tmp_path, "i.csv", f"Subject,{column}\nNo sound,It is silent\n")]).records
    assert (record.item.title, record.item.text) == ("No sound", "It is silent")


def test_dates_are_read_as_the_column_of_their_file_is(tmp_path: Path) -> None:
    days = write(tmp_path, "days.csv", "id,text,Created\n1,a,03/11/2026\n2,b,13/11/2026\n3,c,soon\n")
    months = write(tmp_path, "months.csv", "id,text,Created\n4,a,03/11/2026\n5,b,11/13/2026\n")
    unclear = write(tmp_path, "unclear.csv", "id,text,Created\n6,a,03/11/2026\n7,b,\n")
    first = read_issues([days, months])
    assert [r.item.date for r in first.records] == ["2026-11-03", "2026-11-13", "", "2026-03-11", "2026-11-13"]
    told = "1 date could be two days or is no date, so it is left out; write dates as YYYY-MM-DD, or "
    told += "add the file together with one that shows the order: "
    assert first.notes == (f"{told}soon",)
    assert read_issues([days, months, unclear]).notes[0].endswith(": soon, 03/11/2026"), "the others have two orders"
    assert read_issues([unclear]).notes == (f"{told}03/11/2026",)
    write(tmp_path, "unclear.csv", "id,text,Created\n" + "".join(f"{n},a,0{n}/12/2026\n" for n in range(1, 9)))
    assert read_issues([unclear]).notes == (
        "8 dates could be two days or are no dates, so they are left out; write dates as YYYY-MM-DD, or "
        "add the file together with one that shows the order: "
        "01/12/2026, 02/12/2026, 03/12/2026, …",
    )


def test_dates_of_a_file_that_does_not_show_its_order_are_read_as_those_of_the_others(tmp_path: Path) -> None:
    unclear = write(tmp_path, "a.csv", "id,text,Created\n1,a,03/11/2026\n2,b,soon\n1,c,04/11/2026\n3,d,05/11/2026\n")
    days = write(tmp_path, "b.csv", "id,text,Created\n4,a,13/11/2026\n")
    both = write(tmp_path, "c.csv", "id,text,Created\n5,a,14/11/2026\n6,b,11/15/2026\n7,c,03/11/2026\n")
    found = read_issues([unclear, days])
    assert {r.item.id: r.item.date for r in found.records} == {
        "1": "2026-11-03",
        "2": "",
        "3": "2026-11-05",
        "4": "2026-11-13",
    }
    assert len(found.notes) == 1 and found.notes[0].endswith(": soon")
    found = read_issues([unclear, days, both])
    assert [r.item.date for r in found.records if r.item.id in ("1", "7")] == ["", ""], "a file of both says neither"


def test_a_table_without_its_column_is_one_line_that_names_the_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "i.csv", "nr,words\n1,a\n2,b\n")
    reading = read_issues([path], Fields(text="body"))
    assert reading.records == () and reading.present == ((str(tmp_path), "i.csv"),)
    (skipped,) = reading.skipped
    assert skipped.path == "i.csv" and "no column 'body'" in skipped.reason and "nr, words" in skipped.reason
    (skipped,) = read_issues([path]).skipped
    assert "--text-field" in skipped.reason


def test_a_torn_table_is_not_half_read_and_a_row_too_long_is_skipped_alone(tmp_path: Path) -> None:
    torn = read_issues([write(tmp_path, "torn.csv", 'id,text\n1,fine\n2,"open\n3,x\n')])
    assert torn.records == () and "never closed" in torn.skipped[0].reason
    long = read_issues([write(tmp_path, "long.csv", "id,text\n1,fine\n2,a, b\n3,c,\n")])
    assert [r.item.id for r in long.records] == ["1", "3"]
    assert [s.path for s in long.skipped] == ["long.csv:3"]


def test_one_column_without_a_head_and_text_lines(tmp_path: Path) -> None:
    csv = read_issues([write(tmp_path, "one.csv", "No sound at all\nBattery empty\n")])
    text = read_issues([write(tmp_path, "t.txt", "No sound at all\r\n\r\nBattery empty")])
    assert (
        [r.item.text for r in csv.records]
        == [r.item.text for r in text.records]
        == ["No sound at all", "Battery empty"]
    )
    assert [r.item.id for r in csv.records] == [r.item.id for r in text.records]


def test_ids_made_from_the_text_tell_repeats_apart_and_do_not_hang_on_the_place(tmp_path: Path) -> None:
    first = read_issues([write(tmp_path, "a.txt", "x\nx\ny\n")])
    second = read_issues([write(tmp_path, "b.txt", "y\nx\n")])
    ids = [r.item.id for r in first.records]
    assert len(set(ids)) == 3 and [r.item.id for r in second.records] == [ids[2], ids[0]]


def test_doubled_and_missing_ids_are_skipped_with_their_line(tmp_path: Path) -> None:
    lines = [{"key": 5, "text": "a"}, {"key": "5", "text": "b"}, {"text": "c"}, {"key": "6", "text": "  "}]
    path = write(tmp_path, "i.jsonl", "\n".join(map(json.dumps, lines)))
    reading = read_issues([path], Fields(id="key"))
    assert [(r.item.id, r.item.text) for r in reading.records] == [("5", "a")]
    reasons = {s.path: s.reason for s in reading.skipped}
    assert set(reasons) == {"i.jsonl:2", "i.jsonl:3", "i.jsonl:4"}
    assert "has already" in reasons["i.jsonl:2"] and "no id at 'key'" in reasons["i.jsonl:3"]


def test_json_lines_are_split_at_newlines_only_and_bad_ones_skipped_alone(tmp_path: Path) -> None:
    good = json.dumps({"id": 1, "text": "a\u2028b\x85c"}, ensure_ascii=False).encode()
    data = b"\n".join(
        [good, b"{bad", b'{"text": "x\0y"}', b"[" * 100_000, b"\xff\xfe{}x", b'{"id": 2, "text": "\\ud800"}', b"7"]
    )
    reading = read_issues([write(tmp_path, "i.jsonl.gz", gzip.compress(data))])
    assert [(r.item.id, r.item.text) for r in reading.records] == [("1", "a\u2028b c"), ("2", "\ufffd")]
    assert [s.path for s in reading.skipped] == [f"i.jsonl.gz:{n}" for n in (2, 3, 4, 5, 7)]


def test_json_arrays_and_wrapped_arrays(tmp_path: Path) -> None:
    array = [{"subject": "No sound", "description": "It is quiet.", "links": [{"doc": "a"}, {"doc": "b"}]}]
    for name, value in (("a.json", array), ("w.json", {"total": 1, "issues": array})):
        (record,) = read_issues([write(tmp_path, name, json.dumps(value))], Fields(resolved_by="links[].doc")).records
        assert (record.item.title, record.item.text) == ("No sound", "It is quiet.")
        assert record.item.resolved_by == ("a", "b")


def test_html_of_a_form_is_not_part_of_what_the_customer_wrote(tmp_path: Path) -> None:
    path = write(tmp_path, "i.jsonl", json.dumps({"text": "<p>No <b>sound</b></p><p>Help</p>"}))
    assert read_issues([path]).records[0].item.text == "No **sound**\n\nHelp"


def test_a_file_of_which_nothing_can_be_used_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path, "i.jsonl", '{"n": 1}\n' * 500)
    (skipped,) = read_issues([path]).skipped
    assert skipped.path == "i.jsonl" and "500 records" in skipped.reason


def test_unknown_kinds_and_missing_paths(tmp_path: Path) -> None:
    reading = read_issues([write(tmp_path, "i.docx", b"PK\x03\x04")])
    assert "CSV" in reading.skipped[0].reason
    with pytest.raises(BadInputError, match=r"nowhere\.csv does not exist"):
        read_issues([tmp_path / "nowhere.csv"])


def test_the_real_questions_with_their_links() -> None:
    path = DATA / "A_troubleshooting" / "thunderbird" / "raw_issues.jsonl.gz"
    if not path.exists():
        pytest.skip("the shared data is not beside this checkout")
    fields = Fields(text="text", title="title", id="issue_id", date="created", resolved_by="gold_kb[].slug")
    reading = read_issues([path], fields)
    assert len(reading.records) == 1200 and reading.skipped == ()
    assert 600 < sum(bool(r.item.resolved_by) for r in reading.records) < 1200
    assert all(r.item.date.startswith("202") for r in reading.records)


def test_a_named_column_that_is_not_there_is_said_and_the_issues_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,day,page\nit hums,2025-01-02,noise.md\n", encoding="utf-8")
    reading = read_issues([path], Fields(date="day", resolved_by="pages"))
    assert [r.item.date for r in reading.records] == ["2025-01-02"]
    (skipped,) = reading.skipped
    assert skipped.path == "--resolved-by-field"
    assert "'pages'" in skipped.reason and "text, day, page" in skipped.reason


def test_a_huge_issue_is_cut_marked_and_named(tmp_path: Path) -> None:
    from autokb.sources.issues import LONGEST_ISSUE

    path = tmp_path / "i.jsonl"
    texts = ["It leaks. " * 1_000_000, "w" * (LONGEST_ISSUE + 1), "x" * LONGEST_ISSUE]
    path.write_text("\n".join(json.dumps({"text": text}) for text in texts))
    reading = read_issues([path])
    assert [len(r.item.text) for r in reading.records] == [LONGEST_ISSUE + 3, LONGEST_ISSUE + 4, LONGEST_ISSUE]
    assert all(r.item.text.endswith(" […]") for r in reading.records[:2])
    assert [(s.path, s.reason) for s in reading.skipped] == [
        ("i.jsonl, line 1", "all but the first 200,000 of its 9,999,999 characters."),
        ("i.jsonl, line 2", "all but the first 200,000 of its 200,001 characters."),
    ]


def test_a_file_of_more_records_than_memory_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from autokb.sources import records

    monkeypatch.setattr(records, "MOST_RECORDS", 3)
    contents = {
        "a.csv": "text\n" + "a\n" * 4,
        "b.jsonl": '{"text": "a"}\n' * 4,
        "c.json": json.dumps([{"text": "a"}] * 4),
        "d.txt": "a\n" * 4,
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    reading = read_issues([tmp_path])
    assert [(s.path, s.reason) for s in reading.skipped] == [
        (name, "holds more than 3 records; split it into smaller files.") for name in contents
    ]
    (tmp_path / "e.json").write_text("[" + "[]," * 2_600_000 + "[]]")
    assert "holds more than 5,000,000 values" in str(read_issues([tmp_path / "e.json"]).skipped)
