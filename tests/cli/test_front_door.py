"""One front door: every command has its method of ``SupportKB`` and prints what that method returns."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

import hand_made_kb
import lost_edit
import small_tickets
from autokb.app import SupportKB
from autokb.cli import load_commands, main
from autokb.cli.commands import app
from autokb.core.api_keys import ApiKey
from autokb.core.ids import short_id
from autokb.core.in_use import Feedback, LoggedQuestion, feedback_id
from autokb.core.nouns import Decision
from autokb.pipeline.chunk_files import ChunkedDocument, ChunkRequest
from autokb.plugins.lab.evaluation.blind_sheet import Side, write_blind_sheet
from autokb.plugins.lab.studies.evaluate_chunking import ChunkEvaluation
from autokb.plugins.lab.studies.evaluate_suggestions import SuggestionEvaluation
from autokb.sources import Fields
from autokb.sources.outcomes import OutcomeFields
from autokb.stores.api_keys import keep_api_key
from autokb.stores.published import keep_decisions
from autokb.stores.question_log import keep_questions
from gate_questions import IN_DOMAIN, OUT_OF_DOMAIN, write_questions

load_commands()
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+\+00:00")
SECRET = re.compile(r"akb_[\w-]{43}|key-[0-9a-f]{12}")
QUESTION = "my kettle does not charge"
GAP = short_id("gap", "document", "garage.md")  # which nothing cites
LOST_EDIT = Decision("edit-lost", "edited", "s-gone", "ann", "2026-01-01", text="Wipe it.", dismissed=True)
STALE = lost_edit.FINDING
GIVEN = feedback_id(Feedback("", QUESTION, "used", "s-contacts"))


def created(here: Path) -> Any:
    return SupportKB.create(here / "new", "headphones").created


def opened(here: Path) -> SupportKB:
    return SupportKB.open(here / "kb")


# What stands behind each command: its words (``{here}`` is the test's folder), and the method with the same options.
CASES: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "init": ("init {here}/new --domain headphones", created),
    "add": (
        "add {here}/kb {here}/more.csv {here}/emptied {here}/linked --as issues --text-field body --id-field number "
        "--sync --yes --update --follow-links",
        lambda here: opened(here).add(
            [here / "more.csv", here / "emptied", here / "linked"],
            "issues",
            Fields(text="body", id="number"),
            sync=True,
            update=True,
            yes=True,
            follow_links=True,
        ),
    ),
    "sources": ("sources {here}/kb", lambda here: opened(here).sources()),
    "remove": (
        "remove {here}/kb blades.md {here}/emptied r1",
        lambda here: opened(here).remove(["blades.md", here / "emptied", "r1"]),
    ),
    "sync": ("sync {here}/kb --source manuals --build", lambda here: opened(here).sync("manuals", build=True)),
    "draft-spec": ("draft-spec {here}/kb", lambda here: opened(here).draft_spec()),
    "draft-cases": (
        "draft-cases {here}/kb {here}/drafted.jsonl --from documents --out-of-domain {here}/others.jsonl",
        lambda here: opened(here).evaluate.draft_cases(here / "drafted.jsonl", "documents", here / "others.jsonl"),
    ),
    "plan": ("plan {here}/kb", lambda here: opened(here).plan()),
    "build": ("build {here}/kb --rethink --yes", lambda here: opened(here).build(rethink=True, yes=True)),
    "show": ("show {here}/kb --most 2", lambda here: opened(here).views.show(most=2)),
    "ask": (
        f"ask {{here}}/kb '{QUESTION}' --attribute os=iOS --k 2",
        lambda here: opened(here).ask(QUESTION, {"os": ["iOS"]}, 2),
    ),
    "suggest": (
        f"suggest {{here}}/kb '{QUESTION}' --chat {{here}}/chat.jsonl --strategy react --passages 1",
        lambda here: opened(here).suggest(QUESTION, chat=here / "chat.jsonl", strategy="react", passages=1),
    ),
    "costs": ("costs {here}/kb", lambda here: opened(here).costs()),
    "approve": (
        "approve {here}/kb s-pair s-rain --author ann",
        lambda here: opened(here).curation.approve(["s-pair", "s-rain"], author="ann"),
    ),
    "reject": (
        "reject {here}/kb s-pair --author ann",
        lambda here: opened(here).curation.reject(["s-pair"], author="ann"),
    ),
    "hide": (
        "hide {here}/kb s-contacts --author ann",
        lambda here: opened(here).curation.hide(["s-contacts"], author="ann"),
    ),
    "edit": (
        "edit {here}/kb s-pair --step 'Switch it off.' --step 'Switch it on.' --author ann",
        lambda here: opened(here).curation.edit("s-pair", steps=["Switch it off.", "Switch it on."], author="ann"),
    ),
    "dismiss": (
        "dismiss {here}/kb edit-lost --author bob --undo",
        lambda here: opened(here).curation.dismiss_edit("edit-lost", author="bob", undo=True),
    ),
    "undo": ("undo {here}/kb s-rain --author bob", lambda here: opened(here).curation.undo("s-rain", author="bob")),
    "history": ("history {here}/kb s-rain", lambda here: opened(here).curation.history("s-rain")),
    "review": (
        "review {here}/kb --kind unreviewed --limit 2",
        lambda here: opened(here).curation.review(2, kind="unreviewed"),
    ),
    "changes": ("changes {here}/kb", lambda here: opened(here).views.changes()),
    "write": (
        "write {here}/kb charge {here}/page.md --author ann",
        lambda here: opened(here).curation.write("charge", here / "page.md", author="ann"),
    ),
    "gate calibrate": (
        "gate calibrate {here}/kb --in-domain {here}/ours.jsonl --out-of-domain {here}/others.jsonl",
        lambda here: opened(here).evaluate.calibrate_gate(here / "ours.jsonl", here / "others.jsonl"),
    ),
    "gate reset": ("gate reset {here}/kb", lambda here: opened(here).evaluate.reset_gate()),
    "feedback add": (
        f"feedback add {{here}}/kb --verdict edited --query '{QUESTION}' --solution s-contacts --text-file "
        "{here}/page.md --conversation c1 --group eu --author ann",
        lambda here: opened(here).usage.give_feedback(
            QUESTION,
            "edited",
            "s-contacts",
            (here / "page.md").read_text(encoding="utf-8"),
            conversation="c1",
            group="eu",
            author="ann",
        ),
    ),
    "feedback list": ("feedback list {here}/kb --limit 1", lambda here: opened(here).usage.feedback(1)),
    "feedback undo": (f"feedback undo {{here}}/kb {GIVEN}", lambda here: opened(here).usage.undo_feedback(GIVEN)),
    "feedback feed": ("feedback feed {here}/kb", lambda here: opened(here).usage.ingest_feedback()),
    "gaps": (
        "gaps {here}/kb --limit 2 --newest --closed",
        lambda here: opened(here).usage.gaps(2, newest=True, closed=True),
    ),
    "in-use": ("in-use {here}/kb --since 2026-01-01", lambda here: opened(here).usage.in_use("2026-01-01")),
    "outcomes add": (
        "outcomes add {here}/kb --conversation c1 --unresolved --returned --seconds 31.5 --date 2026-03-01",
        lambda here: opened(here).usage.report_outcome("c1", False, True, 31.5, "2026-03-01"),
    ),
    "outcomes import": (
        "outcomes import {here}/kb {here}/closed.csv --conversation-field chat --resolved-field ok --returned-field "
        "again --seconds-field took --date-field closed",
        lambda here: opened(here).usage.import_outcomes(
            here / "closed.csv", OutcomeFields("chat", "ok", "again", "took", "closed")
        ),
    ),
    "keys create": ("keys create {here}/kb --role agent", lambda here: opened(here).keys.create("agent")),
    "keys list": ("keys list {here}/kb", lambda here: opened(here).keys.list()),
    "keys revoke": ("keys revoke {here}/kb key-1", lambda here: opened(here).keys.revoke("key-1")),
    "export": ("export {here}/kb {here}/out.md", lambda here: opened(here).export(here / "out.md")),
    "import": (
        "import {here}/kb {here}/kb.jsonl --replace",
        lambda here: opened(here).import_(here / "kb.jsonl", replace=True),
    ),
    "evaluate retrieval": (
        "evaluate retrieval {here}/kb --queries {here}/q.jsonl --qrels {here}/q.tsv --systems raw,bm25",
        lambda here: opened(here).evaluate.retrieval(here / "q.jsonl", here / "q.tsv", ["raw", "bm25"]),
    ),
    "evaluate retrievers": (
        "evaluate retrievers {here}/kb --embedders packaged --cases {here}/asked.jsonl",
        lambda here: opened(here).evaluate.retrievers(["packaged"], here / "asked.jsonl"),
    ),
    "evaluate quality": (
        "evaluate quality {here}/kb --sheet {here}/sheet.csv --most 3",
        lambda here: opened(here).evaluate.quality(here / "sheet.csv", most=3),
    ),
    "evaluate paper": (
        "evaluate paper autokb {here}/kb --sheets {here}/sheets",
        lambda here: opened(here).evaluate.paper("autokb", [here / "kb"], sheets=here / "sheets"),
    ),
    "evaluate compare": (
        "evaluate compare {here}/before.json {here}/after.json --metric raw.mrr",
        lambda here: SupportKB.compare(here / "before.json", here / "after.json", "raw.mrr"),
    ),
    "evaluate chunking": (
        "evaluate chunking {here}/page.md --methods fixed,headings --max-size 60",
        lambda here: SupportKB.evaluate_chunking(
            [here / "page.md"], ChunkEvaluation(methods=("fixed", "headings"), max_size=60)
        ),
    ),
    "evaluate suggestions": (
        "evaluate suggestions {here}/kb --cases {here}/cases.jsonl --systems incumbent,autokb --baseline autokb "
        "--judge --sheet {here}/blind.csv --most 1 --seed 3",
        lambda here: opened(here).evaluate.suggestions(
            SuggestionEvaluation(
                here / "cases.jsonl",
                ("incumbent", "autokb"),
                "autokb",
                judge=True,
                sheet=here / "blind.csv",
                most=1,
                seed=3,
            )
        ),
    ),
    "evaluate tickets": (
        "evaluate tickets {here}/kb --queries {here}/t.jsonl --qrels {here}/t.tsv --systems text,tickets",
        lambda here: opened(here).evaluate.tickets(here / "t.jsonl", here / "t.tsv", ["text", "tickets"]),
    ),
    "tickets build": (
        "tickets build {here}/kb --rethink",
        lambda here: opened(here).tickets.build(rethink=True),
    ),
    "tickets ask": (
        "tickets ask {here}/kb 'why does the camera crash?' --k 2 --cypher",
        lambda here: opened(here).tickets.ask("why does the camera crash?", 2, cypher=True),
    ),
    "tickets accept": (
        "tickets accept {here}/kb APP-3 'the printer eats pages' --author ann",
        lambda here: opened(here).tickets.accept("the printer eats pages", "APP-3", author="ann"),
    ),
    "tickets report": (
        "tickets report {here}/kb --by component",
        lambda here: opened(here).tickets.report("component"),
    ),
    "tickets draft-template": (
        "tickets draft-template {here}/kb",
        lambda here: opened(here).tickets.draft_template(),
    ),
    "tickets feed": ("tickets feed {here}/kb", lambda here: opened(here).tickets.ingest()),
    "tickets show": ("tickets show {here}/kb APP-1", lambda here: opened(here).tickets.show("APP-1")),
    "tickets similar": (
        "tickets similar {here}/kb 'the camera crashes' --k 2",
        lambda here: opened(here).tickets.similar("the camera crashes", 2),
    ),
    "trial": (
        "trial {here}/kb --sheet {here}/trial.csv",
        lambda here: opened(here).evaluate.read_trial_sheet(here / "trial.csv"),
    ),
    "checks add": (
        "checks add {here}/kb {here}/checks.jsonl",
        lambda here: opened(here).checks.add(here / "checks.jsonl"),
    ),
    "checks list": ("checks list {here}/kb", lambda here: opened(here).checks.list()),
    "checks remove": ("checks remove {here}/kb charging", lambda here: opened(here).checks.remove(["charging"])),
    "checks run": ("checks run {here}/kb --candidate", lambda here: opened(here).checks.run(candidate=True)),
    "versions": ("versions {here}/kb", lambda here: opened(here).versions.list()),
    "trends": (
        "trends {here}/kb --weeks 2 --until 2026-03-08",
        lambda here: opened(here).usage.trends(2, "2026-03-08"),
    ),
    "digest": (
        "digest {here}/kb --since 2026-03-01 --out {here}/digest.md",
        lambda here: opened(here).usage.digest("2026-03-01"),
    ),
    "diff": ("diff {here}/kb 1 candidate", lambda here: opened(here).versions.diff(1, "candidate")),
    "rollback": ("rollback {here}/kb 1", lambda here: opened(here).versions.roll_back(1)),
    "publish": ("publish {here}/kb --author ann", lambda here: opened(here).versions.publish(author="ann")),
    "vacuum": ("vacuum {here}/kb", lambda here: opened(here).versions.vacuum()),
    "plugins": ("plugins {here}/kb", lambda here: SupportKB.plugins(here / "kb")),
    "discard": ("discard {here}/kb", lambda here: opened(here).versions.discard()),
    "stale": (
        "stale {here}/kb --kind source_changed",
        lambda here: opened(here).curation.stale("source_changed"),
    ),
    "chunk": (
        "chunk {here}/page.md --method headings --max-size 60",
        lambda here: list(SupportKB.chunk([here / "page.md"], ChunkRequest("headings", 60))),
    ),
}
# What else one command does with gaps and findings.
CLOSING: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "gaps --done": (
        f"gaps {{here}}/kb --done {GAP} --author ann",
        lambda here: opened(here).usage.dismiss_gap(GAP, done=True, author="ann"),
    ),
    "gaps --dismiss": (f"gaps {{here}}/kb --dismiss {GAP}", lambda here: opened(here).usage.dismiss_gap(GAP)),
    "gaps --undo": (f"gaps {{here}}/kb --undo {GAP}", lambda here: opened(here).usage.dismiss_gap(GAP, undo=True)),
    "stale --settle": (
        f"stale {{here}}/kb --settle {STALE} --author ann",
        lambda here: opened(here).curation.settle_finding(STALE, author="ann"),
    ),
    "stale --dismiss": (
        f"stale {{here}}/kb --dismiss {STALE}",
        lambda here: opened(here).curation.settle_finding(STALE, "dismissed"),
    ),
    "stale --undo": (
        f"stale {{here}}/kb --undo {STALE}",
        lambda here: opened(here).curation.settle_finding(STALE, "open"),
    ),
    "stale --join": (
        "stale {here}/kb --join charge blades-both --author ann",
        lambda here: opened(here).curation.join_trees("charge", "blades-both", author="ann"),
    ),
    "stale --settled": ("stale {here}/kb --settled", lambda here: opened(here).curation.stale(settled=True)),
    "gaps --forget": ("gaps {here}/kb --forget", lambda here: opened(here).usage.forget_questions()),
}
# The formats of one command that only tickets have.
TICKET_EXPORTS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "export tickets.graphml": (
        "export {here}/kb {here}/tickets.graphml",
        lambda here: opened(here).export(here / "tickets.graphml"),
    ),
    "export tickets.cypher": (
        "export {here}/kb {here}/tickets.cypher",
        lambda here: opened(here).export(here / "tickets.cypher"),
    ),
}


def lay_files(here: Path) -> None:
    """Write what the commands read beside the workspace."""
    hand_made_kb.write(here / "kb.jsonl")
    small_tickets.write(here / "tickets.json")
    write_questions(here / "ours.jsonl", IN_DOMAIN)
    write_questions(here / "others.jsonl", OUT_OF_DOMAIN)
    (here / "t.jsonl").write_text(json.dumps({"id": "1", "text": "crash of the camera"}) + "\n", encoding="utf-8")
    (here / "t.tsv").write_text("1\tAPP-1\t1\n", encoding="utf-8")
    (here / "chat.jsonl").write_text('{"role": "customer", "text": "My kettle is cold"}\n', encoding="utf-8")
    (here / "more.csv").write_text("number,body\n1,It leaks\n2,It does not switch on\n", encoding="utf-8")
    (here / "manuals").mkdir()
    (here / "manuals" / "filter.md").write_text("# Filter\n\nRinse the filter under the tap.\n", encoding="utf-8")
    with (here / "kb" / "settings.yaml").open("a", encoding="utf-8") as settings:
        settings.write("sources: {manuals: {type: folder, path: ../manuals}}\n")
    (here / "linked").mkdir()
    (here / "linked" / "issues.csv").symlink_to(here / "more.csv")
    (here / "page.md").write_text(
        "# Kettle\n\nFill it with water.\n\n## Boil\n\nPress the switch and wait.\n", encoding="utf-8"
    )
    document = next(iter(hand_made_kb.DOCUMENTS))
    asked = {"id": "1", "messages": [{"role": "customer", "text": QUESTION}], "reply": "Clean it.", "documents": []}
    (here / "cases.jsonl").write_text(json.dumps(asked) + "\n", encoding="utf-8")
    (here / "asked.jsonl").write_text(
        json.dumps({"id": "1", "text": QUESTION, "documents": [document]}) + "\n", encoding="utf-8"
    )
    (here / "q.jsonl").write_text(json.dumps({"id": "1", "text": QUESTION}) + "\n", encoding="utf-8")
    (here / "closed.csv").write_text("chat,ok,again,took,closed\nc1,yes,no,60,2026-03-01\nc2,no,,,\n", encoding="utf-8")
    check = {"id": "charging", "text": QUESTION, "document": "charging.md"}
    (here / "checks.jsonl").write_text(json.dumps(check) + "\n", encoding="utf-8")
    sides = {name: {"1": Side(name, "pairing.md")} for name in ("offline", "model")}
    write_blind_sheet(here / "trial.csv", {"1": QUESTION}, sides)
    marked = (here / "trial.csv").read_text(encoding="utf-8").replace("1,,,,", "1,yes,partly,A,")
    (here / "trial.csv").write_text(marked, encoding="utf-8")
    (here / "q.tsv").write_text(f"1\t{document}\t1\n", encoding="utf-8")


def use(kb: SupportKB) -> None:
    """Leave the traces of some days in use."""
    kb.usage.give_feedback("the dock is dark", "rejected", "s-contacts", conversation="c1")
    kb.usage.report_outcome("c1", resolved=False)
    with kb.workspace.file() as file, file.transaction():
        keep_questions(file, [LoggedQuestion("a garden gnome", "abstains", "ask", "2026-03-01")])
    for gap in kb.usage.gaps().questions:
        kb.usage.dismiss_gap(gap.id)


def leaves(group: typer.Typer, *path: str) -> set[str]:
    """Return the words of every command."""
    names = {" ".join((*path, c.name or c.callback.__name__)) for c in group.registered_commands if c.callback}
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        names |= leaves(inner.typer_instance, *path, str(inner.name))
    return names


@pytest.mark.with_plugins
def test_every_command_is_compared_with_a_method() -> None:
    # Two open other doors (see tests/web and tests/plugins/mcp), one needs a server (see test_move_commands.py); one
    # builds for long (see test_demo.py), and one tells what changes from call to call (see test_doctor.py), and two
    # need a plug-in (see test_example_plugin.py).
    assert leaves(app) == set(CASES) | {"serve", "mcp", "move", "demo", "doctor", "rank fit", "evaluate study"}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that each call finds as it was laid for it; what was copied from it works there alone."""
    return tmp_path_factory.mktemp("front-door") / "here"


@pytest.fixture(scope="module")
def laid(here: Path, _imported: Path) -> Path:
    """A copy of that folder with the hand-made knowledge base and what the commands read."""
    here.mkdir()
    shutil.copytree(_imported, here / "kb")
    lay_files(here)
    return Path(shutil.copytree(here, here.with_name("laid"), symlinks=True))


@pytest.fixture(scope="module")
def laid_with_tickets(here: Path, laid: Path) -> Path:
    """The same with tickets that were built."""
    shutil.rmtree(here)
    shutil.copytree(laid, here, symlinks=True)
    opened(here).add([here / "tickets.json"], "tickets")
    opened(here).tickets.build()
    return Path(shutil.copytree(here, here.with_name("with-tickets"), symlinks=True))


# Complex: what each command needs to find.
def _prepare(command: str, here: Path) -> None:
    """Do before a command what it needs."""
    if command in ("add", "sources", "remove"):
        (here / "emptied").mkdir()
        (here / "emptied" / "old.csv").write_text("id,text\n1,It smells\n7,It hums\n", encoding="utf-8")
        (here / "other.csv").write_text("id,text\n2,It rains in\n", encoding="utf-8")
        opened(here).add([here / "emptied", here / "other.csv"], "issues")
        (here / "emptied" / "old.csv").unlink()
    if command in ("feedback list", "feedback undo", "feedback feed"):
        opened(here).usage.give_feedback(QUESTION, "used", "s-contacts")
        opened(here).usage.give_feedback(QUESTION, "rejected", "s-rain")
    if "gaps" in command or command in ("in-use", "trends", "digest"):
        use(opened(here))
    if command in ("keys list", "keys revoke"):
        with opened(here).workspace.file() as file, file.transaction():
            keep_api_key(file, ApiKey("key-1", "editor", "2026-01-01"), "hash")
    if command.startswith("stale"):
        lost_edit.keep_lost_edit(opened(here).workspace)
    if command == "dismiss":
        with opened(here).workspace.file() as file, file.transaction():
            keep_decisions(file, [LOST_EDIT])
    if command == "gate reset":
        opened(here).evaluate.calibrate_gate(here / "ours.jsonl", here / "others.jsonl")
    if command in ("build", "versions", "diff", "publish", "discard", "checks run"):
        # What is thought afresh is there already, so that --rethink shows; the others look at a candidate.
        opened(here).build(candidate=command != "build")
    if command.startswith("checks "):
        opened(here).checks.add(here / "checks.jsonl")
    if command == "evaluate compare":
        measured = opened(here).evaluate.retrieval(here / "q.jsonl", here / "q.tsv", ["raw", "bm25"]).as_json()
        for name in ("before.json", "after.json"):
            (here / name).write_text(json.dumps(measured), encoding="utf-8")


@pytest.mark.parametrize("command", sorted(CASES | CLOSING | TICKET_EXPORTS))
def test_a_command_prints_what_its_method_returns(
    command: str, here: Path, laid: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    words, method = (CASES | CLOSING | TICKET_EXPORTS)[command]
    source = request.getfixturevalue("laid_with_tickets") if "tickets" in command else laid

    def start() -> None:
        """Lay the same files at the same paths, whatever the call before has changed."""
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(source, here, symlinks=True)
        _prepare(command, here)

    start()
    assert main([*shlex.split(words.format(here=here)), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    start()
    returned = method(here)
    if command == "chunk":
        assert all(isinstance(chunked, ChunkedDocument) for chunked in returned) and returned
        returned = {"documents": [chunked.as_json(markdown=False) for chunked in returned], "failures": []}
    else:
        returned = returned.as_json()
    assert _without_seconds(json.loads(json.dumps(returned))) == _without_seconds(printed)


def _without_seconds(value: Any) -> Any:
    """Leave out what differs from call to call: how long things took, moments, and new keys with their ids."""
    if isinstance(value, dict):
        return {key: _without_seconds(inner) for key, inner in value.items() if key != "seconds"}
    if isinstance(value, str):
        return SECRET.sub("SECRET", MOMENT.sub("MOMENT", value))
    return [_without_seconds(inner) for inner in value] if isinstance(value, list) else value
