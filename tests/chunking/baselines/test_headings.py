from __future__ import annotations

from autokb.chunking.baselines.headings import chunk_headings
from autokb.chunking.chunk_result import MarkedPage
from autokb.core.nouns import Document

TEXT = """# Mail

Welcome.

## Ports

### Incoming

Use 993.

### Outgoing

Use 465.
"""


def chunks_of(text, size=2048):
    return chunk_headings(MarkedPage(Document("d", "T", text)), size).chunks


def test_a_section_is_a_chunk_and_repeats_the_headings_above_it():
    assert [c.text for c in chunks_of(TEXT)] == [
        "# Mail\n\nWelcome.",
        "# Mail\n\n## Ports\n\n### Incoming\n\nUse 993.",
        "# Mail\n\n## Ports\n\n### Outgoing\n\nUse 465.",
    ]


def test_spans_hold_what_is_the_chunks_own_and_not_what_is_repeated():
    outgoing = chunks_of(TEXT)[2]
    assert [TEXT[s:e] for s, e in outgoing.spans] == ["### Outgoing\n\nUse 465."]
    assert outgoing.headings == ("Mail", "Ports", "Outgoing")


def test_a_chunk_hangs_under_the_chunk_of_the_section_above():
    mail, incoming, outgoing = chunks_of(TEXT)
    assert mail.parent_id is None
    assert incoming.parent_id == mail.id
    assert outgoing.parent_id == mail.id


def test_a_long_section_is_cut_between_blocks_and_repeats_its_heading():
    items = "\n".join(f"{n}. Do the thing number {n}." for n in range(1, 21))
    chunks = chunks_of(f"# Steps\n\n{items}\n", 150)
    assert len(chunks) > 2
    assert all(c.text.startswith("# Steps\n\n") and len(c.text) <= 150 for c in chunks)
    assert all(c.text.endswith(".") for c in chunks)  # no item is torn


def test_a_long_table_repeats_its_head():
    head = "| key | does |\n|---|---|"
    rows = "\n".join(f"| F{n} | thing {n} |" for n in range(30))
    chunks = chunks_of(f"{head}\n{rows}\n", 120)
    assert len(chunks) > 3
    assert all(c.text.startswith(head) for c in chunks)
    assert all(line.endswith("|") for c in chunks for line in c.text.splitlines())


def test_a_paragraph_without_end_is_torn_between_sentences():
    chunks = chunks_of("One sentence stands here. " * 20, 100)
    assert all(c.text.endswith("here.") for c in chunks)


def test_headings_that_have_no_room_are_not_repeated():
    chunks = chunks_of("# " + "long " * 30 + "\n\ntext\n\n## B\n\nmore", 60)
    assert all(len(c.text) <= 60 for c in chunks)
    assert chunks[-1].text == "## B\n\nmore"


def test_text_before_the_first_heading_is_above_no_section():
    before, mail, ports = chunks_of("[Home](/)\n\n# Mail\n\nWelcome.\n\n## Ports\n\nUse 993.")
    assert (before.headings, before.parent_id) == ((), None)
    assert (mail.parent_id, ports.parent_id) == (None, mail.id)


def test_steps_are_whole_where_they_fit_and_a_long_section_is_in_equal_parts():
    steps = "\n".join(f"{n}. Do the thing number {n}." for n in range(1, 8))
    words = "A sentence before the steps is here. " * 6
    assert [steps in chunk.text for chunk in chunks_of(f"# Steps\n\n{words}\n\n{steps}\n", 250)] == [False, True]
    paragraphs = "\n\n".join(f"Paragraph {n} has the same length as the others." for n in range(6))
    assert [chunk.text.count("Paragraph") for chunk in chunks_of(f"# Long\n\n{paragraphs}", 260)] == [3, 3]
