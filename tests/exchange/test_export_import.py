"""JSONL out and in: one knowledge base, one sequence of bytes; edited lines are taken, wrong ones named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import hand_made_kb
from autokb.app import SupportKB
from autokb.core.errors import AutokbError, BadInputError
from autokb.exchange.export_kb import export_kb
from autokb.exchange.import_kb import import_file
from autokb.exchange.imported import Imported
from autokb.exchange.referential_integrity import check_references
from autokb.pipeline.open_index import open_index
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from work_count import python_lines

Lines = list[dict[str, Any]]


def fresh(tmp_path: Path, name: str = "fresh") -> Workspace:
    return create_workspace(tmp_path / name, "name: fresh\n")


def taken_in(tmp_path: Path, lines: Lines) -> tuple[Workspace, Imported]:
    workspace = fresh(tmp_path)
    done = import_file(workspace, hand_made_kb.write(tmp_path / "in.jsonl", lines))
    return open_workspace(workspace.folder), done


def exported(workspace: Workspace) -> Lines:
    target = workspace.folder / "out.jsonl"
    export_kb(workspace, target)
    return [json.loads(line) for line in target.read_text(encoding="utf-8").split("\n") if line]


def line_of(lines: Lines, kind: str, line_id: str) -> dict[str, Any]:
    (found,) = [line for line in lines if (line["kind"], line["id"]) == (kind, line_id)]
    return found


def reasons(done: Imported) -> dict[str, str]:
    return {s.path: s.reason for s in done.skipped}


def test_export_import_export_gives_the_same_bytes_and_answers(hand_made: Workspace, tmp_path: Path) -> None:
    export_kb(hand_made, tmp_path / "one.jsonl")
    other = fresh(tmp_path)
    import_file(other, tmp_path / "one.jsonl")
    other = open_workspace(other.folder)
    export_kb(other, tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    question = "my robot does not pair with my iPad"
    one, two = (open_index(w).ask(question).as_json() for w in (hand_made, other))
    assert one | {"seconds": 0} == two | {"seconds": 0}
    assert other.spec == hand_made.spec


def test_the_export_is_sorted_and_every_reference_names_a_line(hand_made: Workspace) -> None:
    lines = exported(hand_made)
    keys = [(line["kind"], line["id"]) for line in lines]
    assert keys == sorted(keys)
    for line in lines:
        for name, kind in (
            ("theme", "theme"),
            ("seed", "seed"),
            ("issue", "issue"),
            ("raw_issue", "raw_issue"),
            ("issue_id", "issue"),
            ("parent_id", "issue"),
            ("solution_id", "solution"),
        ):
            if line.get(name):
                assert (kind, line[name]) in keys
    raw = line_of(lines, "raw_issue", "r2")
    assert (raw["theme"], raw["seed"], raw["issue"]) == ("t-connection", "seed-pair", "pair")
    assert (raw["date"], raw["resolved_by"]) == ("2025-02-11", ["pairing"])
    assert line_of(lines, "raw_issue", "r8")["reason"] == "Off topic."


def test_the_order_of_the_lines_does_not_matter(hand_made: Workspace, tmp_path: Path) -> None:
    other, done = taken_in(tmp_path, hand_made_kb.lines()[::-1])
    assert done.skipped == ()
    assert exported(other) == exported(hand_made)


def test_importing_again_changes_nothing(hand_made: Workspace, tmp_path: Path) -> None:
    export_kb(hand_made, tmp_path / "one.jsonl")
    again = import_file(hand_made, tmp_path / "one.jsonl")
    assert (again.taken, again.unchanged, again.skipped) == (0, len(exported(hand_made)), ())


def test_edited_lines_are_taken(tmp_path: Path) -> None:
    lines = hand_made_kb.lines()
    line_of(lines, "issue", "charge")["text"] = "The accumulator stays empty"
    line_of(lines, "solution", "s-contacts")["text"] = "Polish the contacts"
    line_of(lines, "document", "garage.md")["text"] += "\nZebras like the garage roof for its stripes.\n"
    workspace, done = taken_in(tmp_path, lines)
    assert done.skipped == ()
    index = open_index(workspace)
    match = index.ask("the accumulator stays empty in its dock, it does not charge").as_json()["matches"][0]
    assert match["issue"]["id"] == "charge"
    assert line_of(exported(workspace), "solution", "s-contacts")["text"] == "Polish the contacts"
    assert index.ask("zebras and stripes").as_json()["documents"][0]["document"] == "garage.md"


@pytest.mark.parametrize("chunker", ["fixed", "semantic"])
def test_an_edited_document_is_cut_again(
    chunker: str, hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOKB_CHUNKER", chunker)
    lines = exported(hand_made)
    garage = line_of(lines, "document", "garage.md")
    garage["text"] += "Zebras like its stripes.\n"  # the exported chunks still stand, but do not say this
    workspace, _ = taken_in(tmp_path, lines)
    chunks = line_of(exported(workspace), "document", "garage.md")["chunks"]
    assert "Zebras" in "".join(c["text"] for c in chunks)


def test_a_document_copied_under_another_id_gets_chunks_of_its_own(hand_made: Workspace, tmp_path: Path) -> None:
    lines = exported(hand_made)
    lines.append(line_of(lines, "document", "rain.md") | {"id": "rain-copy.md"})
    workspace, _ = taken_in(tmp_path, lines)
    ids = [c["id"] for line in exported(workspace) if line["kind"] == "document" for c in line["chunks"]]
    assert len(set(ids)) == len(ids)
    assert {"rain.md", "rain-copy.md"} <= {
        d["document"] for d in open_index(workspace).ask("rain").as_json()["documents"]
    }


WRONG: list[tuple[str, str]] = [
    ("{", "not valid JSON"),
    ("[1, 2]", "no JSON object"),
    ('{"kind": "setting", "id": "x", "y": NaN}', "NaN"),
    ('{"kind": "poem", "id": "x"}', "kind 'poem' is unknown"),
    ('{"kind": "theme", "name": "x"}', "no id"),
    ('{"kind": "theme", "id": 7, "name": "x"}', "no id"),
    ('{"kind": "theme", "id": "a\\nb", "name": "x"}', "one line"),
    ('{"kind": "setting", "id": "x", "y": 1e999}', "too large"),
    ('{"kind": "setting", "id": "x", "y": ' + "9" * 5000 + "}", "5,000 characters"),
    ('{"kind": "theme", "id": "x"}', "name is missing"),
    ('{"kind": "document", "id": "x", "title": "t"}', "text is missing"),
    ('{"kind": "raw_issue", "id": "x", "text": "t", "resolved_by": "a.md"}', "resolved_by must be a list"),
    ('{"kind": "issue", "id": "x", "text": "t", "parent_id": 3, "attributes": {}}', "parent_id must be text"),
    ('{"kind": "issue", "id": "x", "text": "t", "attributes": {"os": "iOS"}}', "lists of strings"),
    ('{"kind": "issue", "id": "x", "text": "t", "attributes": {"os": []}}', "lists of strings"),
    ('{"kind": "edit", "id": "x", "solution_id": "s-rain"}', "edited text or steps"),
    ('{"kind": "edit", "id": "x", "solution_id": "s-rain", "steps": "one"}', "steps must be a list"),
    ('{"kind": "setting", "id": "gate", "threshold": "high"}', "must be a number"),
    ('{"kind": "setting", "id": "gate", "threshold": 9, "encoder": "e"}', "between -1 and 1"),
    (
        '{"kind": "setting", "id": "gate", "threshold": null, "encoder": "e", "coefficients": {"intercept": 1}}',
        "must be intercept, documents, issues",
    ),
    ('{"kind": "setting", "id": "domain", "yaml": "attributes: 3"}', "stands in an earlier line"),
    ('{"kind": "theme", "id": "t-power", "name": "again"}', "stands in an earlier line"),
]


@pytest.mark.parametrize(("line", "reason"), WRONG)
def test_a_malformed_line_is_named_and_the_rest_is_taken(tmp_path: Path, line: str, reason: str) -> None:
    lines = hand_made_kb.lines()
    if '"domain"' in line:
        reason, lines = "attributes", lines[1:]
    path = hand_made_kb.write(tmp_path / "in.jsonl", lines)
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    done = import_file(fresh(tmp_path), path)
    assert done.taken == len(lines)
    (skipped,) = done.skipped
    assert skipped.path == f"line {len(lines) + 1}"
    assert reason in skipped.reason


@pytest.mark.parametrize(
    "change",
    [
        {"status": "shown"},
        {"steps": "one"},
        {"evidence": [{"document": "rain.md", "start": True, "end": 4, "quote": "# Ra"}]},
        {"evidence": [{"document": "rain.md"}]},
        {"rules": [{"rule": "no-support"}]},
        {"rules": [{"rule": "no-support", "verdict": "good", "reason": ""}]},
        {"attributes": None},
    ],
)
def test_a_malformed_solution_is_left_out(tmp_path: Path, change: dict[str, Any]) -> None:
    lines = hand_made_kb.lines()
    line_of(lines, "solution", "s-contacts").update(change)
    workspace, done = taken_in(tmp_path, lines)
    assert [s.reason for s in done.skipped if "s-contacts" in s.reason]
    assert done.taken == len(lines) - 1
    assert open_index(workspace).ask("the battery does not charge").as_json()["documents"]


def test_lines_that_miss_what_they_hang_on_are_named(tmp_path: Path) -> None:
    lines = [
        line
        for line in hand_made_kb.lines()
        if (line["kind"], line["id"]) not in (("issue", "pair"), ("theme", "t-power"))
    ]
    workspace, done = taken_in(tmp_path, lines)
    named = reasons(done)
    assert "'pair'" in named["issue pair-ios"]
    assert "'pair-ios'" in named["solution s-ios"]
    assert "'t-power'" in named["seed seed-charge"]
    assert "taken without its issue 'pair'" in named["raw_issue r1"]
    left = exported(workspace)
    assert "seed" not in line_of(left, "issue", "charge")
    assert "issue" not in line_of(left, "raw_issue", "r1")
    assert line_of(left, "raw_issue", "r1")["reason"]
    assert {tree["id"] for tree in SupportKB(workspace).views.show().as_json()["trees"]} == {"rain", "charge", "blades"}


def test_parents_in_a_circle_are_dropped(tmp_path: Path) -> None:
    lines = hand_made_kb.lines()
    line_of(lines, "issue", "rain")["parent_id"] = "rain-noapp"
    line_of(lines, "issue", "charge")["parent_id"] = "charge"
    workspace, done = taken_in(tmp_path, lines)
    for issue in ("rain", "rain-noapp", "charge"):
        assert "back to itself" in reasons(done)[f"issue {issue}"]
    assert open_index(workspace).ask("rain").as_json()["documents"]


def test_a_grandchild_is_shown_under_its_tree(tmp_path: Path) -> None:
    lines = hand_made_kb.lines()
    line_of(lines, "issue", "pair-ipad")["parent_id"] = "pair-ios"
    workspace, done = taken_in(tmp_path, lines)
    assert done.skipped == ()
    (pair,) = [t for t in SupportKB(workspace).views.show().as_json()["trees"] if t["id"] == "pair"]
    assert {c["id"] for c in pair["children"]} == {"pair-ios", "pair-ipad", "pair-android"}
    assert open_index(workspace).ask("does not pair with my iPad").as_json()["matches"][0]["issue"]["id"] == "pair-ipad"


@pytest.mark.parametrize(
    "change",
    [{"quote": "Wet the rain sensor"}, {"start": 16}, {"start": -1}, {"end": 10_000}, {"document": "gone.md"}],
)
def test_a_false_quote_withholds_its_solution(tmp_path: Path, change: dict[str, Any]) -> None:
    lines = hand_made_kb.lines()
    line_of(lines, "solution", "s-noapp")["evidence"][0].update(change)
    workspace, done = taken_in(tmp_path, lines)
    assert reasons(done)["solution s-noapp"].startswith("withheld")
    kept = line_of(exported(workspace), "solution", "s-noapp")
    assert kept["status"] == "withheld" and kept["reason"]
    answer = open_index(workspace).ask("the robot stops in the rain", {"os": frozenset({"NONE"})}).as_json()
    assert "s-noapp" not in json.dumps(answer)


def test_only_the_contract_s_names_are_enough(tmp_path: Path) -> None:
    lines = hand_made_kb.lines()
    for line in lines:
        if line["kind"] == "issue":
            line.pop("seed", None)
    workspace, done = taken_in(tmp_path, lines)
    assert done.skipped == ()
    assert (
        len(SupportKB(workspace).views.show_issue("pair").as_json()["raw_issues"]) == 3
    )  # told by the lines of the raw issues


def test_a_full_set_of_values_is_any_when_asked(tmp_path: Path) -> None:
    lines = hand_made_kb.lines()
    line_of(lines, "issue", "rain")["attributes"]["model"] = ["Badger", "Glider", "Hopper"]
    workspace, _ = taken_in(tmp_path, lines)
    match = open_index(workspace).ask("the robot stops in the rain").as_json()["matches"][0]
    assert (match["issue"]["id"], match["match"]) == ("rain", "exact")


def test_the_domain_comes_along_into_a_fresh_workspace_only(tmp_path: Path) -> None:
    workspace, _ = taken_in(tmp_path, hand_made_kb.lines())
    assert workspace.spec.name == "lawn"
    assert "fresh" in (workspace.folder / "domain.yaml.before-import").read_text(encoding="utf-8")
    (workspace.folder / "domain.yaml").write_text(hand_made_kb.DOMAIN.replace("lawn", "mine"), encoding="utf-8")
    import_file(open_workspace(workspace.folder), tmp_path / "in.jsonl")
    assert open_workspace(workspace.folder).spec.name == "mine"


def test_imported_sources_are_those_of_the_next_build(tmp_path: Path) -> None:
    workspace, _ = taken_in(tmp_path, hand_made_kb.lines())
    with workspace.file() as file:
        assert {s.id for s in file.staged("documents")} == set(hand_made_kb.DOCUMENTS)
        assert {s.id: s.body["resolved_by"] for s in file.staged("issues")}["r2"] == ["pairing"]
    folder = tmp_path / "manuals"
    folder.mkdir()
    (folder / "rain.md").write_text("# Rain\n\nNew.\n", encoding="utf-8")
    assert SupportKB(workspace).add([folder]).updated == 1  # the file takes the place of the imported text
    (folder / "rain.md").unlink()
    (folder / "other.md").write_text("# Other\n", encoding="utf-8")
    assert SupportKB(workspace).add([folder], sync=True).removed == 1


@pytest.mark.parametrize("text", ["", "\n\n", "not a line of ours\n", "[]\n"])
def test_a_file_without_a_line_is_refused_and_changes_nothing(hand_made: Workspace, tmp_path: Path, text: str) -> None:
    before = exported(hand_made)
    (tmp_path / "x.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match="no line of a knowledge base"):
        import_file(hand_made, tmp_path / "x.jsonl")
    assert exported(hand_made) == before


def test_half_a_character_is_replaced(tmp_path: Path) -> None:
    path = hand_made_kb.write(tmp_path / "in.jsonl")
    path.write_text(
        path.read_text(encoding="utf-8").replace("Change the blades", "Change \\ud83d blades"), encoding="utf-8"
    )
    workspace = fresh(tmp_path)
    assert import_file(workspace, path).taken == len(hand_made_kb.lines())
    assert line_of(exported(workspace), "document", "blades.md")["title"] == "Change \ufffd blades"


def test_lines_are_split_at_line_feeds_only(tmp_path: Path) -> None:
    lines = hand_made_kb.lines()
    line_of(lines, "issue", "rain")["text"] = "It rains\u2028and\x85it stops\x0b\x0c"
    workspace, done = taken_in(tmp_path, lines)
    assert done.skipped == ()
    assert line_of(exported(workspace), "issue", "rain")["text"] == "It rains\u2028and\x85it stops\x0b\x0c"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("kb.txt", b"x", "import takes"),
        ("kb.jsonl", b"\xff\xfe\x00", "UTF-8"),
        ("missing.jsonl", None, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_one_of_ours(
    hand_made: Workspace, tmp_path: Path, name: str, content: bytes | None, reason: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInputError, match=reason):
        import_file(hand_made, tmp_path / name)


@pytest.mark.parametrize("suffix", [".jsonl", ".md", ".csv"])
def test_an_export_appears_whole_or_not_at_all(hand_made: Workspace, tmp_path: Path, suffix: str) -> None:
    with pytest.raises(AutokbError, match="cannot be written"):
        export_kb(hand_made, tmp_path / "no" / f"kb{suffix}")
    with pytest.raises(BadInputError, match="suffix"):
        export_kb(hand_made, tmp_path / "kb.xlsx")
    target = tmp_path / f"folder{suffix}"
    target.mkdir()
    with pytest.raises(AutokbError, match="cannot be written"):
        export_kb(hand_made, target)
    assert sorted(tmp_path.iterdir()) == sorted([target, hand_made.folder])


def test_documents_alone_can_be_asked(tmp_path: Path) -> None:
    workspace, done = taken_in(tmp_path, [line for line in hand_made_kb.lines() if line["kind"] == "document"])
    assert done.skipped == ()
    answer = open_index(workspace).ask("a garage roof against the sun").as_json()
    assert (answer["outcome"], answer["matches"]) == ("answered", [])
    assert answer["passages"][0]["document"] == "garage.md"
    assert answer["documents"][0]["document"] == "garage.md"


def test_issues_without_documents_can_be_asked(tmp_path: Path) -> None:
    lines = [line for line in hand_made_kb.lines() if line["kind"] in ("setting", "issue")]
    for line in lines:
        line.pop("seed", None)
    workspace, done = taken_in(tmp_path, lines)
    assert done.skipped == ()
    answer = open_index(workspace).ask("the robot stops in the rain").as_json()
    assert (answer["outcome"], answer["matches"], answer["documents"]) == ("abstains", [], [])


@pytest.mark.parametrize("kind", ["edit", "verdict"])
def test_a_decision_about_nothing_is_named_and_the_workspace_can_be_read(tmp_path: Path, kind: str) -> None:
    line = {"kind": kind, "id": "odd", "solution_id": "", "text": "Dry it", "verdict": "hidden", "date": "2026-01-02"}
    workspace, done = taken_in(tmp_path, [*hand_made_kb.lines(), line])
    assert [s.reason for s in done.skipped] == [f"{kind} 'odd': solution_id must be an id"]
    assert SupportKB(workspace).views.show().trees


def test_who_wrote_a_solution_by_hand_says_nothing_of_its_text(tmp_path: Path) -> None:
    by_hand = {"issue_id": "rain", "text": 5, "steps": 5, "rules": 5, "attributes": 5}
    line = next(line for line in hand_made_kb.lines() if line["kind"] == "solution")
    workspace, done = taken_in(tmp_path, [*hand_made_kb.lines(), {**line, "id": "mine", "by_hand": by_hand}])
    assert done.skipped == ()
    (written,) = (s for s in SupportKB(workspace).views.show_issue("rain").solutions if s.id == "mine")
    assert (written.text, written.by_hand) == (line["text"], True)


def test_what_is_decided_after_the_largest_number_can_be_exported_and_taken_back(tmp_path: Path) -> None:
    edit = {"kind": "edit", "solution_id": "s-pair", "author": "a", "date": "2026-01-02"}
    numbers = (10**15, 10**15, 0, 7)
    lines = [
        {**edit, "id": f"e{n}", "text": f"Restart\nTurn it off {n} times.", "number": number}
        for n, number in enumerate(numbers)
    ]
    workspace, done = taken_in(tmp_path, [*hand_made_kb.lines(), *lines])
    assert done.skipped == ()
    SupportKB.open(workspace.folder).curation.approve(["s-pair"])
    again, other = exported(workspace), tmp_path / "again"
    other.mkdir()
    assert taken_in(other, again)[1].skipped == ()
    (shown,) = SupportKB(workspace).views.show_issue("pair").solutions
    assert shown.text.splitlines()[-1] == "Turn it off 2 times."  # the one without a number came last


def test_a_sentence_about_a_line_is_short_whatever_the_line_holds(tmp_path: Path) -> None:
    long = "x" * 100_000
    (theme,) = [line for line in hand_made_kb.lines() if line["kind"] == "theme"][:1]
    lines = [
        {"kind": long, "id": "a"},
        {**theme, "id": long},
        {**theme, "id": long},
        {**theme, "id": long + "y", "name": 1},
    ]
    lines += [{"kind": "seed", "id": "s", "theme": long + "z", "raw_issue": long}]
    _, done = taken_in(tmp_path, [*hand_made_kb.lines(), *lines])
    assert len(done.skipped) == 4
    assert max(len(s.reason) for s in done.skipped) < 500


def test_issues_in_a_chain_are_walked_once(tmp_path: Path) -> None:
    (issue,) = [line for line in hand_made_kb.lines() if line["id"] == "pair-ios"]
    chain = [{**issue, "id": f"c{n:05}", "parent_id": f"c{n + 1:05}"} for n in range(5_000)]
    lines = {("issue", line["id"]): line for line in chain}
    assert python_lines(lambda: check_references(lines)) < 200 * len(chain)  # not some for each node above each
    assert not lines  # the root of all is not there


@pytest.mark.parametrize("suffix", [".jsonl", ".md", ".csv"])
def test_a_pipe_or_a_device_is_refused_before_it_is_read(hand_made: Workspace, tmp_path: Path, suffix: str) -> None:
    pipe, device = tmp_path / f"pipe{suffix}", tmp_path / f"device{suffix}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(BadInputError, match="it is a pipe, a socket or a device, no file"):
            import_file(hand_made, path)


def test_texts_longer_than_those_of_intake_are_named(tmp_path: Path) -> None:
    lines = [
        {"kind": "document", "id": "long", "title": "Long", "text": "word " * 1_100_000},
        {"kind": "raw_issue", "id": "long", "text": "word " * 50_000},
    ]
    _, done = taken_in(tmp_path, [*hand_made_kb.lines(), *lines])
    assert [s.reason for s in done.skipped] == [
        "document 'long' has 5,500,000 characters, and 5,000,000 can be taken; split it",
        "raw_issue 'long' has 250,000 characters, and 200,100 can be taken; split it",
    ]
