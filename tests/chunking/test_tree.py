from __future__ import annotations

import pytest
from benchmarks.joined_units import join_small_units

from autokb.chunking.auto.filtered_page import FilteredPage
from autokb.chunking.auto.units import units_by_structure
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.chunking.tree import build_chunk_tree, chunks_with_text
from autokb.core.nouns import Chunk, Document

NESTED = """# Mail

## Ports

### Incoming

Use 993.

### Outgoing

Use 465.

## Names

Any.
"""


def tree(text: str, size: int = 2048, below: int = 0, left_out: tuple[str, ...] = ()) -> tuple[Chunk, ...]:
    blocks = numbered_blocks(text)
    kept = [text[b.start : b.end] not in left_out for b in blocks]
    page = FilteredPage.of(text, blocks, kept, {n: "x" for n, keeps in enumerate(kept) if not keeps})
    outline = page.outline
    units = units_by_structure(outline)
    units = join_small_units(outline, units, below) if below else units
    return build_chunk_tree(Document("d", "T", text), outline, units, size)


def parents(chunks: tuple[Chunk, ...]) -> list[tuple[str, str | None]]:
    """Return the last heading of each chunk and of what it hangs under."""
    by_id = {chunk.id: chunk for chunk in chunks}
    return [(c.headings[-1], by_id[c.parent_id].headings[-1] if c.parent_id else None) for c in chunks]


def test_a_heading_without_text_is_a_chunk_without_text_over_what_stands_below_it() -> None:
    chunks = tree(NESTED)
    assert parents(chunks) == [
        ("Mail", None),
        ("Ports", "Mail"),
        ("Incoming", "Ports"),
        ("Outgoing", "Ports"),
        ("Names", "Mail"),
    ]
    assert [(c.text, c.spans) for c in chunks[:2]] == [("", ()), ("", ())]


def test_a_heading_counts_once_and_is_repeated_in_the_text_of_the_others() -> None:
    _, _, incoming, outgoing, names = tree(NESTED)
    assert incoming.text == "# Mail\n\n## Ports\n\n### Incoming\n\nUse 993."
    assert incoming.spans == ((0, len(incoming.text)),)
    assert outgoing.text == "# Mail\n\n## Ports\n\n### Outgoing\n\nUse 465."
    assert [NESTED[s:e] for s, e in outgoing.spans] == ["### Outgoing\n\nUse 465."]
    assert names.text == "# Mail\n\n## Names\n\nAny."


def test_a_heading_with_text_carries_what_stands_below_it() -> None:
    chunks = tree("# Mail\n\nWelcome.\n\n## Ports\n\nUse 993.\n\n### Outgoing\n\nUse 465.")
    assert parents(chunks) == [("Mail", None), ("Ports", "Mail"), ("Outgoing", "Ports")]


def test_one_section_below_a_bare_heading_needs_no_chunk_without_text() -> None:
    chunks = tree("# Mail\n\n## Ports\n\nUse 993.")
    assert [(c.text, c.parent_id) for c in chunks] == [("# Mail\n\n## Ports\n\nUse 993.", None)]


def test_parts_of_a_long_unit_are_equal_siblings_in_order() -> None:
    paragraphs = [f"Paragraph {n} says what it says and no more than that." for n in range(10)]
    chunks = tree("# Mail\n\nHi.\n\n## Long\n\n" + "\n\n".join(paragraphs) + "\n\n### Deep\n\nEnd.", 450)
    assert parents(chunks) == [("Mail", None), ("Long", "Mail"), ("Long", "Mail"), ("Deep", "Long")]
    first, second = chunks[1].text, chunks[2].text
    assert first == "# Mail\n\n## Long\n\n" + "\n\n".join(paragraphs[:5])
    assert second == "# Mail\n\n## Long\n\n" + "\n\n".join(paragraphs[5:])


def test_ids_stay_when_something_else_changes() -> None:
    before, after = tree(NESTED), tree(NESTED.replace("Any.", "None."))
    assert [c.id for c in before[:4]] == [c.id for c in after[:4]]
    assert before[4].id != after[4].id


def test_what_is_left_out_parts_the_spans_and_a_blank_line_stays_between() -> None:
    text = "# Mail\n\nOne.\n\n[Shop](x)\n\nTwo."
    (chunk,) = tree(text, left_out=("[Shop](x)",))
    assert chunk.text == "# Mail\n\nOne.\n\nTwo."
    assert chunk.spans == ((0, 14), (25, 29))


def test_a_dropped_heading_is_repeated_nowhere() -> None:
    chunks = tree("# Site\n\n## Ports\n\nUse 993.\n\n## Names\n\nAny.", left_out=("# Site",))
    assert [c.text for c in chunks] == ["## Ports\n\nUse 993.", "## Names\n\nAny."]
    assert [c.headings for c in chunks] == [("Ports",), ("Names",)]


def test_an_ordered_list_is_whole_and_its_headings_are_left_away_where_both_have_no_room() -> None:
    steps = "\n".join(f"{n}. Do the thing number {n}." for n in range(1, 8))
    text = f"# Steps of the guide\n\nFirst words.\n\n## All the steps\n\n{steps}"
    assert len(steps) == 181
    texts = [c.text for c in tree(text, 190)]
    assert texts[-1] == steps
    assert [c.text for c in tree(text, 210)][-1] == f"## All the steps\n\n{steps}"


def test_a_list_that_is_over_the_limit_alone_is_cut_between_its_items() -> None:
    items = [f"{n}. Do the thing number {n}." for n in range(1, 9)]
    chunks = tree("# Steps\n\nDo this:\n\n" + "\n".join(items), 120)
    assert [c.text for c in chunks] == [
        "# Steps\n\nDo this:\n\n" + "\n".join(items[:2]),
        "# Steps\n\n" + "\n".join(items[2:5]),
        "# Steps\n\n" + "\n".join(items[5:]),
    ]


def test_a_table_that_is_over_the_limit_is_cut_between_rows_and_repeats_its_head() -> None:
    head, rows = "| key | does |\n| --- | --- |", [f"| F{n} | thing {n} |" for n in range(6)]
    text = "# Keys\n\n" + head + "\n" + "\n".join(rows)
    chunks = tree(text, 95)
    assert [c.text for c in chunks] == [
        "# Keys\n\n" + head + "\n" + "\n".join(rows[:3]),
        "# Keys\n\n" + head + "\n" + "\n".join(rows[3:]),
    ]
    assert [text[start:end] for start, end in chunks[1].spans] == ["\n".join(rows[3:])]


def test_small_units_of_one_heading_share_a_chunk_up_to_a_size() -> None:
    text = "# Keys\n\nAll keys.\n\n## F1\n\nHelp.\n\n## F2\n\nName.\n\n## F3\n\nFind.\n\n# Care\n\nDry."
    assert [c.text for c in tree(text, below=50)] == [
        "# Keys\n\nAll keys.\n\n## F1\n\nHelp.",
        "# Keys\n\n## F2\n\nName.\n\n## F3\n\nFind.",
        "# Care\n\nDry.",
    ]
    assert [c.headings for c in tree(text, below=50)] == [("Keys",), ("Keys",), ("Care",)]
    assert parents(tree(text, below=50))[1] == ("Keys", "Keys")


def test_chunks_for_search_have_text_and_hang_under_the_next_one_that_has() -> None:
    text = "# Mail\n\nHi.\n\n## Ports\n\n### In\n\nUse 993.\n\n### Out\n\nUse 465."
    chunks = tree(text)
    assert parents(chunks) == [("Mail", None), ("Ports", "Mail"), ("In", "Ports"), ("Out", "Ports")]
    assert parents(chunks_with_text(chunks)) == [("Mail", None), ("In", "Mail"), ("Out", "Mail")]


def test_a_document_with_one_heading_and_no_text_is_one_chunk() -> None:
    assert [(c.text, c.headings) for c in tree("# Buds")] == [("# Buds", ("Buds",))]


LINE = "This line says what it says and goes on for a while. "
INNER = {
    "code": ["```", *(f"set value {n} of all values" for n in range(8)), "```"],
    "table": ["| key | does |", "| --- | --- |", *(f"| F{n} | thing {n} of it |" for n in range(8))],
    "list": [f"{n}. Press the button number {n}." for n in range(1, 9)],
}


@pytest.mark.parametrize("marker", ["1. ", "- ", "> 1. "])
@pytest.mark.parametrize("inner", sorted(INNER))
def test_what_fits_inside_an_item_that_does_not_is_whole(inner: str, marker: str) -> None:
    begin = "> " if marker.startswith(">") else ""
    indent = begin + " " * (len(marker) - len(begin))
    whole = "\n".join(indent + line for line in INNER[inner])
    text = f"{marker}{LINE * 5}\n{begin}\n{whole}\n{begin}\n{indent}{LINE * 5}"
    for size in range(len(whole), 400, 10):
        texts = [c.text for c in tree(text, size)]
        assert len(texts) > 1 and all(len(found) <= size for found in texts)
        assert sum(whole.lstrip("> ") in found for found in texts) == 1


def test_inside_a_list_that_is_too_long_inside_an_item_code_is_whole() -> None:
    code = "     ```\n" + "\n".join(f"     set value {n}" for n in range(6)) + "\n     ```"
    text = f"- {LINE * 3}\n\n  1. {LINE * 3}\n\n{code}\n\n     {LINE * 3}\n\n  2. Close it."
    for size in range(len(code), 330, 10):
        texts = [c.text for c in tree(text, size)]
        assert all(len(found) <= size for found in texts)
        assert sum(code.strip() in found for found in texts) == 1
        assert sum(found.endswith("2. Close it.") for found in texts) == 1


def test_lists_that_go_on_after_a_note_are_cut_between_them_first() -> None:
    first = "\n".join(f"{n}. Do the thing number {n}." for n in range(1, 4))
    second = "\n".join(f"{n}. Do the thing number {n}." for n in range(4, 10))
    chunks = tree(f"# Steps\n\n{first}\n\nThis is a note between.\n\n{second}", 180)
    assert [c.text for c in chunks] == [f"# Steps\n\n{first}\n\nThis is a note between.", f"# Steps\n\n{second}"]
    without = tree(f"# Steps\n\n{first}\n\nNo note.\n\n{second}", 180, left_out=("No note.",))
    assert [c.text for c in without] == [f"# Steps\n\n{first}", f"# Steps\n\n{second}"]


def test_a_table_between_steps_is_whole_without_headings() -> None:
    table = "| key | does |\n| --- | --- |\n" + "\n".join(f"| F{n} | thing {n} |" for n in range(8))
    chunks = tree(f"# The steps of the guide\n\n1. Open.\n\n{table}\n\n2. Close it {LINE}", len(table) + 1)
    assert table in [c.text for c in chunks]


def test_lone_marks_stay_with_their_neighbours() -> None:
    paragraph = (LINE * 3).strip()
    text = "# Keys\n\n" + "\n\n".join(f"{paragraph}\n\n***" for _ in range(4))
    for size in range(len(paragraph) + 5, 400):
        own = ["".join(text[start:end] for start, end in chunk.spans) for chunk in tree(text, size)]
        assert all(part.strip("*\n") for part in own)
