"""Which steps of the manuals become a node's solutions."""

from __future__ import annotations

import pytest

from autokb.core.attributes import from_lists
from autokb.core.domain import read_domain
from autokb.core.nouns import Document
from autokb.heuristics.solutions.section_reader import LONGEST_STEP
from autokb.heuristics.solutions.solution import Excerpt, WriteSolutions, section_id
from autokb.heuristics.solutions.write import instructing_sections, write_section, write_solutions
from autokb.text.conditional_markup import find_conditionals

SPEC = read_domain(
    {
        "attributes": {
            "os": {"values": ["Windows", "macOS", "Linux"]},
            "device": {"values": ["Phone", "Laptop"], "implies": {"Phone": {"os": ["Linux"]}}},
        }
    }
)


def excerpt(text, title="Guide", windows=None, **more):
    windows = ((0, len(text), 0.8),) if windows is None else tuple(tuple(w) for w in windows)
    return Excerpt("d", title, (), text, tuple(find_conditionals(text)), windows, **more)


def solve(*excerpts, issue="How do I set it up?", attributes=None):
    attributes = from_lists(attributes or {})
    return write_solutions(WriteSolutions(issue, attributes, "", SPEC.attributes, (), excerpts)).solutions


def steps_of(text, **more):
    return [[s.text for s in solution.steps] for solution in solve(excerpt(text), **more)]


def test_a_long_list_is_never_cut_and_every_step_has_its_quote():
    text = "# Set it up\n\n" + "\n".join(f"{n}. Press key {n}." for n in range(1, 61))
    (solution,) = solve(excerpt(text, windows=[(200, 300, 0.8)]))
    assert len(solution.steps) == 60
    assert all(text[s.start : s.end] == s.quote for s in solution.steps)
    assert solution.steps[41].quote == "42. Press key 42."


def test_what_every_step_names_is_whom_they_are_for_and_a_word_in_some_is_not():
    named = "# Restart\n\n1. Restart the printer on Windows.\n2. Click the Windows flag.\n"
    (solution,) = solve(excerpt(named))
    assert solution.attributes["os"] == ["Windows"]
    assert solve(excerpt(named), attributes={"os": ["macOS"], "device": ["Any"]}) == ()
    passing = (
        "# Restart\n\n1. Restart it.\n2. Open Sharing, Windows Printers.\n3. Choose Windows Printer as its type.\n"
    )
    (solution,) = solve(excerpt(passing))
    assert solution.attributes["os"] == ["Any"]


@pytest.mark.parametrize(
    ("step", "os"),
    [
        ("On Windows, restart the printer and press the button.", "Windows"),
        ("If you use Windows, restart the printer and press the button.", "Windows"),
        ("Restart the printer. The lamp is also shown by Windows.", "Any"),
        ("Press the button for paper, dust or printing from Windows.", "Any"),
        ("On Windows, click Restart. On a Mac, choose Restart.", "Any"),
    ],
)
def test_a_lone_step_is_for_whom_its_opening_condition_names_not_for_what_it_names_in_passing(step, os):
    (solution,) = solve(excerpt(f"# Restart\n\n{step}\n"))
    assert solution.attributes["os"] == [os]


def test_a_note_between_two_steps_stays_with_the_first():
    assert steps_of("1. Press A.\n\n**Note:** wait.\n\n2. Press B.\n") == [["Press A.\nNote: wait.", "Press B."]]


def test_alternative_steps_in_switches_are_one_list_without_the_other_platforms_step():
    text = "1. Begin.\n\n{for win}\n\n2. Press Alt.\n\n{/for}\n\n{for mac}\n\n2. Press Cmd.\n\n{/for}\n\n3. End here.\n"
    assert steps_of(text, attributes={"os": ["macOS"]}) == [["Begin.", "Press Cmd.", "End here."]]
    assert steps_of(text) == [["Begin.", "(Windows) Press Alt.", "(macOS) Press Cmd.", "End here."]]


def test_a_solution_that_left_words_out_holds_for_the_nodes_value_only():
    text = "1. Click {for win}Tools{/for}{for mac}Program{/for}.\n2. Press Save.\n"
    (solution,) = solve(excerpt(text), attributes={"os": ["Windows"]})
    assert solution.attributes == {"os": ["Windows"], "device": ["Any"]}


def test_what_a_switch_around_the_list_says_is_the_solutions_attribute():
    text = "Remove it:\n\n{for linux}\n\n1. Open the terminal.\n2. Type remove.\n\n{/for}\n"
    (solution,) = solve(excerpt(text))
    assert solution.attributes["os"] == ["Linux"]
    assert solve(excerpt(text), attributes={"os": ["Windows"]}) == ()


def test_a_heading_that_repeats_the_documents_title_stands_once():
    (solution,) = solve(excerpt("# Linux\n\n1. Open it.\n2. Close it.\n", title="Linux"))
    assert solution.title == "Linux"
    (solution,) = solve(excerpt("# Linux\n\n1. Open it.\n2. Close it.\n", title="Guide"))
    assert solution.title == "Guide: Linux"


def test_alternative_lists_say_in_their_titles_whom_they_are_for():
    lists = "".join(
        f"{{for {name}}}\n\n1. Open {name}.\n2. Press Remove.\n\n{{/for}}\n\n" for name in ("win7", "win10")
    )
    found = solve(excerpt(f"# Remove\n\nTo remove the program:\n\n{lists}"), attributes={"os": ["Windows"]})
    assert [s.title for s in found] == ["Remove (Windows 7)", "Remove (Windows 10)"]


def test_an_item_that_leads_over_to_items_of_its_own_keeps_its_colon_and_one_that_announced_a_picture_gets_an_end():
    text = "# Set it up\n\n1. Open it. Now choose:\n   - Open A.\n   - Open B.\n2. Click this sign:\n3. Press OK.\n"
    ((first, *_, sign, _),) = steps_of(text)
    assert first.partition("\n")[0].endswith("Now choose:")
    assert sign == "Click this sign."


def test_conditional_markup_reads_as_words():
    text = "1. Open {for win,mac}Tools{/for}{for linux}Edit{/for}.\n2. {for not mac}Press Alt.{/for}\n"
    assert steps_of(text) == [["Open Tools (Windows, macOS) or Edit (Linux).", "Press Alt. (not on macOS)"]]
    versions = "".join(
        f"{{for {n}}}\n\n1. Open {n}.\n2. Wait.\n\n{{/for}}\n\n" for n in ("tb115", "not tb115", "=tb60")
    )
    titles = {s.title for e in [excerpt(f"# Remove\n\n{versions}")] for s in solve(e)}
    assert titles == {"Remove (version 115 or later)", "Remove (before version 115)", "Remove (version 60)"}


LINES = "\n".join(f"# note {n}\nset option_{n} = ()\n" for n in range(1, 60))


def inside(mark, text=LINES):
    return "\n".join(f"{mark}{line}".rstrip() for line in text.split("\n"))


@pytest.mark.parametrize(
    "block",
    [
        f"```conf\n{LINES}\n```\n\n",
        f"~~~\n{LINES}\n~~~\n\n",
        f"{inside('    ')}\n\n",
        f"> ```\n{inside('> ')}\n> ```\n\n",
    ],
)
def test_code_that_is_longer_than_a_step_is_one_step_with_its_lines_as_they_are(block):
    assert len(LINES) > LONGEST_STEP
    for text in (
        f"# Set it up\n\nPut this into the file:\n\n{block}Then restart it.\n",
        f"# Set it up\n\nPut this in:\n\n{block}",
    ):
        first = steps_of(text)[0][0]
        assert first.split("\n")[1:] == [line for line in LINES.split("\n") if line]


def test_code_in_an_item_stays_with_the_item():
    text = f"# Set it up\n\n1. Put this into the file:\n\n   ```\n{inside('   ')}\n   ```\n\n2. Then restart it.\n"
    first, second = steps_of(text)[0]
    assert [line.strip() for line in first.split("\n")[1:]] == [line for line in LINES.split("\n") if line]
    assert second == "Then restart it."


def test_code_keeps_its_lines_and_what_leads_over_to_a_first_step_is_read_with_it():
    text = (
        "# Run it\n\nTo update the clock, do this:\n\n1. Run:\n\n   ```\n   sudo one\n   sudo two\n   ```\n2. Wait.\n"
    )
    assert steps_of(text) == [["To update the clock, do this: Run:\nsudo one\nsudo two", "Wait."]]


def test_words_that_refer_to_what_is_not_there_go_or_the_step_goes_with_its_reason():
    (solution,) = solve(excerpt("# Cards\n\n1. Tick the box as shown below.\n"))
    assert ([s.text for s in solution.steps], solution.status) == (["Tick the box."], "displayed")
    (solution,) = solve(excerpt("# Cards\n\nOpen the menu.\n\nPress the key and follow the steps below.\n"))
    assert ([s.text for s in solution.steps], solution.status) == (["Open the menu."], "repaired")
    assert "“steps below”" in solution.reason


def test_prose_that_goes_on_and_on_is_taken_whole():
    text = "\n\n".join(f"Press the key number {n}." for n in range(9)) + "\n\n- Hold 1.\n- Hold 2.\n"
    (solution,) = solve(excerpt(text))
    assert [s.text for s in solution.steps][:2] == ["Press the key number 0.", "Press the key number 1."]
    assert [s.text for s in solution.steps][-2:] == ["Hold 1.", "Hold 2."]
    assert len(solution.steps) == 11


def test_the_title_is_tailored_like_the_steps():
    text = "# Open {for win}Options{/for}{for mac}Preferences{/for}\n\n1. Press Alt.\n2. Wait.\n"
    assert solve(excerpt(text), attributes={"os": ["macOS"]})[0].title == "Open Preferences"
    assert solve(excerpt(text))[0].title == "Open Options (Windows) or Preferences (macOS)"


def test_a_table_that_the_last_step_leads_over_to_belongs_to_it():
    text = "1. Open it.\n2. Set these values:\n\n| port |\n|---|\n| 993 |\n\nOther words.\n"
    assert steps_of(text) == [["Open it.", "Set these values:\nport\n993"]]


def test_a_table_is_read_row_by_row_also_where_it_is_too_long_for_one_step():
    rows = "".join(f"| mode {n} | {'slow and ' * 9}steady | {n} minutes |\n" for n in range(12))
    text = f"# Which mode?\n\n| Mode | How | Time |\n|---|---|---|\n{rows}"
    found = solve(excerpt(text, windows=[(0, len(text), 0.8)]))[0].steps
    assert len(found) > 1
    for step in found:
        assert step.quote == text[step.start : step.end]
        assert "|" not in step.text
    said = "\n".join(step.text for step in found).split("\n")
    assert said == [f"Mode: mode {n}; How: {'slow and ' * 9}steady; Time: {n} minutes" for n in range(12)]


def test_a_document_for_others_has_no_solution_and_implied_values_count():
    text = "# Begin\n\n1. Open it.\n2. Close it.\n"
    assert solve(excerpt(text, "Setup on Windows"), attributes={"os": ["macOS"]}) == ()
    assert solve(excerpt(text, "Setup on Windows"), attributes={"device": ["Phone"]}) == ()
    (solution,) = solve(excerpt(text, "Setup on a phone"))
    assert solution.attributes == {"device": ["Phone"], "os": ["Linux"]}


def test_what_makes_the_issue_worse_is_no_solution():
    text = "# Volume\n\n## Louder\n\n1. Raise the volume.\n\n## Quieter\n\n1. Lower the volume.\n"
    assert steps_of(text, issue="Too loud for my kid") == [["Lower the volume."]]
    assert steps_of(text, issue="Too quiet") == [["Raise the volume."]]


def test_a_section_for_a_state_that_the_nodes_people_cannot_have_is_no_solution():
    attributes = {"age": {"values": ["Infant", "Adult"]}, "state": {"examples": ["Pregnancy"]}}
    spec = read_domain({"attributes": attributes, "impossible": [{"age": ["Infant"], "state": ["Pregnancy"]}]})
    text = "# Fever\n\n## Infant\n\n1. Dress the baby thinly.\n\n## Pregnancy\n\n1. Call your midwife.\n"

    def titles(configuration, age):
        item = WriteSolutions("Fever", from_lists({"age": [age]}), "", configuration, (), (excerpt(text),))
        return [solution.title for solution in write_solutions(item).solutions]

    assert titles(spec.attributes, "Infant") == ["Fever: Infant"]
    assert titles(spec.attributes, "Adult") == ["Fever: Pregnancy"]
    anything = read_domain({"attributes": attributes})  # the same but for that: it reads for itself
    assert titles(anything.attributes, "Infant") == ["Fever: Infant", "Fever: Pregnancy"]


def test_sentences_with_a_condition_the_node_does_not_meet_are_left_out():
    text = "1. Open Settings. On Windows, press Alt. On macOS, press Cmd.\n2. For Linux: run it.\n3. Press Save.\n"
    assert steps_of(text, attributes={"os": ["macOS"]}) == [["Open Settings. On macOS, press Cmd.", "Press Save."]]


def test_emphasis_and_brackets_that_hold_nothing_any_more_go():
    text = "1. Press **{for mac}Cmd{/for}** now ({for mac}or Fn{/for}), please.\n2. Press Save.\n"
    assert steps_of(text, attributes={"os": ["Windows"]}) == [["Press now, please.", "Press Save."]]


def test_prose_that_tells_is_cut_down_to_what_it_tells():
    talk = "The clock has been made since 1950 and is loved by many people in many countries of this world. " * 3
    text = f"# Setting the clock\n\n{talk}Turn the wheel. {talk}\n\nPress the button.\n"
    assert steps_of(text) == [["Turn the wheel.", "Press the button."]]


def test_options_stay_with_the_words_that_lead_over_to_them():
    text = "# Call for help\n\nCall your doctor if you have:\n\n- a stiff neck\n- a rash\n"
    assert steps_of(text) == [["Call your doctor if you have:\n- a stiff neck\n- a rash"]]


def test_a_very_long_step_is_told_in_parts_without_a_loss():
    long = " ".join(f"Press the key number {n} twice." for n in range(60))
    text = f"1. Begin here.\n2. {long}\n"
    (solution,) = solve(excerpt(text))
    assert all(len(s.quote) <= LONGEST_STEP for s in solution.steps)
    assert "".join(s.quote for s in solution.steps).replace(" ", "") == text.replace(" ", "").replace("\n", "")


def test_of_windows_the_nearest_material_is_first_and_what_none_is_near_is_left_out():
    text = (
        "# Near\n\n1. Open it.\n2. Close it.\n\n# Nearer\n\n1. Press it.\n2. Hold it.\n\n# Far\n\n1. Sing.\n2. Wait.\n"
    )
    places = [text.index(heading) for heading in ("# Near\n", "# Nearer", "# Far")]
    ends = [*places[1:], len(text)]
    windows = [(start, end, score) for start, end, score in zip(places, ends, (0.5, 0.8, 0.3), strict=True)]
    assert [s.title for s in solve(excerpt(text, windows=windows))] == ["Nearer", "Near"]


def test_a_section_is_read_by_its_id_for_whom_it_is():
    text = "# Sound\n\n## On Windows\n\n1. Press plus.\n2. Wait.\n\n# Time\n\n1. Press Time.\n2. Wait.\n"
    document = Document("d", "Guide", text)

    def title(*headings, **values):
        written = write_section(document, section_id("d", headings, 0), from_lists(values), SPEC)
        return written and written.title

    assert title("Sound", "On Windows") == title("Sound", "On Windows", os=["Windows"]) == "Sound: On Windows"
    assert title("Sound", "On Windows", os=["macOS"]) is None
    assert title("Time", os=["macOS"]) == "Time"
    assert title("Gone") is None


def test_a_section_is_read_with_what_its_steps_refer_to_elsewhere_in_the_document():
    steps = "1. Soak the cloth.\n2. Wring it out.\n"
    text = f"# Care\n\n1. Clean the lens as described below.\n2. Wait.\n\n# The lens\n\n{steps}"
    filler = "The lens was first ground long ago. " * 400
    for document in (text, text.replace("# The lens", f"# History\n\n{filler}\n\n# The lens")):
        written = write_section(Document("d", "Guide", document), section_id("d", ("Care",), 0), {}, SPEC)
        assert "Wring it out." in " ".join(step.text for step in written.steps)


def test_only_a_section_whose_whole_heading_a_step_names_is_brought_and_a_word_by_chance_comes_last() -> None:
    steps = "1. Tick the boxes.\n2. Press **Delete**.\n"
    text = f"# Filters\n\n{{}}\n\n## {{}}\n\n{steps}\n# {{}}\n\n1. Press Save.\n"

    def written(step: str, below: str, behind: str) -> str:
        document = Document("d", "Guide", text.format(step, below, behind))
        found = write_section(document, section_id("d", ("Filters",), 0), {}, SPEC)
        return " ".join(step.text for step in found.steps) if found else ""

    chosen = "1. Choose one of the contact fields listed below.\n2. Wait."
    assert "Tick" not in written(chosen, "Delete all contacts in a group", "Ends")  # one of its words alone
    assert "Tick" in written(chosen.replace("fields", "lists"), "Contact lists", "Ends")
    several = "Choose the group in one of these ways, as listed below."
    assert "Tick" in written(several, "By hand", "Group") and "Save" not in written(several, "By hand", "Group")


def test_what_is_to_be_done_as_described_above_is_brought_by_a_part_of_its_heading() -> None:
    steps = "1. Pull the plug.\n2. Wait for two minutes.\n"
    text = f"# Restarting the machine\n\n{steps}\n# Codes\n\n1. Note the code.\n2. {{}}\n"

    def written(step: str) -> str:
        found = write_section(Document("d", "Guide", text.format(step)), section_id("d", ("Codes",), 0), {}, SPEC)
        return " ".join(one.text for one in found.steps) if found else ""

    assert "Pull the plug." in written("Restart as described above.")
    assert "Pull the plug." not in written("Use the machine from the first step above.")
    assert "Pull the plug." not in written("The machine was shown above.")


def test_a_long_list_is_brought_with_its_first_step() -> None:
    more = "".join(f"\n{n}. Run it. {'Look whether it starts. ' * 20}\n" for n in range(3, 6))
    text = (
        "# Update\n\n1. By hand.\n2. Or follow the Updating by Composer section below.\n\n# Updating by Composer\n\n"
        "Files may differ.\n\nFollow the steps below to update your files.\n\n"
        f"1. Back up the files.\n\n2. Edit them.\n{more}"
    )
    written = write_section(Document("d", "Guide", text), section_id("d", ("Update",), 0), {}, SPEC)
    assert written is not None
    said = " ".join(step.text for step in written.steps)
    assert "Back up the files." in said and "Edit them." in said


def test_what_only_explains_is_written_as_it_is_and_told_from_what_instructs():
    text = "# Sound\n\nThe sound has been praised since 1950.\n\n## Louder\n\n1. Press plus.\n2. Wait.\n"
    document = Document("d", "Guide", text)
    explanation = write_section(document, section_id("d", ("Sound",), 0), {}, SPEC)
    assert [step.text for step in explanation.steps] == ["The sound has been praised since 1950."]
    assert set(instructing_sections(document, "en")) == {section_id("d", ("Sound", "Louder"), 0)}
    assert write_section(document, section_id("d", ("Sound", "Louder"), 0), {}, SPEC).title == "Louder"


def test_a_list_inside_a_step_keeps_its_numbers_and_what_is_inside_of_it_is_set_in():
    text = "# Lid\n\n1. Clean it:\n   1. Use water.\n      - warm\n   1. Dry it.\n2. Close it.\n"
    assert steps_of(text) == [["Clean it:\n1. Use water.\n  - warm\n2. Dry it.", "Close it."]]


def test_a_procedure_that_loses_its_first_step_is_withheld_and_one_with_another_for_the_node_is_not():
    cut = "# Lid\n\n1. {for mac}Open Finder.{/for}\n2. Press Go.\n3. Press Save.\n"
    (withheld,) = solve(excerpt(cut), attributes={"os": ["Windows"]})
    assert withheld.status == "withheld" and "first step" in withheld.reason
    both = "# Lid\n\n1. {for mac}Open Finder.{/for}\n2. {for win}Open Explorer.{/for}\n3. Press Save.\n"
    (shown,) = solve(excerpt(both), attributes={"os": ["Windows"]})
    assert (shown.status, [s.text for s in shown.steps]) == ("displayed", ["Open Explorer.", "Press Save."])
    labelled = "# Lid\n\n1. (macOS) Open Finder.\n2. (Windows) Open Explorer.\n3. Press Save.\n"
    (shown,) = solve(excerpt(labelled), attributes={"os": ["Windows"]})
    assert [s.text for s in shown.steps] == ["(Windows) Open Explorer.", "Press Save."]


def test_what_is_brought_from_elsewhere_is_left_out_where_it_is_for_others_than_the_list():
    text = (
        "# Start it\n\n{for win}\n1. Press Win.\n2. If you have several programs, see below.\n{/for}\n\n"
        "## Several programs\n\n{for mac}\n1. Open Finder.\n2. Press Cmd.\n{/for}\n"
    )
    (found,) = (one for one in solve(excerpt(text)) if one.title.startswith("Start it"))
    assert found.attributes["os"] == ["Windows"]
    assert [step.text for step in found.steps][:2] == ["Press Win.", "If you have several programs, see below."]
    assert not any("Finder" in step.text or "Cmd" in step.text for step in found.steps)
