"""A trial of a model on a sample: what it leaves alone, what it asks, what it pays, and how it goes on."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import BadInputError, NothingPublishedError
from autokb.core.in_use import LoggedQuestion
from autokb.core.progress import Progress
from autokb.pipeline.plan import costs
from autokb.plugins.lab.studies.trial import MODEL, OFFLINE, TrialReport
from autokb.stores.question_log import keep_questions
from autokb.stores.staged import staged_documents, staged_raw_issues
from autokb.stores.workspace import open_workspace
from model_workspace import DOCUMENTS, ISSUES, PRICES, add_sources, write_sources
from scripted_model import ScriptedModel, form_of
from stub_server import StubServer, status

NAME = "openai:stub"
PARTS = ("lid", "spout", "handle", "base", "switch")
MORE = {f"m{n}": f"The {PARTS[n % 5]} of my kettle is loose since day {n}" for n in range(10)}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(ScriptedModel()) as stub:
        yield stub


@pytest.fixture(scope="module")
def _built_kettles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kettles")
    write_sources(folder / "source", issues={**ISSUES, **MORE})
    kb = SupportKB.create(folder / "kb", str(folder / "source" / "domain.yaml"))
    add_sources(kb, folder / "source")
    kb.build()
    kb.close()
    return folder / "kb"


@pytest.fixture
def kettles(_built_kettles: Path, server: StubServer, tmp_path: Path) -> SupportKB:
    """A workspace of one's own, built offline, and the scripted model as its model."""
    return opened(_built_kettles, tmp_path / "kb", server)


def opened(built: Path, folder: Path, server: StubServer) -> SupportKB:
    shutil.copytree(built, folder)
    settings = f"base_url: {server.url}\nretries: 0\nask: {{timeout: 60}}\n{PRICES}"
    (folder / "settings.yaml").write_text(settings, encoding="utf-8")
    return SupportKB.open(folder, model=NAME)


class Tried(NamedTuple):
    """A workspace in which a trial was made, and how it was before; tests leave it as it is."""

    kb: SupportKB
    server: StubServer
    report: TrialReport
    dumped: list[str]
    requests: int


@pytest.fixture(scope="module")
def _tried(_built_kettles: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    folder = tmp_path_factory.mktemp("tried") / "kb"
    with StubServer(ScriptedModel()) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "sk-test")
        kb = opened(_built_kettles, folder, server)
        before = dumped(folder)
        report = kb.evaluate.trial()
        yield Tried(kb, server, report, before, server.requests)
        kb.close()


@pytest.fixture
def tried(_tried: Tried) -> Tried:
    return _tried


def dumped(folder: Path) -> list[str]:
    with sqlite3.connect(folder / "knowledge.db") as db:
        return list(db.iterdump())


def kept(report: TrialReport) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(report.folder) / "trial.json").read_bytes())
    return found


def without_cached(shape: Any) -> Any:
    """Leave out how often the ledger answered."""
    if isinstance(shape, dict):
        return {name: without_cached(one) for name, one in shape.items() if name != "cached"}
    return shape


def test_a_sample_is_built_twice_beside_and_the_workspace_is_as_it_was(tried: Tried) -> None:
    folder, report = tried.kb.workspace.folder, tried.report
    assert dumped(folder) == tried.dumped
    assert {p.name for p in folder.iterdir()} - {"trial"} <= {
        "knowledge.db",
        "domain.yaml",
        "settings.yaml",
        ".build.lock",
        "knowledge.db-wal",
        "knowledge.db-shm",
    }
    questions = kept(report)["questions"]
    assert report.questions == len(questions) == report.systems[MODEL].asked == report.systems[OFFLINE].asked > 0
    everything = {**ISSUES, **MORE}
    for name in (OFFLINE, MODEL):
        made = open_workspace(folder / "trial" / name)
        with made.file() as file:
            issues, documents = staged_raw_issues(file), staged_documents(file)
        assert {i.id for i in issues} == set(kept(report)["issues"]) <= set(everything)
        assert not {i.id for i in issues} & set(questions) and len(issues) == report.issues
        assert not {i.text for i in issues} & set(questions.values())
        assert {d.id for d in documents} == set(DOCUMENTS)
        assert made.domain_text == tried.kb.workspace.domain_text
    model, offline = report.systems[MODEL], report.systems[OFFLINE]
    assert offline.build.calls == offline.ask.calls == 0 and model.build.calls > 0 and model.ask.calls > 0
    assert model.parents and offline.parents
    assert model.answered + model.asked_back + model.refused == model.asked
    assert (
        model.seconds_p50 is not None and model.seconds_p95 is not None and 0 < model.seconds_p50 <= model.seconds_p95
    )


def test_what_it_took_and_what_the_whole_would_cost_are_told(tried: Tried) -> None:
    report = tried.report
    model = report.systems[MODEL]
    assert model.build.calls + model.ask.calls == tried.requests
    took = model.build.cost
    assert took == pytest.approx((model.build.tokens.input + 2 * model.build.tokens.output) / 1e6)
    assert report.sample_plan.cost and took and report.whole_plan.cost and report.whole_plan.calls
    assert report.ratio == pytest.approx(took / report.sample_plan.cost)
    assert report.whole_cost == pytest.approx(report.whole_plan.cost * took / report.sample_plan.cost, abs=1e-6)
    assert model.ask.cost and report.cost_a_question == pytest.approx(model.ask.cost / model.asked)
    assert report.spent == pytest.approx(took + model.ask.cost, abs=1e-6)
    assert report.stopped is None and report.notes == ()
    assert report.same_first.n <= report.questions


def test_a_second_run_pays_nothing_and_the_sheet_stays(tried: Tried) -> None:
    first, server = tried.report, tried.server
    assert first.sheet is not None and first.key is not None
    before, sheet, key = server.requests, Path(first.sheet).read_bytes(), Path(first.key).read_bytes()
    again = tried.kb.evaluate.trial()
    assert server.requests == before and without_cached(again.as_json()) == without_cached(first.as_json())
    Path(first.sheet).unlink()
    tried.kb.evaluate.trial()
    assert (Path(first.sheet).read_bytes(), Path(first.key).read_bytes()) == (sheet, key)


def test_another_folder_has_the_same_sample_and_questions(tried: Tried, tmp_path: Path) -> None:
    first, second = tried.report, tried.kb.evaluate.trial(out=tmp_path / "other")
    assert kept(first)["questions"] == kept(second)["questions"] and kept(first)["issues"] == kept(second)["issues"]
    assert first.key and second.key and Path(first.key).read_bytes() == Path(second.key).read_bytes()


def test_fewer_themes_are_the_largest_ones(kettles: SupportKB) -> None:
    from autokb.stores.published import read_published

    with kettles.workspace.file() as file:
        places = read_published(file).raw_places
    sizes = sorted([p["theme"] for p in places.values()].count(t) for t in {p["theme"] for p in places.values()})
    report = kettles.evaluate.trial(themes=1)
    assert report.themes == 1 and report.issues + report.questions == sizes[-1]
    with pytest.raises(BadInputError, match="holds a trial of openai:stub with --themes 1 and --questions 30"):
        kettles.evaluate.trial(themes=2)


def test_a_log_of_more_questions_is_asked_in_their_place(kettles: SupportKB) -> None:
    logged = [*MORE.values(), "how do I descale it", "my kettle leaks"]
    with kettles.workspace.file() as file, file.transaction():
        keep_questions(file, [LoggedQuestion(text, "answered", "ask", "2026-03-01") for text in (*logged, logged[0])])
    report = kettles.evaluate.trial(questions=4)
    questions = set(kept(report)["questions"].values())
    assert report.asked_from == "log" and report.questions == 4 and questions <= set(logged)
    assert not questions & {MORE.get(i) for i in kept(report)["issues"]}


@pytest.mark.slow
def test_the_budget_stops_the_build_and_a_larger_one_goes_on(
    kettles: SupportKB, server: StubServer, tried: Tried
) -> None:
    whole = tried.report
    build = whole.systems[MODEL].build
    assert build.cost is not None
    # The most that a request can cost is set aside, so some of these stop before the first one and some in the middle.
    stopped = None
    for part in (0.5, 1.0, 1.5, 2.0, 3.0):
        budget = build.cost * part
        try:
            report = kettles.evaluate.trial(budget)
        except BadInputError as error:
            assert "is too small for a first request" in str(error) and "is planned at" in str(error)
            continue
        assert report.spent <= budget
        if report.stopped:
            stopped = report
            assert f"The budget of {budget:g} USD is reached" in report.stopped
    assert stopped is not None
    before = server.requests
    last = kettles.evaluate.trial(1.0)
    assert last.stopped is None and last.systems[MODEL].asked == last.questions
    paid = last.systems[MODEL]
    assert paid.build.calls == build.calls and paid.ask.calls == whole.systems[MODEL].ask.calls
    assert server.requests - before < build.calls + paid.ask.calls


class Killed(BaseException):
    """Neither an error of ours nor one that anything catches."""


def killed_at(stage: str, number: int) -> Progress:
    def progress(name: str, done: int, _total: int) -> None:
        if (name, done) == (stage, number):
            raise Killed

    return progress


def test_a_trial_that_was_killed_goes_on_and_pays_nothing_twice(kettles: SupportKB, server: StubServer) -> None:
    # In the plan, between the builds, in the model's build (nothing is merged elsewhere), and among its questions.
    for stage, number in (("sections", 0), (f"questions {OFFLINE}", 2), ("merge", 1), (f"questions {MODEL}", 2)):
        with pytest.raises(Killed):
            kettles.evaluate.trial(progress=killed_at(stage, number))
    report = kettles.evaluate.trial()
    model = report.systems[MODEL]
    assert server.stats()["doubled"] == 0 and server.requests == model.build.calls + model.ask.calls
    assert model.asked == report.questions and report.stopped is None


def test_the_budget_stops_the_questions_too_and_what_was_asked_is_told(kettles: SupportKB, server: StubServer) -> None:
    with pytest.raises(Killed):
        kettles.evaluate.trial(progress=killed_at(f"questions {MODEL}", 1))
    spent = costs(open_workspace(kettles.workspace.folder / "trial" / MODEL)).cost
    before = server.requests
    report = kettles.evaluate.trial(spent or 0.0)
    assert report.stopped is not None and f"{spent:.4f} USD are spent" in report.stopped
    assert (report.systems[MODEL].asked, report.systems[OFFLINE].asked) == (1, report.questions)
    assert report.sheet is not None and server.requests == before


def test_where_the_model_fails_the_offline_answer_stands_in_and_it_is_asked_again(
    kettles: SupportKB, server: StubServer
) -> None:
    scripted = server.reply
    server.reply = lambda body: status(500) if "choose_answer" in form_of(body)[0] else scripted(body)
    report = kettles.evaluate.trial()
    assert report.stopped is None and report.systems[MODEL].asked == report.questions
    (note,) = report.notes
    assert f"stood in for the model's {report.systems[MODEL].ask.calls or report.questions} times" in note
    server.reply = scripted
    again = kettles.evaluate.trial()
    assert again.notes == () and again.systems[MODEL].ask.calls > report.systems[MODEL].ask.calls


def test_an_address_that_was_put_right_counts_in_a_trial_that_goes_on(kettles: SupportKB, server: StubServer) -> None:
    settings = kettles.workspace.folder / "settings.yaml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace(server.url, "http://127.0.0.1:1/v1"), encoding="utf-8")
    wrong = SupportKB.open(kettles.workspace.folder, model=NAME).evaluate.trial()
    assert wrong.notes and server.requests == 0
    settings.write_text(text, encoding="utf-8")
    right = SupportKB.open(kettles.workspace.folder, model=NAME).evaluate.trial()
    assert server.requests and right.notes == () and right.systems[MODEL].ask.calls


def test_what_it_cannot_do_it_says(kettles: SupportKB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = kettles.workspace.folder
    with pytest.raises(BadInputError, match="name one with --model"):
        SupportKB.open(folder, model="offline").evaluate.trial()
    with pytest.raises(BadInputError, match="The price of openai:unknown is not known"):
        SupportKB.open(folder, model="openai:unknown").evaluate.trial()
    with pytest.raises(BadInputError, match="too small for a first request"):
        kettles.evaluate.trial(0.0)
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "letter.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInputError, match="holds something else"):
        kettles.evaluate.trial(out=taken)
    assert [p.name for p in taken.iterdir()] == ["letter.txt"]
    SupportKB.create(tmp_path / "new", "headphones")
    settings = (folder / "settings.yaml").read_text(encoding="utf-8")
    (tmp_path / "new" / "settings.yaml").write_text(settings, encoding="utf-8")
    with pytest.raises(NothingPublishedError, match="autokb build"):
        SupportKB.open(tmp_path / "new", model=NAME).evaluate.trial()
    assert not (tmp_path / "new" / "trial").exists()
    monkeypatch.delenv("OPENAI_API_KEY")
    (folder / "settings.yaml").write_text(PRICES, encoding="utf-8")
    with pytest.raises(BadInputError, match="OPENAI_API_KEY"):
        SupportKB.open(folder, model=NAME).evaluate.trial(out=tmp_path / "keyless")
    assert not (tmp_path / "keyless").exists()


def test_the_command_prints_the_report_and_reads_the_sheet(
    tried: Tried, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(shutil.copytree(tried.kb.workspace.folder, tmp_path / "kb"))
    assert main(["trial", folder, "--model", NAME, "--json"]) == 0
    shape = json.loads(capsys.readouterr().out)
    assert set(shape["systems"]) == {OFFLINE, MODEL} and set(shape["same_first"]) == {"n", "value", "low", "high"}
    assert shape["systems"][MODEL]["build"]["tokens"]["input"] > 0
    assert main(["trial", folder, "--model", NAME]) == 0
    shown = capsys.readouterr().out
    for words in ("held out of both builds", "times its plan", "The blind sheet: ", f"--sheet {shape['sheet']}"):
        assert words in shown
    sheet = Path(shape["sheet"])
    head, *rows = sheet.read_text(encoding="utf-8").split("\n")
    sheet.write_text("\n".join([head, *(row.replace(",,,,", ",yes,yes,same,", 1) for row in rows)]), encoding="utf-8")
    assert main(["trial", folder, "--sheet", shape["sheet"]]) == 0
    assert "Help of model minus help of offline, question by question: +0.000" in capsys.readouterr().out
    cost = shape["systems"][MODEL]["build"]["cost"]
    assert main(["trial", folder, "--model", NAME, "--budget", str(cost / 100), "--out", f"{folder}/poor"]) == 2
    assert costs(open_workspace(Path(folder) / "poor" / MODEL)).calls == 0
