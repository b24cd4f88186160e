from __future__ import annotations

from collections.abc import Sequence

import pytest
from benchmarks.joined_units import chunk_joined

from autokb.chunking.auto.auto_chunker import IN_NO_UNIT, chunk_auto, chunk_from_replies, merge_requests
from autokb.chunking.auto.filtered_page import FilteredPage
from autokb.chunking.auto.merge_requests import unsure_requests
from autokb.chunking.chunk_result import ChunkResult, MarkedPage
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.core.errors import BadInputError
from autokb.core.nouns import Document
from autokb.tasks.chunking.merge_blocks.task import TASK, MergedBlocks, NoisePart, Paragraph

PAGE = """# Garden buds

## Reset the buds

To reset the buds when they do not react to the button:

1. Open the lid of the case.
2. Hold the button for ten seconds.

The light may blink red.

3. Close the lid.

## Clean the buds

Wipe them with a dry cloth after every use.

[Back to top](#garden-buds)
"""


def chunked(replies: Sequence[MergedBlocks | None], text: str = PAGE, size: int = 2048) -> ChunkResult:
    return chunk_from_replies(MarkedPage(Document("d", "Garden buds", text)), replies, size)


def texts(found: ChunkResult) -> list[str]:
    return [chunk.text for chunk in found.chunks if chunk.spans]


def long_page(many: int) -> str:
    return "# Page\n\n" + "\n\n".join(
        f"Paragraph {n} speaks of nothing but the number {n}." for n in range(2, many + 1)
    )


def test_by_structure_each_section_is_a_chunk_and_steps_stay_together() -> None:
    found = chunk_auto(MarkedPage(Document("d", "Garden buds", PAGE)), 2048)
    first, second = texts(found)
    assert first.startswith("# Garden buds\n\n## Reset the buds\n\nTo reset")
    assert first.endswith("The light may blink red.\n\n3. Close the lid.")
    assert second.startswith("# Garden buds\n\n## Clean the buds\n\nWipe them")


def test_a_model_is_asked_about_numbered_paragraphs_without_the_addresses_of_links() -> None:
    (request,) = merge_requests(MarkedPage(Document("d", "Garden buds", PAGE)))
    assert request.title == "Garden buds"
    assert [p.number for p in request.paragraphs] == list(range(1, 11))
    assert request.paragraphs[2] == Paragraph(3, "To reset the buds when they do not react to the button:")
    assert request.paragraphs[9] == Paragraph(10, "[Back to top](…)")
    assert request.structure == ((1, 7), (8, 9))


def test_a_long_paragraph_is_shown_by_its_beginning_and_its_end() -> None:
    (request,) = merge_requests(MarkedPage(Document("d", "T", "begin " + "word " * 9_000 + "the end")))
    (paragraph,) = request.paragraphs
    assert len(paragraph.text) == 2_005
    assert paragraph.text.startswith("begin word")
    assert paragraph.text.endswith("word the end")


def test_what_stands_in_no_range_is_noise_for_the_reason_that_the_model_gives() -> None:
    reply = MergedBlocks(ranges=((1, 7), (8, 9)), noise=(NoisePart(first=10, last=10, kind="related"),))
    found = chunked([reply])
    assert [n.text for n in found.noise] == ["[Back to top](#garden-buds)"]
    assert found.noise[0].reason == "related, says the model"
    assert found.counts == {}


def test_where_the_model_gives_no_reason_it_is_the_one_of_the_rules_if_they_have_one() -> None:
    step, related = chunked([MergedBlocks(ranges=((1, 7), (8, 8)))]).noise
    assert (step.text, step.reason) == ("Wipe them with a dry cloth after every use.", IN_NO_UNIT)
    assert related.text.startswith("[Back to top]")
    assert related.reason not in ("", IN_NO_UNIT)


def test_the_models_units_are_the_chunks() -> None:
    found = chunked([MergedBlocks(ranges=((1, 1), (2, 7), (8, 10)))])
    assert texts(found) == [
        "# Garden buds",
        PAGE[PAGE.index("## Reset") : PAGE.index("\n\n## Clean")].join(("# Garden buds\n\n", "")),
        PAGE[PAGE.index("## Clean") :].strip().join(("# Garden buds\n\n", "")),
    ]


def test_faulty_ranges_are_mended_and_counted() -> None:
    found = chunked([MergedBlocks(ranges=((7, 1), (6, 9), (30, 40)))])
    assert found.counts == {"reversed": 1, "overlapping": 1, "out_of_range": 1}
    assert [n.text for n in found.noise] == ["[Back to top](#garden-buds)"]


def test_a_torn_list_is_mended_and_counted() -> None:
    found = chunked([MergedBlocks(ranges=((1, 5), (6, 6), (8, 10)))])
    assert found.counts == {"lists": 1, "units": 1}
    assert texts(found)[0].endswith("The light may blink red.\n\n3. Close the lid.")


@pytest.mark.parametrize(("reply", "name"), [(None, "unanswered"), (MergedBlocks(ranges=()), "missing")])
def test_where_no_paragraph_is_in_a_range_the_structure_answers(reply: MergedBlocks | None, name: str) -> None:
    found = chunked([reply])
    assert texts(found) == texts(chunk_auto(MarkedPage(Document("d", "Garden buds", PAGE)), 2048))
    assert found.counts == {name: 1}


def test_the_offline_answer_of_the_task_gives_what_the_structure_gives() -> None:
    page = MarkedPage(Document("d", "Garden buds", PAGE + long_page(150)))
    requests = merge_requests(page)
    assert len(requests) == 2
    replies = [TASK.answer_offline(request) for request in requests]
    assert texts(chunk_from_replies(page, replies, 2048)) == texts(chunk_auto(page, 2048))


def test_a_long_document_is_asked_about_in_windows_that_know_the_headings_above() -> None:
    first, second = merge_requests(MarkedPage(Document("d", "T", long_page(200))))
    assert [first.paragraphs[0].number, first.paragraphs[-1].number] == [1, 120]
    assert [second.paragraphs[0].number, second.paragraphs[-1].number] == [111, 200]
    assert (first.headings, second.headings) == ((), ("Page",))


def test_units_of_two_windows_are_neither_doubled_nor_torn() -> None:
    replies = [MergedBlocks(ranges=((1, 100), (101, 115), (116, 120))), MergedBlocks(ranges=((111, 115), (116, 200)))]
    found = chunk_from_replies(MarkedPage(Document("d", "T", long_page(200))), replies, 100_000)
    assert [text.count("Paragraph") for text in texts(found)] == [99, 15, 85]


def test_with_rules_first_only_what_they_are_unsure_of_is_asked_with_its_neighbours() -> None:
    blocks = numbered_blocks(PAGE)
    page = FilteredPage.of(PAGE, blocks, [True] * 9 + [False], {9: "related"})
    unsure = frozenset({5, 9})
    (request,) = unsure_requests(Document("d", "Garden buds", PAGE), page.outline, unsure)
    assert request.rules_first
    assert [(p.number, p.asked) for p in request.paragraphs] == [
        (5, False),
        (6, True),
        (7, False),
        (9, False),
        (10, True),
    ]
    assert request.structure == ((6, 6),)
    assert unsure_requests(Document("d", "Garden buds", PAGE), page.outline, frozenset()) == []


def test_small_units_share_a_chunk_where_that_is_asked_for() -> None:
    apart = chunk_auto(MarkedPage(Document("d", "T", "# Keys\n\n## F1\n\nHelp.\n\n## F2\n\nName.")), 2048)
    joined = chunk_joined(MarkedPage(Document("d", "T", "# Keys\n\n## F1\n\nHelp.\n\n## F2\n\nName.")), 2048, 300)
    assert texts(apart) == ["# Keys\n\n## F1\n\nHelp.", "# Keys\n\n## F2\n\nName."]
    assert texts(joined) == ["# Keys\n\n## F1\n\nHelp.\n\n## F2\n\nName."]


def test_nothing_is_asked_about_a_document_without_text() -> None:
    assert merge_requests(MarkedPage(Document("d", "T", " \n"))) == []
    assert chunked([], " \n") == ChunkResult(())


def test_an_impossible_size_is_refused() -> None:
    with pytest.raises(BadInputError, match="at least 1"):
        chunked([None], size=0)


def by_structure(text: str) -> ChunkResult:
    return chunk_auto(MarkedPage(Document("d", "T", text)), 400)


def left_out(found: ChunkResult) -> dict[str, str]:
    return {noise.text: noise.reason for noise in found.noise}


def test_a_paragraph_of_white_space_is_no_chunk() -> None:
    found = by_structure("# A\n\nOne.\n\n\u00a0\n\n# B\n\ntext")
    assert [(chunk.text, chunk.spans) for chunk in found.chunks] == [
        ("# A\n\nOne.", ((0, 9),)),
        ("# B\n\ntext", ((14, 23),)),
    ]


def test_front_matter_and_marks_before_the_text_are_left_out_with_a_reason() -> None:
    found = by_structure("---\ntitle: x\n---\n\n---\n\n# A\n\nOne.\n\n***\n")
    assert texts(found) == ["# A\n\nOne.\n\n***"]
    assert left_out(found) == {
        "---\ntitle: x\n---": "front matter",
        "---": "holds no words",
    }


def test_a_model_that_keeps_lone_marks_makes_no_chunk_of_them() -> None:
    text = "---\n\nOne.\n\n***\n\n# B\n\nTwo."
    replies = [MergedBlocks(ranges=((1, 1), (2, 2), (3, 5)))]
    found = chunk_from_replies(MarkedPage(Document("d", "T", text)), replies, 2048)
    assert texts(found) == ["One.", "# B\n\nTwo."]
    assert left_out(found) == {"---": "holds no words", "***": "holds no words"}


def test_headings_alone_are_the_text() -> None:
    found = by_structure("# A\n\n## B\n\n---\n\n## C\n")
    assert [chunk.headings for chunk in found.chunks if chunk.spans] == [("A", "B"), ("A", "C")]
    assert found.noise == ()


def test_a_heading_says_whether_something_stood_below_it() -> None:
    text = "# A\n\nOne.\n\n## B\n\n[Back to top](#top)\n\n## C\n\n***\n\n## D\n\nTwo."
    assert left_out(by_structure(text)) == {
        "## B": "heading left without content",
        "[Back to top](#top)": "a link to another part of the page",
        "## C": "heading without content",
    }
