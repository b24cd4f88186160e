"""How much of a document stands around a hit, for a model that reads less than offline does."""

from __future__ import annotations

from autokb.issues.excerpts import EXCERPT, excerpt_span

PROSE = "\n\n".join(f"Paragraph {n} says that the clock ticks on and on, day and night." for n in range(60))
STEPS = "\n".join(f"{n}. Turn the wheel number {n} until it clicks." for n in range(1, 41))
TEXT = f"# History\n\n{PROSE}\n\n# Winding\n\nTo wind it:\n\n{STEPS}\n\nThen rest. {'It rests. ' * 200}\n"


def at(words: str, most: int) -> str:
    start = TEXT.index(words)
    first, last = excerpt_span(TEXT, start, start + len(words), most)
    assert first <= start
    assert start + len(words) <= last
    return TEXT[first:last]


def test_hits_near_each_other_share_an_excerpt_that_is_not_too_long() -> None:
    found = {at(f"Paragraph {n} says", 1_000) for n in range(60)}
    assert all(len(part) <= 1_000 for part in found)
    assert len(found) == 4  # 3,950 characters
    assert "".join("".join(part.split()) for part in sorted(found, key=TEXT.index)) == "".join(
        f"# History {PROSE}".split()
    )


def test_a_list_stays_whole_with_the_words_that_lead_over_to_it() -> None:
    assert len(STEPS) > 1_000
    assert at("Turn the wheel number 30", 1_000) == f"# Winding\n\nTo wind it:\n\n{STEPS}"


def test_endless_prose_is_cut_and_a_small_section_is_taken_whole() -> None:
    assert len(at("Then rest.", 1_000)) <= 1_000
    small = "# A\n\nPress it.\n\n# B\n\nHold it.\n"
    assert excerpt_span(small, 6, 10, 1_000) == (0, len(small))
    assert excerpt_span("", 0, 0, 1_000) == (0, 0)


def test_what_a_model_is_not_asked_about_is_as_it_was() -> None:
    assert len(TEXT) < EXCERPT
    assert at("Paragraph 3 says", EXCERPT) == TEXT
