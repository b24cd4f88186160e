from __future__ import annotations

from autokb.chunking.auto.text_tiling import topic_shifts
from autokb.chunking.auto.units import SMALL, units_by_structure
from autokb.chunking.structure.block_groups import group_blocks, is_blank
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.chunking.structure.outline import Outline, common_path, heading_paths, headings_with_text

LONG = "This sentence makes the section so long that it is no single unit by its size alone. " * (SMALL // 80 + 1)


def units_of(text: str, left_out: tuple[str, ...] = ()) -> list[list[str]]:
    """Return the units of a text as the first words of their blocks."""
    blocks = numbered_blocks(text)
    kept = [text[b.start : b.end] not in left_out for b in blocks]
    found = units_by_structure(Outline(text, blocks, tuple(kept)))
    return [[text[blocks[p].start : blocks[p].end][:20] for p in unit] for unit in found]


def groups_of(text: str) -> list[list[str]]:
    blocks = numbered_blocks(text)
    outline = Outline(text, blocks, (True,) * len(blocks))
    return [[outline.written(p)[:20] for p in group] for group in group_blocks(outline, range(len(blocks)))]


def test_a_short_section_is_one_unit_with_its_heading() -> None:
    assert units_of("# Buds\n\nOne.\n\nTwo.\n\n## Care\n\nThree.") == [
        ["# Buds", "One.", "Two."],
        ["## Care", "Three."],
    ]


def test_a_heading_without_text_goes_with_the_first_section_below_it() -> None:
    assert units_of("# Buds\n\n## Care\n\nOne.\n\n## Use\n\nTwo.") == [
        ["# Buds", "## Care", "One."],
        ["## Use", "Two."],
    ]


def test_the_name_of_the_page_goes_with_its_first_section_at_whatever_level() -> None:
    assert units_of("# Buds\n\n# Care\n\nOne.\n\n# Use\n\nTwo.") == [["# Buds", "# Care", "One."], ["# Use", "Two."]]


def test_what_is_left_out_stands_in_no_unit_and_parts_none() -> None:
    assert units_of("# Buds\n\nOne.\n\n[Shop](x)\n\nTwo.", ("[Shop](x)",)) == [["# Buds", "One.", "Two."]]


def test_all_steps_are_together_with_what_leads_to_them_and_the_notes_between() -> None:
    text = f"{LONG}\n\nReset the buds.\n\n1. Open.\n2. Hold.\n\nIt may blink red twice.\n\n3. Close.\n\nAll done now."
    assert groups_of(text) == [
        [LONG[:20]],
        ["Reset the buds.", "1. Open.", "2. Hold.", "It may blink red twi", "3. Close."],
        ["All done now."],
    ]


def test_a_table_and_code_stay_with_the_paragraph_before_them() -> None:
    text = "Ports are these.\n\n| a |\n| --- |\n| 1 |\n\nRun this command.\n\n```\nls\n```\n\nSecond matter."
    assert groups_of(text) == [
        ["Ports are these.", "| a |\n| --- |\n| 1 |"],
        ["Run this command.", "```\nls\n```"],
        ["Second matter."],
    ]


def test_captions_stay_with_what_they_name_on_either_side() -> None:
    text = "One matter.\n\nTable 1. Ports\n\n| a |\n| --- |\n| 1 |\n\n"
    text += "Other.\n\n![lid](lid.png)\n\n*Figure 2. The lid*\n\nLast."
    assert groups_of(text) == [
        ["One matter."],
        ["Table 1. Ports", "| a |\n| --- |\n| 1 |"],
        ["Other.", "![lid](lid.png)", "*Figure 2. The lid*"],
        ["Last."],
    ]


def test_a_paragraph_that_leads_on_and_one_that_goes_on_stay_together() -> None:
    assert groups_of("First matter.\n\nHowever, it is small.\n\nChoose one:\n\nRed buds.\n\n(where sold)\n\nLast.") == [
        ["First matter.", "However, it is small"],
        ["Choose one:", "Red buds.", "(where sold)"],
        ["Last."],
    ]


def test_notes_stay_with_what_they_are_about() -> None:
    text = "Open the lid.\n\n**NOTE** Mind the hinge.\n\nOther matter.\n\n"
    text += "![note](n.png)\n\nNote\n\nPaint is wet.\n\nLast."
    assert groups_of(text) == [
        ["Open the lid.", "**NOTE** Mind the hi"],
        ["Other matter.", "![note](n.png)", "Note", "Paint is wet."],
        ["Last."],
    ]


def test_each_bold_question_is_a_unit_with_its_whole_answer() -> None:
    text = f"# Questions\n\n**Can I swim?**\n\nNo.\n\n{LONG}\n\n**Is it red?**\n\nYes.\n\nVery."
    assert units_of(text) == [
        ["# Questions", "**Can I swim?**", "No.", LONG[:20]],
        ["**Is it red?**", "Yes.", "Very."],
    ]


def test_questions_that_are_marked_as_such_are_units() -> None:
    text = f"Q: Can I swim?\n\nA: No.\n\n{LONG}\n\nQ: Is it red?\n\nA: Yes."
    assert units_of(text) == [["Q: Can I swim?", "A: No.", LONG[:20]], ["Q: Is it red?", "A: Yes."]]


def test_a_line_in_capitals_is_a_title_and_a_sentence_in_capitals_is_none() -> None:
    text = f"The cars.\n\n{LONG}\n\nFORD MUSTANG MACH E\n\nIt is new.\n\nDO NOT TOUCH.\n\nIt is hot."
    assert units_of(text) == [
        ["The cars.", LONG[:20]],
        ["FORD MUSTANG MACH E", "It is new.", "DO NOT TOUCH.", "It is hot."],
    ]


def test_running_text_is_parted_where_its_topic_changes() -> None:
    charging = "Charge the battery with the cable until the charging light of the battery case is green."
    singing = "The choir sings ballads and hymns while singers of the choir rehearse their ballads daily."
    text = "\n\n".join([charging, f"Again: {charging}"] * 4 + [singing, f"Again: {singing}"] * 4)
    assert [len(unit) for unit in units_of(text)] == [8, 8]


def test_one_topic_is_not_parted() -> None:
    text = "\n\n".join(["Charge the battery with the cable until the light of the battery case is green."] * 20)
    assert len(units_of(text)) == 1


def test_texts_without_words_have_one_topic() -> None:
    assert topic_shifts(["一", "二", "三", "四"] * 200) == []
    assert topic_shifts([]) == topic_shifts(["one"]) == []


def test_paths_follow_kept_headings_only() -> None:
    text = "# A\n\nx\n\n### B\n\ny\n\n## C\n\nz"
    blocks = numbered_blocks(text)
    assert heading_paths(blocks, [True] * 6) == ((0,), (0,), (0, 2), (0, 2), (0, 4), (0, 4))
    assert heading_paths(blocks, [True, True, False, True, True, True]) == ((0,), (0,), (0,), (0,), (0, 4), (0, 4))


def test_common_is_what_all_paths_begin_with() -> None:
    assert common_path([(0, 2, 5), (0, 2), (0, 2, 7)]) == (0, 2)
    assert common_path([(0, 2), (0, 3)]) == (0,)
    assert common_path([]) == ()


def test_headings_have_the_text_below_them_however_deep() -> None:
    text = "# A\n\n# B\n\n## C\n\nx\n\n## D\n\n# E"
    blocks = numbered_blocks(text)
    has_text = [block.kind == "paragraph" for block in blocks]
    assert headings_with_text(blocks, [True] * 6, has_text) == {1, 2}
    assert headings_with_text(blocks, [True, False, True, True, True, True], has_text) == {0, 2}
    assert headings_with_text(blocks, [True] * 6, [False] * 6) == set()


def test_a_blank_block_stays_with_what_is_before_it() -> None:
    assert groups_of("Ports are these.\n\n| a |\n| --- |\n| 1 |\n\n-\n\n<!-- no -->\n\nSecond matter.") == [
        ["Ports are these.", "| a |\n| --- |\n| 1 |", "-", "<!-- no -->"],
        ["Second matter."],
    ]


def test_a_blank_block_at_first_stays_with_what_is_after_it() -> None:
    assert groups_of("```\n```\n\n| a |\n| --- |\n| 1 |\n\nSecond matter.") == [
        ["```\n```", "| a |\n| --- |\n| 1 |"],
        ["Second matter."],
    ]


def test_pictures_and_words_in_tags_are_not_blank() -> None:
    text = '![](a.png)\n\n<img src="b.png">\n\n<div><b>Words</b></div>\n\n<div><b></b></div>\n\n{/for}\n\n___'
    assert [is_blank(text, block) for block in numbered_blocks(text)] == [False, False, False, True, True, True]
