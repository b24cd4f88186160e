"""What of an excerpt could be a solution."""

from __future__ import annotations

from autokb.heuristics.solutions.material import materials


def test_headings_repeated_in_a_document_are_counted():
    text = "# Way\n\n1. Open it.\n2. Close it.\n\n# Way\n\n1. Press it.\n2. Hold it.\n"
    assert [m.which for m in materials(text, "T", ())] == [0, 1]


def test_a_section_of_links_holds_no_material() -> None:
    assert materials("# See also\n\n1. Open it.\n2. Close it.\n", "T", ()) == ()


def test_an_introduction_that_names_its_matter_is_the_title() -> None:
    text = "# Steps\n\nTo remove an account:\n\n1. Open it.\n2. Press Remove.\n"
    (found,) = materials(text, "Accounts", ())
    assert (found.kind, found.title, text[slice(*found.title_span)]) == (
        "ordered",
        "To remove an account:",
        found.title,
    )
    assert [text[start:end] for start, end in found.steps] == ["1. Open it.", "2. Press Remove."]
