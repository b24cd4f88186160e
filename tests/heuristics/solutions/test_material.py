"""What of an excerpt could be a solution."""

from __future__ import annotations

import pytest

from autokb.heuristics.solutions.instructions import is_author_note
from autokb.heuristics.solutions.material import materials


def steps(text: str, *, whole: bool = False) -> list[list[str]]:
    """Return the steps of each material as they are written."""
    return [[text[start:end] for start, end in m.steps] for m in materials(text, "T", (), whole=whole)]


def test_headings_repeated_in_a_document_are_counted():
    text = "# Way\n\n1. Open it.\n2. Close it.\n\n# Way\n\n1. Press it.\n2. Hold it.\n"
    assert [m.which for m in materials(text, "T", ())] == [0, 1]


def test_a_section_of_links_holds_no_material() -> None:
    assert materials("# See also\n\n1. Open it.\n2. Close it.\n", "T", ()) == ()


def test_the_title_is_a_heading_and_an_introduction_that_names_its_matter_is_read_with_the_first_step() -> None:
    text = "# Steps\n\nTo remove an account:\n\n1. Open it.\n2. Press Remove.\n"
    (found,) = materials(text, "Accounts", ())
    assert (found.kind, found.title) == ("ordered", "Accounts: Steps")
    assert steps(text) == [["To remove an account:\n\n1. Open it.", "2. Press Remove."]]
    said = "# Remove it\n\nFollow these instructions to remove it from your computer:\n\n1. Open it.\n2. Wait.\n"
    assert [m.title for m in materials(said, "Accounts", ())] == ["Remove it"]


def test_labels_tell_the_lists_of_one_section_apart() -> None:
    text = "# Remove\n\nOn a phone:\n\n1. Open it.\n2. Wait.\n\nOn a laptop:\n\n1. Press it.\n2. Wait.\n"
    assert [m.title for m in materials(text, "T", ())] == ["Remove: On a phone:", "Remove: On a laptop:"]


def test_bullets_of_a_list_stay_together_also_those_that_instruct_nobody() -> None:
    text = "# The light is on\n\n- Rinse it again.\n- The tank was empty.\n- Set it to H2.\n"
    assert steps(text) == [["- Rinse it again.", "- The tank was empty.", "- Set it to H2."]]
    asked = "# Why is it slow?\n\n" + "".join(f"- Reason {n} of many.\n" for n in range(9))
    assert len(steps(asked)[0]) == 9


def test_a_table_code_and_bullets_beside_an_ordered_list_belong_to_it() -> None:
    text = (
        "# Set it\n\n1. Compare with the table.\n2. Turn the ring.\n\n| time | taste |\n|---|---|\n| 20 s | sour |\n\n"
        "Now run:\n\n```\nsudo one\nsudo two\n```\n\n- The ring is stiff.\n"
    )
    found = steps(text)[0]
    assert "| 20 s | sour |" in found[2] and "sudo one\nsudo two" in found[3] and found[4] == "- The ring is stiff."


def test_conditions_and_notes_in_a_section_stay_with_its_steps_and_talk_goes() -> None:
    text = (
        "# Connect\n\nIt is fun.\n\n**Warning: steam may escape.**\n\n1. Click Connect.\n2. Wait.\n\n"
        "If you are on the Free plan, one account is all there is.\n\nMany people like it.\n"
    )
    assert steps(text) == [
        [
            "**Warning: steam may escape.**",
            "1. Click Connect.",
            "2. Wait.",
            "If you are on the Free plan, one account is all there is.",
        ]
    ]
    assert "Many people like it." in steps(text, whole=True)[0]


def test_what_is_around_alternatives_belongs_to_each() -> None:
    lists = "".join(f"{{for {n}}}\n\n1. Open {n}.\n2. Wait.\n\n{{/for}}\n\n" for n in ("win", "mac"))
    found = steps(f"# Remove\n\nSave your mail first.\n\n{lists}Restart it.\n")
    assert [(one[0], one[-1]) for one in found] == [("Save your mail first.", "Restart it.")] * 2


def test_what_to_do_beforehand_is_the_first_step_of_the_procedure_under_the_same_heading() -> None:
    text = (
        "# Descaling\n\n## Before you begin\n\n- Allow 40 minutes.\n- Empty the tray.\n\n## Running it\n\n"
        "1. Press the button.\n2. Wait.\n\n## The light stays on\n\n1. Rinse it.\n2. Wait.\n"
    )
    running, light = materials(text, "Descaling", ())
    assert (running.title, light.title) == ("Running it", "The light stays on")
    assert text[slice(*running.steps[0])].startswith("## Before you begin") and len(light.steps) == 2
    assert materials(text, "Descaling", (), whole=True)[0].title == "Running it: Before you begin"
    assert [m.title for m in materials(text.partition("## Running")[0], "T", ())] == ["Before you begin"]


def test_sections_that_are_the_steps_of_a_procedure_come_together_in_their_order() -> None:
    text = "# Move\n\n## Step 1: Save\n\nCopy the mail.\n\n## Step 2: Delete\n\n1. Delete it.\n2. Wait.\n"
    assert [(m.kind, m.title) for m in materials(text, "T", ())] == [("ordered", "Move")]
    assert steps(text) == [["## Step 1: Save", "Copy the mail.", "## Step 2: Delete", "1. Delete it.", "2. Wait."]]


def test_a_step_that_refers_to_another_section_brings_it() -> None:
    text = (
        "# Start pairing mode\n\n1. Hold the button.\n2. Let go.\n\n# On a phone\n\n"
        "1. Start pairing mode as described above.\n2. Open Settings.\n"
    )
    found = steps(text)[1]
    assert "Hold the button." in found[1] and found[2] == "2. Open Settings."
    inside = "# One\n\n1. Wash it.\n2. Dry it as described above.\n"
    assert len(steps(inside)[0]) == 2


def test_a_remark_on_another_place_brings_no_steps() -> None:
    near = "# Clean\n\n1. Rinse the filter with warm water.\n2. Put the basket back.\n\n# Use\n\n1. {}\n2. Wait.\n"
    remark = near.format("The filter is below the motor, as noted above.")
    told = near.format("Rinse the filter as described above.")
    assert steps(remark)[1] == ["1. The filter is below the motor, as noted above.", "2. Wait."]
    assert "Put the basket back." in steps(told)[1][1]


def test_what_a_step_refers_to_and_nothing_has_is_named() -> None:
    (found,) = materials("# One\n\n1. Tick the box as shown below.\n", "T", ())
    assert [words.strip() for _, words in found.missing] == ["as shown below"]


def test_what_authors_tell_each_other_is_neither_step_nor_answer() -> None:
    text = "# Lid\n\n1. Open it.\n2. Close it. TODO: add a picture. It is blue.\n3. FIXME: wrong since 4.2\n\nTBD\n"
    assert steps(text, whole=True) == [["1. Open it.", "2. Close it."]]
    assert steps("# Lid\n\nI'd like this page to have more on lids, then link to the shop.\n", whole=True) == []


@pytest.mark.parametrize(
    ("language", "sentence", "is_note"),
    [
        ("en", "A screenshot needs to be added here.", True),
        ("en", "Still to be written.", True),
        ("en", "Link the battery page in step 2 when non-stub.", True),
        ("en", "Your account needs to be added to the app first.", False),
        ("en", "TODO lists are synced every hour.", False),
        ("en", "To do so: press the lid.", False),
        ("de", "Dieser Abschnitt muss noch ergänzt werden.", True),
        ("de", "Hier fehlt noch die Erklärung der Tasten.", True),
        ("de", "Der Drucker muss noch hinzugefügt werden.", False),
        ("de", "Hinweis für Allergiker: enthält Nüsse.", False),
    ],
)
def test_notes_of_authors_are_told_from_instructions(language: str, sentence: str, is_note: bool) -> None:
    assert is_author_note(sentence, language) is is_note
