"""A folder and a server give the same sections, each with its place; what is for others is never among them."""

from __future__ import annotations

import shutil
import socket
from contextlib import closing
from pathlib import Path

import pytest

from autokb.answering.answer import solution_json
from autokb.app import SupportKB
from autokb.core.errors import AutokbError, BadInputError
from autokb.retrievers.sections import API_KEY, MOST, Sections
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app
from autokb.web.middleware import ServiceLimits
from feed_server import Answer, FeedServer
from served_process import served
from served_workspace import served as served_here
from served_workspace import served_app

QUESTIONS = (
    "my earbuds do not pair with my iPhone",
    "no sound although connected",
    "How can I check the battery level?",
    "One of my earbuds is silent",
    "How do I bake sourdough bread?",
)


@pytest.mark.slow  # it starts the service as a process
def test_a_server_gives_what_its_folder_gives(folder: str) -> None:
    here = Sections(folder)
    with served(Path(folder)) as (_process, said):
        there = Sections(said["url"] + "/")
        for question in QUESTIONS:
            for stated, k in (({}, 5), ({"os": "Windows"}, 3), ({"os": ["iOS", "Android"]}, MOST)):
                found = here.find(question, stated, k)
                assert found == there.find(question, stated, k)
                assert len(found) <= k


def test_each_section_has_the_place_that_its_text_is_from(folder: str) -> None:
    kb, sections = SupportKB.open(folder), Sections(folder)
    found = [one for question in QUESTIONS for one in sections.find(question, k=10)]
    assert len(found) > 20
    for one in found:
        assert one.source is not None
        document = kb.views.document(one.source).text
        solution = next(s for s in _shown(kb) if s.id == one.id)
        assert [document[start:end] for start, end in one.places] == [e.quote for e in solution.evidence]
        assert (one.start, one.end) == (min(start for start, _ in one.places), max(end for _, end in one.places))
        shown = solution_json(solution)["text"]
        assert one.text == shown and one.title == shown.split("\n")[0]
    assert {one.issue is None for one in found} == {True, False}


def _shown(kb: SupportKB) -> list:  # type: ignore[type-arg]
    return [s for question in QUESTIONS for s in kb.ask(question, k=10).shown]


def test_it_gives_what_ask_shows_with_the_scores_of_the_ranker(folder: str) -> None:
    answer = SupportKB.open(folder).ask(QUESTIONS[1], k=4, explain=True)
    found = Sections(folder).find(QUESTIONS[1], k=4)
    assert {one.id for one in found} == {s.id for s in answer.shown} and found[0].id == answer.shown[0].id
    assert answer.explanation is not None
    scores = {one.solution_id: one.score for one in answer.explanation.candidates}
    assert [one.score for one in found] == [scores[one.id] for one in found]


def test_it_says_what_ask_says_beside_its_sections(hand_made: Workspace) -> None:
    question = "the robot does not pair with my android phone"
    answer = SupportKB(hand_made).ask(question)
    found = Sections(hand_made.folder).find(question)
    assert {one.confidence for one in found} == {answer.confidence} and answer.confidence > 0
    assert found[0].attributes == {"os": ["Android"], "device": ["Phone"]}
    with served_here(hand_made.folder) as address:
        assert Sections(address).find(question) == found


def test_nothing_is_given_where_ask_abstains(folder: str) -> None:
    assert Sections(folder).find(QUESTIONS[-1]) == []


@pytest.mark.parametrize("system", ["Windows", "Android", "iOS", "Mac"])
def test_what_is_for_others_is_never_given(folder: str, system: str) -> None:
    sections = Sections(folder)
    given = [one for question in QUESTIONS for one in sections.find(question, {"os": system}, 30)]
    assert any(one.audience.get("os") == [system] for one in given)
    assert all(system in one.audience.get("os", [system]) for one in given)


def test_what_a_person_wrote_has_no_place(hand_made: Workspace, tmp_path: Path) -> None:
    kb = SupportKB(hand_made)
    issue = next(one for one in kb.views.issues().items if "does not charge" in one.text)
    (tmp_path / "text.md").write_text("Wait for ten minutes.\n\n1. Leave the robot in the dock.\n", encoding="utf-8")
    kb.curation.write(issue.id, tmp_path / "text.md")
    found = Sections(hand_made.folder).find("the battery does not charge in the dock")
    assert (found[0].source, found[0].start, found[0].end, found[0].places) == (None, None, None, [])
    assert "Leave the robot" in found[0].text and found[0].issue == issue.text
    assert found[1].source == "charging.md"


@pytest.mark.parametrize("k", [0, MOST + 1])
def test_it_refuses_a_number_that_no_answer_has(folder: str, k: int) -> None:
    with pytest.raises(BadInputError, match="1 to 100"):
        Sections(folder).find("no sound", k=k)


@pytest.mark.parametrize("stated", [{"color": "red"}, {"os": "Amiga"}])
def test_both_refuse_what_cannot_be_stated(folder: str, url: str, stated: dict[str, str]) -> None:
    said = []
    for source in (folder, url):
        with pytest.raises(BadInputError) as refused:
            Sections(source).find("no sound", stated)
        said.append(str(refused.value))
    assert said[0].split(";")[0] in said[1]


def test_a_server_wants_its_key(_built_headphones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(_built_headphones, tmp_path / "kb")
    key = SupportKB.open(tmp_path / "kb").keys.create("reader").key
    with served_here(tmp_path / "kb") as address:
        with pytest.raises(
            BadInputError, match=r"Authorization.* passed as api_key, or in the variable AUTOKB_API_KEY"
        ):
            Sections(address).find("no sound")
        by_parameter = Sections(address, key).find("no sound")
        monkeypatch.setenv(API_KEY, key)
        assert Sections(address).find("no sound") == by_parameter != []
        assert Sections(address, f" {key}\n").find("no sound") == by_parameter, "as a file or a shell gives it"


def test_a_server_that_is_asked_too_often_may_be_asked_later(_built_headphones: Path, tmp_path: Path) -> None:
    shutil.copytree(_built_headphones, tmp_path / "kb")
    key = SupportKB.open(tmp_path / "kb").keys.create("reader").key
    app = create_app(tmp_path / "kb", limits=ServiceLimits(requests_a_minute=1))
    with served_app(app) as address:
        sections = Sections(address, key)
        with pytest.raises(AutokbError, match="a minute") as refused:
            for _ in range(100):
                sections.find("no sound")
    assert not isinstance(refused.value, BadInputError)


@pytest.mark.parametrize("key", ["akb_quokka\nx", "akb_quöokka"])
def test_what_no_header_can_hold_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(BadInputError, match="copied whole") as refused:
        Sections("http://127.0.0.1:1", key)
    assert "okka" not in str(refused.value)
    with pytest.raises(BadInputError, match="no user and password") as refused:
        Sections("http://anna:quokka@127.0.0.1:1")
    assert "quokka" not in str(refused.value)


def test_it_says_so_where_there_is_no_server_or_another_one() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(AutokbError, match=f"no answer from http://127.0.0.1:{port}/v1/ask"):
        Sections(f"http://127.0.0.1:{port}").find("no sound")
    with pytest.raises(AutokbError, match="no answer from"):
        Sections("http://[::1").find("no sound")
    with (
        FeedServer(lambda _asked: Answer()) as other,
        pytest.raises(BadInputError, match=r"does not answer as autokb serve does .* The URL must be"),
    ):
        Sections(other.url).find("no sound")


@pytest.mark.parametrize("below", ["/v1", "/kb"])
def test_a_url_of_another_path_of_the_service_is_refused_with_what_it_must_be(url: str, below: str) -> None:
    with pytest.raises(BadInputError, match=r"Page or path not found.* The URL must be that of the service, .*/w/NAME"):
        Sections(url + below).find("no sound")


def test_a_folder_that_is_no_workspace_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError):
        Sections(tmp_path)


@pytest.mark.parametrize("source", ["127.0.0.1:8841", "kb.example/w/lights"])
def test_a_url_without_its_scheme_is_refused_with_what_it_lacks(source: str) -> None:
    with pytest.raises(BadInputError, match=f"no folder {source}; the URL of a server begins with http:// or https://"):
        Sections(source)
