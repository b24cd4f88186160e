"""Questions that must stay right: kept, asked of readers and of a candidate, and a gate before readers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from test_versions import Kettles, numbers, shown

import small_tickets
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import BadInputError, ChangedMeanwhileError
from autokb.core.ids import canonical_json
from autokb.core.nouns import CUSTOMER, Message
from autokb.retrieval.calibrated_gate import SETTING as CALIBRATION
from autokb.views.versions import VersionChecks

LIME = {"id": "lime", "text": "How do I remove lime scale?", "document": "descaling.md"}
LOUD = {"id": "loud", "text": "it is so loud", "document": "noise.md", "heading": "Loud noise"}
IPHONE = {"id": "iphone", "text": "The app does not connect", "attributes": {"os": ["iOS"]}}
IPHONE |= {"document": "app", "heading": "connect on  iphone"}
PIZZA = {"id": "pizza", "text": "do you sell pizza margherita", "outcome": "abstains"}
GATE = "gate: {max_loss: {first: 0.02, outcome: 0.02}, must: [loud]}\n"
ALL = (LIME, LOUD, IPHONE, PIZZA)


def written(place: Path, *checks: Mapping[str, Any]) -> Path:
    file = place / "checks.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in checks), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = Kettles(tmp_path_factory.mktemp("built"))
    made.kb.close()
    return made.place


@pytest.fixture
def kettles(tmp_path: Path, built: Path) -> Kettles:
    return Kettles(tmp_path, built)


def guarded(kettles: Kettles, settings: str = GATE, checks: tuple[Mapping[str, Any], ...] = ALL) -> SupportKB:
    kettles.kb.checks.add(written(kettles.place, *checks))
    (kettles.place / "kb" / "settings.yaml").write_text(settings, encoding="utf-8")
    kettles.kb.close()
    kettles.kb = SupportKB.open(kettles.place / "kb")
    return kettles.kb


def test_checks_are_kept_listed_as_they_are_read_and_forgotten(kettles: Kettles) -> None:
    kb = kettles.kb
    kept = kb.checks.add(written(kettles.place, *ALL))
    assert kept.as_json() == {"added": 4, "updated": 0, "unchanged": 0, "unresolved": []}
    listed = kb.checks.list().as_json()["checks"]
    assert [one["id"] for one in listed] == ["lime", "loud", "iphone", "pizza"] and listed[3] == PIZZA
    again = kb.checks.add(written(kettles.place, *listed[:3], {**LOUD, "heading": "Nowhere"} | {"id": "new"}))
    assert (again.added, again.updated, again.unchanged, again.unresolved) == (1, 0, 3, ("new",))
    assert kb.checks.add(written(kettles.place, {**LIME, "heading": "Lime"})).updated == 1
    assert [one.id for one in kb.checks.remove(["new", "lime"]).checks] == ["loud", "iphone", "pizza"]
    with pytest.raises(BadInputError, match="no check 'lime'"):
        kb.checks.remove(["pizza", "lime"])
    assert len(kb.checks.list().checks) == 3


def test_a_check_of_what_is_nowhere_is_refused_and_one_of_what_is_added_or_was_kept_is_not(kettles: Kettles) -> None:
    kb = kettles.kb
    for what, name in (("document", "nowhere.md"), ("solution", "solution-none"), ("ticket", "NO-1")):
        stray = {"id": "new", "text": "it is so loud", what: name}
        with pytest.raises(BadInputError, match=rf"The check new: there is no {what} '{name}'.*Nothing was kept"):
            kb.checks.add(written(kettles.place, LIME, stray))
        with pytest.raises(BadInputError, match="there is no"):
            kb.checks.add_one(stray)
    assert not kb.checks.list().checks
    kettles.sources.pages["filter.md"] = [["Change the filter", "Pull the filter out."]]
    kettles.sources.add_to(kb)
    later = {"id": "filter", "text": "Where is the filter?", "document": "filter.md"}
    assert kb.checks.add(written(kettles.place, later)).unresolved == ("filter",), "the next build publishes it"
    kettles.sources.pages.pop("filter.md")
    kettles.sources.add_to(kb)
    assert kb.checks.add(written(kettles.place, *kb.checks.list().as_json()["checks"])).unchanged == 1


def test_what_is_right_is_told_of_each_check_with_intervals(kettles: Kettles) -> None:
    kb = kettles.kb
    with pytest.raises(BadInputError, match="autokb checks add"):
        kb.checks.run()
    wrong = {"id": "wrong", "text": "water leaks", "document": "leaks.md", "heading": "Nothing like it"}
    known = kb.ask(str(LOUD["text"])).shown[0].id
    by_id = {"id": "by-id", "text": LOUD["text"], "solution": known, "outcome": "answered"}
    kb.checks.add(written(kettles.place, *ALL, wrong, by_id))
    told = kb.checks.run().as_json()
    assert set(told) == {"n", "first", "three", "outcome", "checks"} and told["n"] == 6
    results = {one["id"]: (one["first"], one["three"], one["outcome"]) for one in told["checks"]}
    assert results == dict.fromkeys(("lime", "loud", "iphone", "pizza", "by-id"), (True,) * 3) | {
        "wrong": (False, False, True)
    }
    assert told["first"]["value"] == pytest.approx(5 / 6) and told["outcome"]["value"] == 1
    assert told["first"]["low"] < 5 / 6 < told["first"]["high"] < 1
    assert told["checks"][1]["shown"].startswith("noise.md: ")


def test_a_candidate_is_asked_beside_what_readers_see_by_pairs(kettles: Kettles) -> None:
    kb = kettles.kb
    kb.checks.add(written(kettles.place, *ALL))
    with pytest.raises(BadInputError, match="no candidate"):
        kb.checks.run(candidate=True)
    kettles.sources.pages.pop("noise.md")
    kettles.sources.add_to(kb)
    kb.build(candidate=True)
    told = kb.checks.run(candidate=True).as_json()
    assert told["difference"]["first"]["value"] == -0.25 and told["difference"]["first"]["low"] < 0
    (turned,) = told["turned"]
    assert turned["id"] == "loud" and turned["before"]["first"] and not turned["now"]["first"]
    assert kb.checks.run().first.value == 1


def test_a_build_that_loses_a_check_is_kept_from_readers_until_somebody_forces_it(kettles: Kettles) -> None:
    kb = guarded(kettles)
    before = shown(kb)
    kettles.sources.pages.pop("noise.md")
    kettles.sources.add_to(kb)
    report = kb.build()
    told = report.as_json()
    assert report.refusal and told["published"] is False and [one["id"] for one in told["checks"]] == ["loud"]
    assert told["reasons"][0] == "Right first fell from 1.000 to 0.750, by more than 0.02."
    assert told["reasons"][1] == "Outcome right fell from 1.000 to 0.750, by more than 0.02."
    assert told["reasons"][2:] == ["The check loud must stay right, and is not: abstains, nothing is shown."]
    assert "noise.md" in told["checks"][0]["before"]["shown"]
    assert shown(kb) == before and numbers(kb) == [(1, True), (2, False)]
    refused = kb.versions.publish()
    assert not refused.published and refused.as_json() == {key: told[key] for key in ("published", "reasons", "checks")}
    assert shown(SupportKB.open(kettles.place / "kb")) == before
    with pytest.raises(BadInputError, match="--author"):
        kb.versions.publish(force=True)
    assert kb.versions.publish(author="ann", force=True).as_json() == {"number": 2, "published": True}
    assert shown(kb) != before
    noted = kb.versions.list().versions[1].checks
    assert noted and (noted.n, noted.first, noted.outcome) == (4, 0.75, 0.75)
    assert noted.forced and noted.forced.as_json() == {"by": "ann", "reasons": told["reasons"]}
    # What is wrong for readers already holds nothing back.
    kettles.sources.pages["leaks.md"][0][1] = "Empty the kettle and dry it."
    kettles.sources.add_to(kb)
    assert kb.build().refusal is None and numbers(kb)[-1] == (3, True)


def test_a_build_that_is_no_worse_is_published_with_its_figures_and_an_unchanged_one_is_never_stopped(
    kettles: Kettles,
) -> None:
    kb = guarded(kettles)
    kb.build()
    assert numbers(kb) == [(1, True)]
    kettles.edit("Descale the kettle twice.")
    report = kb.build()
    assert report.refusal is None and "published" not in report.as_json()
    assert kb.versions.list().versions[1].checks == VersionChecks(1.0, 1.0, 4)
    kettles.sources.pages.pop("noise.md")
    kettles.sources.add_to(kb)
    kb.build(force="ann")
    for _ in range(3):
        assert kb.build().refusal is None
    kb.versions.roll_back(2)
    assert kb.build().refusal is not None, "it is held against what readers see, which is version 2 again"
    assert numbers(kb)[:3] == [(1, False), (2, True), (3, False)]


def test_without_a_gate_checks_refuse_nothing_and_without_checks_a_gate_says_so(kettles: Kettles) -> None:
    (kettles.place / "kb" / "settings.yaml").write_text("gate: {must: []}\n", encoding="utf-8")
    kb = SupportKB.open(kettles.place / "kb")
    kettles.edit("Descale the kettle twice.").close()
    assert any("has no checks" in note for note in kb.build().notes)
    kb = guarded(kettles, settings="")
    kettles.sources.pages.pop("noise.md")
    kettles.sources.add_to(kb)
    report = kb.build()
    assert report.refusal is None and not any("checks" in note for note in report.notes)
    checks = kb.versions.list().versions[-1].checks
    assert checks and checks.first == 0.75


def test_the_first_build_has_nothing_to_lose_but_what_must_be_right(tmp_path: Path) -> None:
    kettles = Kettles.__new__(Kettles)
    from benchmarks.decisions import ISSUES, PAGES, Sources

    sources = Sources(tmp_path / "source", {k: [list(p) for p in v] for k, v in PAGES.items()}, dict(ISSUES))
    kettles.place, kettles.sources = tmp_path, sources
    kettles.kb = sources.make_workspace(tmp_path / "kb")
    lost = {"id": "loud", "text": "it is so loud", "document": "noise.md", "heading": "Nothing like it"}
    kb = guarded(kettles, checks=(LIME, lost))
    report = kb.build()
    assert report.refusal and report.refusal.reasons[0].startswith("The check loud must stay right")
    assert report.refusal.checks[0].before is None and not kb.versions.list().versions[0].published
    kb = guarded(kettles, settings="gate: {}\n", checks=(LIME, lost))
    assert kb.build().refusal is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"text": "a"}, "needs an id"),
        ({"id": "a", "text": " "}, "needs a text"),
        ({"id": "a", "text": "b"}, "nothing says what is right"),
        ({"id": "a", "text": "b", "outcome": "wins"}, "must be one of answered, asks, abstains"),
        ({"id": "a", "text": "b", "heading": "c", "outcome": "asks"}, "needs its document"),
        ({"id": "a", "text": "b", "document": "c", "outcome": "abstains"}, "shows nothing"),
        ({"id": "a", "text": "b", "document": 5}, "must be a text"),
        ({"id": "a", "text": "b", "document": "c", "attributes": ["x"]}, "must be an object"),
        ({"id": "a", "text": "b", "document": "c", "attributes": {"colour": ["red"]}}, "Unknown attribute"),
    ],
)
def test_a_check_that_cannot_be_judged_is_refused_with_its_line(
    kettles: Kettles, line: Mapping[str, Any], words: str
) -> None:
    with pytest.raises(BadInputError, match=words) as told:
        kettles.kb.checks.add(written(kettles.place, LIME, line))
    assert "line 2" in str(told.value) or "The check a" in str(told.value)
    assert not kettles.kb.checks.list().checks


def test_a_gate_that_names_no_check_is_refused_before_anything_is_built(kettles: Kettles) -> None:
    kb = guarded(kettles, settings="gate: {must: [nothing]}\n")
    kettles.edit("Descale the kettle twice.")
    with pytest.raises(BadInputError, match="'nothing', which is no check"):
        kb.build()
    assert numbers(kb) == [(1, True)]


def test_drafted_cases_are_checks(kettles: Kettles) -> None:
    kb = kettles.kb
    cases = kettles.place / "cases.jsonl"
    others = kettles.place / "others.jsonl"
    others.write_text(json.dumps({"id": "o", "text": "do you sell pizza margherita"}) + "\n", encoding="utf-8")
    drafted = kb.evaluate.draft_cases(cases, "documents", out_of_domain=others)
    assert kb.checks.add(cases).added == drafted.cases
    checks = {one.id: one for one in kb.checks.list().checks}
    assert (
        checks["app.md#1"].heading == "The kettle app > Connect on Android" and checks["app.md#1"].document == "app.md"
    )
    assert checks["out-of-domain#o"].outcome == "abstains"
    assert kb.checks.run().three.value > 0.5


def test_one_suggestion_that_helped_is_kept_as_a_check_of_its_section(kettles: Kettles) -> None:
    kb = kettles.kb
    text = "the kettle is so loud, write to ann@example.org"
    found = kb.suggest([Message(CUSTOMER, text)]).suggestions[0].as_json()["evidence"][0]
    assert kb.checks.keep(text, document=found["document"], start=found["start"], author="ann").added == 1
    assert kb.checks.keep(f" {text.upper()}", document=found["document"], start=found["start"]).updated == 1
    kb.checks.keep(text, document=found["document"], start=found["start"], author="ann")
    (check,) = kb.checks.list().checks
    assert (check.document, check.heading, check.author) == ("noise.md", "Loud noise", "ann")
    assert "ann@example.org" not in check.text and kb.checks.run().first.value == 1
    with pytest.raises(BadInputError, match="nothing says what is right"):
        kb.checks.keep("water leaks")


def test_checks_stay_in_their_workspace_through_builds_and_are_in_no_export(kettles: Kettles) -> None:
    kb = kettles.kb
    kb.checks.add(written(kettles.place, *ALL))
    kettles.edit("Descale the kettle twice.").build()
    kb.export(kettles.place / "all.jsonl")
    assert "pizza" not in (kettles.place / "all.jsonl").read_text(encoding="utf-8")
    copy = shutil.copytree(kettles.place / "kb", kettles.place / "copy")
    assert SupportKB.open(copy).checks.run().first.value == 1


def test_a_sync_whose_build_is_refused_says_so_and_ends_with_1(
    kettles: Kettles, capsys: pytest.CaptureFixture[str]
) -> None:
    source = {"sources": {"more": {"type": "folder", "path": str(kettles.place / "more")}}}
    kb = guarded(kettles, settings=f"{GATE}{json.dumps(source)[1:-1]}\n")
    before = shown(kb)
    (kettles.place / "more").mkdir()
    (kettles.place / "more" / "tea.md").write_text("# Tea\n\nBoil water.\n", encoding="utf-8")
    kettles.sources.pages.pop("noise.md")
    kettles.sources.add_to(kb)
    assert main(["sync", str(kettles.place / "kb"), "--build"]) == 1
    printed = capsys.readouterr().out
    assert "built, and not published: Right first fell from 1.000 to 0.750" in printed and "candidate" in printed
    assert shown(kb) == before and numbers(kb) == [(1, True), (2, False)]


def test_checks_of_past_tickets_are_asked_of_them_and_by_no_gate(kettles: Kettles) -> None:
    kb = guarded(kettles, settings="gate: {}\n", checks=(LIME,))
    kb.add([small_tickets.write(kettles.place / "tickets.json")], "tickets")
    kb.tickets.build()
    known = kb.tickets.ask("the camera crashes").tickets[0].id
    camera = {"id": "camera", "text": "the camera crashes", "ticket": known}
    wrong = {"id": "wrong", "text": "the camera crashes", "ticket": "APP-4"}
    kb.checks.add(written(kettles.place, camera, wrong))
    told = {one.id: (one.first, one.three, one.outcome) for one in kb.checks.run().checks}
    assert told == {"lime": (True,) * 3, "camera": (True,) * 3, "wrong": (False, False, True)}
    kettles.edit("Descale the kettle twice.")
    kb.build(candidate=True)
    assert [one.id for one in kb.checks.run(candidate=True).checks] == ["lime"]
    assert kb.build().refusal is None
    kb.checks.remove(["lime"])
    assert kb.checks.run().n == 2
    kettles.edit("Descale the kettle thrice.")
    assert kb.build().refusal is None and kb.versions.list().versions[-1].checks is None
    with pytest.raises(BadInputError, match="in no version"):
        kb.build(candidate=True)
        kb.checks.run(candidate=True)
    with pytest.raises(BadInputError, match="asked by themselves"):
        kb.checks.add_one({**camera, "document": "noise.md"})


def test_a_team_with_a_calibration_is_asked_with_it_and_an_unchanged_build_is_not_stopped(kettles: Kettles) -> None:
    kb = guarded(kettles)
    with kb.workspace.file() as file, file.transaction():
        settings = {("setting", name): canonical_json(body) for name, body in file.records("setting")}
        settings["setting", CALIBRATION] = canonical_json({"date": "2026-05-01"})
        file.publish(settings, ["setting"], kb.workspace.publication_by("gate"))
    kb.build(candidate=True)
    with kb.workspace.file() as file, kb.workspace.of("candidate").file() as candidate:
        assert not file.differs_for_readers
        assert candidate.record("setting", CALIBRATION) == {"date": "2026-05-01"}
        later = {**settings, ("setting", CALIBRATION): canonical_json({"date": "2026-06-01"})}
        with file.transaction():
            file.publish(later, ["setting"], kb.workspace.publication_by("gate"))
        assert candidate.record("setting", CALIBRATION) == {"date": "2026-06-01"}


def test_checks_that_come_while_a_build_runs_are_asked(kettles: Kettles) -> None:
    kb = guarded(kettles, settings="gate: {}\n", checks=(PIZZA,))
    kb.checks.remove(["pizza"])
    kettles.sources.pages.pop("noise.md")
    kettles.sources.add_to(kb)

    def add_once(stage: str, _done: int, _total: int) -> None:
        if stage == "solutions" and not kb.checks.list().checks:
            kb.checks.add(written(kettles.place, *ALL))

    assert kb.build(progress=add_once).refusal is not None
    assert numbers(kb) == [(1, True), (2, False)]


def test_what_must_stay_right_is_no_check_of_tickets(kettles: Kettles) -> None:
    kettles.kb.add([small_tickets.write(kettles.place / "tickets.json")], "tickets")
    camera = {"id": "camera", "text": "a", "ticket": "APP-1"}
    kb = guarded(kettles, settings="gate: {must: [camera]}\n", checks=(LIME, camera))
    with pytest.raises(BadInputError, match="no check of documents"):
        kb.build()


def test_a_place_is_told_from_another_with_the_same_heading_and_the_same_words_of_other_customers(
    kettles: Kettles,
) -> None:
    kettles.sources.pages["twice.md"] = [
        ["# Filter and lid"],
        ["## Filter"],
        ["### Steps", "Take the filter out.", "Rinse the filter."],
        ["## Lid"],
        ["### Steps", "Press the lid until it clicks.", "Turn the lid."],
    ]
    kettles.sources.add_to(kettles.kb)
    kb = kettles.kb
    kb.build()
    text = kb.views.document("twice.md").text or ""
    kb.checks.keep("how do I rinse the filter", document="twice.md", start=text.index("Take the filter"))
    (check,) = kb.checks.list().checks
    assert check.heading == "Filter and lid > Filter > Steps" and kb.checks.run().first.value == 1
    kb.checks.add_one({"id": check.id, "text": "turn the lid", "document": "twice.md", "heading": check.heading})
    assert kb.checks.run().first.value == 0
    for os in ("iOS", "Android"):
        kb.checks.keep("it does not connect", document="app.md", start=30, attributes={"os": [os]})
    assert len(kb.checks.list().checks) == 3


def test_who_publishes_means_the_candidate_that_was_seen(kettles: Kettles) -> None:
    kb = kettles.edit("Descale the kettle twice.")
    kb.build(candidate=True)
    seen = kb.versions.list().versions[-1].date
    with pytest.raises(ChangedMeanwhileError, match="Another candidate"):
        kb.versions.publish(seen="2020-01-01")
    assert kb.versions.publish(seen=seen).published


def test_a_refused_build_of_documents_alone_says_so(kettles: Kettles, capsys: pytest.CaptureFixture[str]) -> None:
    kb = guarded(kettles)
    kb.remove([kettles.place / "source" / "issues.jsonl"])
    kettles.sources.pages.pop("noise.md")
    kettles.sources.write()
    kb.add([kettles.place / "source" / "manuals"], sync=True)
    assert main(["build", str(kettles.place / "kb"), "--yes"]) == 1
    assert "Not published: Right first fell" in capsys.readouterr().out
