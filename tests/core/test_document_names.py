from __future__ import annotations

from autokb.core.document_names import DocumentNames, normal_url
from autokb.core.nouns import Document

NAMES = DocumentNames(
    [
        Document("a/pairing.html", "Pairing", "x"),
        Document("b/reset.md", "Reset", "x"),
        Document("c/reset.html", "Reset", "x"),
        Document("17", "Sound", "x", "https://www.help.example/en-US/kb/sound-problems/"),
        Document("pairing", "A document whose id is another one's stem", "x"),
    ]
)


def test_the_id_counts_before_a_stem() -> None:
    assert NAMES.resolve("pairing") == "pairing"
    assert NAMES.resolve(" a/pairing.html ") == "a/pairing.html"


def test_a_stem_counts_only_when_one_document_has_it() -> None:
    only = DocumentNames([Document("kb/reset.md", "Reset", "x"), Document("kb/sound.wiki", "Sound", "x")])
    assert only.resolve("sound") == "kb/sound.wiki"
    assert only.resolve("sound.wiki") == "kb/sound.wiki"
    assert NAMES.resolve("reset") is None
    assert NAMES.resolve("reset.md") == "b/reset.md"


def test_what_is_found_by_nothing_but_a_title_is_told() -> None:
    assert NAMES.by_title(" A document whose ID is another one's stem ") == "pairing"
    assert NAMES.by_title("Sound") == "17" == NAMES.resolve("sound")
    assert [NAMES.by_title(name) for name in ("pairing", "17", "reset", "Reset", "https://help.example/Sound")] == [
        None
    ] * 5


def test_an_address_is_found_however_it_is_written() -> None:
    for address in (
        "https://help.example/kb/sound-problems",
        "http://www.help.example/de/kb/sound-problems/#first-steps",
        "help.example/kb/sound-problems",
    ):
        assert NAMES.resolve(address) == "17"
    assert NAMES.resolve("https://help.example/kb/other") is None


def test_an_address_may_end_with_the_stem_of_a_document_without_one() -> None:
    only = DocumentNames([Document("kb/sound-problems.wiki", "Sound", "x")])
    assert only.resolve("https://help.example/en-US/kb/sound-problems?s=1") == "kb/sound-problems.wiki"
    assert only.resolve("sound-problem") is None


def test_a_title_counts_last_and_only_when_one_document_has_it() -> None:
    assert NAMES.resolve("  a document whose ID  is another one's stem ") == "pairing"
    assert NAMES.resolve("Reset") is None, "two documents have it"
    only = DocumentNames([Document("a", "b", "x"), Document("b", "kb/c", "x"), Document("kb/c.md", "Other", "x")])
    assert (only.resolve("b"), only.resolve("B"), only.resolve("c"), only.resolve("kb/C")) == ("b", "a", "kb/c.md", "b")
    assert DocumentNames([Document("a", "https://x.example/t", "x")]).resolve("https://x.example/t") is None


def test_a_query_is_part_of_an_address_and_nonsense_is_no_error() -> None:
    assert normal_url("https://x.example/a?id=1") != normal_url("https://x.example/a?id=2")
    assert NAMES.resolve("http://[broken") is None
    assert NAMES.resolve("") is None
