"""How themes are named from their issues' words."""

from __future__ import annotations

from autokb.heuristics.themes.naming import name_themes, read_terms


def test_names_leave_out_numbers_names_greetings_and_addresses() -> None:
    texts = [
        "Hi, thanks in advance! Printer paper jam 4711, write to joe@example.org",
        "Printer jam, regards user_12345",
    ]
    (name,) = name_themes([[read_terms(text) for text in texts]])
    assert "jam" in name.lower()
    assert not {"hi", "thanks", "regards", "joe", "4711", "example", "user_12345"} & set(name.lower().split())


def test_names_keep_the_way_a_word_is_written_and_differ() -> None:
    group = [read_terms("My IMAP folders vanish"), read_terms("The IMAP folder is gone")]
    names = name_themes([group, group])
    assert "IMAP" in names[0]
    assert len(set(names)) == 2


def test_a_name_leaves_out_the_product_and_forms_of_a_word_that_it_has() -> None:
    texts = ("Buds disconnect daily", "Connection of the buds breaks", "Buds disconnected, mic silent", "Connect buds")
    (name,) = name_themes([[read_terms(text) for text in texts]], "buds")
    assert "buds" not in name.lower()
    assert name.lower().count("connect") == 1


def test_a_blob_without_spaces_is_read_like_any_word() -> None:
    assert read_terms("a" * 700 + "/" + "b" * 5_000).found == {"a" * 700, "b" * 799, f"{'a' * 700} {'b' * 799}"}
