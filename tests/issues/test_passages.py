"""Passages: a document's sections as answers, each quoted, none from noise, none against a rule."""

from __future__ import annotations

import pytest

from autokb.core.domain import read_domain
from autokb.core.nouns import Chunk, Document, Passage
from autokb.issues.passages import document_passages
from autokb.issues.solutions import verify_quotes
from work_count import python_lines

SPEC = read_domain(
    {
        "attributes": {"os": {"values": ["Android", "iOS"], "synonyms": {"iOS": ["iphone"]}}},
        "rules": [{"id": "no-bleach", "text": "No bleach.", "patterns": ["bleach"]}],
    }
)
TEXT = """\
# Wind the clock

## On Android

1. Open the app.
2. Tap Wind.

## On an iPhone

1. Unlock the phone.
2. Hold it to the clock.

## How the spring works

The spring is a band of steel that is wound round a shaft. It pulls the shaft round for eight days, and a second band \
keeps the time while you wind it.
"""


def passages(text: str, *, kept: str = "") -> tuple[Passage, ...]:
    """Make the passages of a document, of which ``kept`` (else all) stands in a chunk."""
    document = Document("clock.md", "Wind the clock", text)
    start = text.index(kept)
    chunk = Chunk("c", document.id, kept or text, ((start, start + len(kept or text)),))
    found = document_passages(document, [chunk], SPEC)
    assert all(verify_quotes(p.solution, {document.id: document}) == () for p in found)
    return found


def test_a_section_is_a_passage_with_its_quotes_and_for_whom_it_is() -> None:
    android, iphone, _ = passages(TEXT)
    assert android.headings == ("Wind the clock", "On Android")
    assert android.solution.steps == ("Open the app.", "Tap Wind.")
    assert android.solution.attributes == {"os": frozenset({"Android"})}
    assert (android.solution.issue_id, android.solution.status) == ("", "displayed")
    assert [e.start for e in iphone.solution.evidence] == [TEXT.index("1. Unlock"), TEXT.index("2. Hold it")]


def test_what_a_section_is_for_beyond_its_title_distinguishes_its_readers() -> None:
    assert [p.distinguishes for p in passages(TEXT)] == [("os",), ("os",), ()]
    for_android = passages(TEXT.replace("# Wind the clock", "# Wind the clock with Android", 1))
    assert [p.distinguishes for p in for_android] == [(), ("os",), ()]
    assert for_android[-1].solution.attributes == {"os": frozenset({"Android"})}


def test_a_passage_has_its_headings_with_values_masked() -> None:
    android, iphone, spring = passages(TEXT)
    assert android.masked == iphone.masked == (("clock", "wind"), ("<os>",))
    assert spring.masked == (("clock", "wind"), ("spring", "work"))


def test_a_section_that_explains_is_a_passage_though_it_instructs_nothing() -> None:
    spring = passages(TEXT)[-1]
    assert spring.headings[-1] == "How the spring works"
    assert spring.solution.text.startswith("How the spring works\n")
    assert "pulls the shaft round for eight days" in spring.solution.text


def test_what_stands_in_no_chunk_is_noise() -> None:
    (iphone,) = passages(TEXT, kept="1. Unlock the phone.\n2. Hold it to the clock.")
    assert iphone.headings[-1] == "On an iPhone"


def test_the_opening_paragraph_above_sub_sections_is_a_passage() -> None:
    introduced = TEXT.replace("# Wind the clock\n", "# Wind the clock\n\nHow it is wound depends on the phone.\n")
    opening, *others = passages(introduced)
    assert opening.solution.steps == ("How it is wound depends on the phone.",)
    assert [p.headings[-1] for p in others] == [p.headings[-1] for p in passages(TEXT)]


def test_rules_hold_for_passages_too() -> None:
    broken = TEXT.replace("Tap Wind.", "Pour bleach over it.").replace("The spring is", "With bleach the spring is")
    android, _, spring = passages(broken)
    assert (android.solution.status, android.solution.steps) == ("repaired", ("Open the app.",))
    assert spring.solution.status == "withheld"


def test_a_pattern_that_takes_too_long_lets_no_passage_through() -> None:
    slow = read_domain({"rules": [{"id": "slow", "text": "Be quick.", "patterns": [r"(?:\w|\w\w|\s|\W)+[#%]{2}$"]}]})
    long = "1. " + "Lift it and carry it. " * 20
    document = Document("clock.md", "Carry", f"# Carry\n\n{long}\n")
    chunk = Chunk("c", document.id, document.text, ((0, len(document.text)),))
    (withheld,) = document_passages(document, [chunk], slow)
    assert withheld.solution.status == "withheld" and "'slow' takes more than" in withheld.solution.reason
    (shown,) = document_passages(document, [chunk], read_domain({}))
    assert shown.solution.status == "displayed"


def test_ids_hang_on_the_headings_and_not_on_the_text() -> None:
    first, second = passages(TEXT), passages(TEXT.replace("Tap Wind.", "Tap Wind twice.") + "\nThe end.\n")
    assert [p.solution.id for p in first] == [p.solution.id for p in second]
    assert len({p.solution.id for p in first}) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "section",
    [
        pytest.param(
            "## Thing {i}\n\n1. Press the button as described above.\n2. Hold it as shown below.\n\n",
            marks=pytest.mark.slow,
        ),
        "## Thing {i}\n\n1. Press the button {i}.\n2. Hold it.\n\n",
        "## Step {n}: go on\n\n1. Press the button {i}.\n2. Hold it.\n\n",
    ],
    ids=["references", "lists", "numbered headings"],
)
def test_the_work_for_a_document_grows_with_its_length(section: str) -> None:
    def work(count: int) -> int:
        text = "# Clocks\n\n" + "".join(section.format(i=i, n=i + 1) for i in range(count))
        document = Document("clocks.md", "Clocks", text)
        chunks = [
            Chunk(f"c{at}", document.id, text[at : at + 800], ((at, min(len(text), at + 800)),))
            for at in range(0, len(text), 800)
        ]
        return python_lines(lambda: document_passages(document, chunks, SPEC))

    assert work(450) < 4.5 * work(150)  # in proportion 3, with the square 9
