"""Trackers and help centres in step, each as its documentation says that it pages, throttles and tells changes."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.app.synced import SyncedSource
from autokb.plugins.sync.sync import sync
from feed_server import LOOPBACK, Answer, Asked, FeedServer

START = datetime(2026, 1, 1, tzinfo=UTC)
SIZE = 10  # records of a page of the stubs


def moment(number: int) -> str:
    """Return when record number so many was changed."""
    return (START + timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class Tracker:
    """Records by number: what it says, and when it changed; each kind of interface shows them in its own shape."""

    texts: dict[int, str] = field(default_factory=lambda: {n: f"The left bud {n} is silent" for n in range(1, 31)})
    updated: dict[int, str] = field(default_factory=lambda: {n: moment(n) for n in range(1, 31)})
    deleted: set[int] = field(default_factory=set)
    drafts: set[int] = field(default_factory=set)
    comments: dict[int, list[str]] = field(default_factory=dict)
    refuses: Callable[[Asked], Answer | None] = lambda _asked: None

    def change(self, number: int, text: str) -> None:
        self.texts[number] = text
        last = datetime.fromisoformat(max(self.updated.values()))
        self.updated[number] = max(datetime.now(UTC), last + timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def numbers(self, since: str = "") -> list[int]:
        return [n for n in sorted(self.texts) if n not in self.deleted and self.updated[n] >= since]


def github(tracker: Tracker, asked: Asked, base: str) -> Answer:
    if asked.path.endswith("/comments"):
        number = int(asked.path.split("/")[-2])
        said = [{"id": n, "body": text, "created_at": moment(n)} for n, text in enumerate(tracker.comments[number])]
        return Answer(said)
    assert asked.path == "/repos/acme/buds/issues" and asked.query["state"] == "all"
    numbers = tracker.numbers(asked.query.get("since", ""))
    tag = f'W/"{len(numbers)}-{max((tracker.updated[n] for n in numbers), default="")}"'
    if asked.headers.get("if-none-match") == tag:
        return Answer(status=304, headers={"ETag": tag})
    start = SIZE * (int(asked.query.get("page", "1")) - 1)
    issues = [
        {
            "number": n,
            "title": tracker.texts[n],
            "body": tracker.texts[n],
            "state": "open",
            "created_at": moment(n),
            "updated_at": tracker.updated[n],
            "comments": len(tracker.comments.get(n, [])),
            **({"pull_request": {}} if n == 7 else {}),
        }
        for n in numbers[start : start + SIZE]
    ]
    query = "&".join(f"{name}={value}" for name, value in asked.query.items() if name != "page")
    following = f'<{base}{asked.path}?{query}&page={start // SIZE + 2}>; rel="next", <{base}/last>; rel="last"'
    return Answer(issues, headers={"ETag": tag, "Link": following if start + SIZE < len(numbers) else ""})


def jira_issue(tracker: Tracker, n: int, asked: Asked) -> dict[str, Any]:
    if asked.query.get("fields") == "updated":
        return {"key": f"BUDS-{n}", "fields": {"updated": tracker.updated[n]}}
    said = [{"body": text} for text in tracker.comments.get(n, [])]
    fields = {
        "updated": tracker.updated[n],
        "created": moment(n),
        "summary": tracker.texts[n],
        "description": tracker.texts[n],
        "comment": {"comments": said[:1], "total": len(said)},
    }
    return {"key": f"BUDS-{n}", "fields": fields}


def jira(tracker: Tracker, asked: Asked, base: str) -> Answer:
    if "/issue/" in asked.path and not asked.path.endswith("/comment"):
        return Answer(jira_issue(tracker, number_of(asked.path), asked))
    if asked.path.endswith("/comment"):
        number, start = int(asked.path.split("/")[-2].rpartition("-")[2]), int(asked.query.get("startAt", "0"))
        texts = tracker.comments[number]
        return Answer(
            {"comments": [{"body": t} for t in texts[start : start + 2]], "startAt": start, "total": len(texts)}
        )
    is_cloud = asked.path == "/rest/api/3/search/jql"
    assert is_cloud or asked.path == "/rest/api/2/search"
    jql = asked.query["jql"]
    assert jql.startswith("(project = BUDS)") and jql.endswith(" ORDER BY key ASC")
    since = ""
    if "updated >= -" in jql:
        minutes = int(jql.partition("updated >= -")[2].partition("m")[0])
        since = (datetime.now(UTC) - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")
    numbers = tracker.numbers(since)
    start = int(asked.query.get("nextPageToken" if is_cloud else "startAt", "0"))
    is_last = start + SIZE >= len(numbers)
    issues = [jira_issue(tracker, n, asked) for n in numbers[start : start + SIZE]]
    if is_cloud:
        token = {} if is_last else {"nextPageToken": str(start + SIZE)}
        return Answer({"issues": issues, "isLast": is_last, **token})
    return Answer({"issues": issues, "startAt": start, "total": len(numbers)})


def zendesk_articles(tracker: Tracker, asked: Asked, base: str) -> Answer:
    def shown(n: int) -> dict[str, Any]:
        return {
            "id": n,
            "title": tracker.texts[n],
            "body": f"<p>{tracker.texts[n]}.</p><ol><li>Open the case.</li></ol>",
            "html_url": f"https://help.example.com/{n}",
            "locale": "en-us",
            "draft": n in tracker.drafts,
            "updated_at": tracker.updated[n],
        }

    if asked.path == "/api/v2/help_center/incremental/articles.json":
        since = datetime.fromtimestamp(int(asked.query["start_time"]), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        found = sorted(tracker.numbers(since), key=lambda n: tracker.updated[n])[:SIZE]
        end = max((int(datetime.fromisoformat(tracker.updated[n]).timestamp()) for n in found), default=0)
        return Answer(
            {"articles": list(map(shown, found)), "end_time": end, "next_page": f"{base}{asked.path}?start_time={end}"}
        )
    assert asked.path == "/api/v2/help_center/en-us/articles.json"
    start, numbers = int(asked.query.get("page[after]", "0")), tracker.numbers()
    more = start + SIZE < len(numbers)
    following = f"{base}{asked.path}?page[size]=100&page[after]={start + SIZE}"
    return Answer(
        {
            "articles": list(map(shown, numbers[start : start + SIZE])),
            "meta": {"has_more": more},
            "links": {"next": following},
        }
    )


def zendesk_tickets(tracker: Tracker, asked: Asked, base: str) -> Answer:
    if asked.path.endswith("/comments.json"):
        texts = tracker.comments.get(int(asked.path.split("/")[-2]), [])
        return Answer({"comments": [{"body": text} for text in texts], "meta": {"has_more": False}, "links": {}})
    assert asked.path == "/api/v2/incremental/tickets/cursor.json"
    order = sorted(tracker.texts, key=lambda n: (tracker.updated[n], n))
    after = asked.query.get("cursor", "")
    left = [n for n in order if f"{tracker.updated[n]}|{n:04}" > after]
    part = left[:SIZE]
    tickets = [
        {
            "id": n,
            "subject": tracker.texts[n],
            "description": tracker.texts[n],
            "requester_id": 1,
            "status": "deleted" if n in tracker.deleted else "open",
            "updated_at": tracker.updated[n],
        }
        for n in part
    ]
    cursor = f"{tracker.updated[part[-1]]}|{part[-1]:04}" if part else after
    return Answer({"tickets": tickets, "after_cursor": cursor, "end_of_stream": len(left) <= SIZE})


SHAPES: dict[str, tuple[dict[str, Any], Callable[[Tracker, Asked, str], Answer]]] = {
    "github": ({"type": "github", "repo": "acme/buds"}, github),
    "jira-3": ({"type": "jira", "jql": "project = BUDS", "user": "ann@example.com"}, jira),
    "jira-2": ({"type": "jira", "jql": "project = BUDS", "api": 2}, jira),
    "articles": ({"type": "zendesk", "locale": "en-us", "user": "ann@example.com"}, zendesk_articles),
    "tickets": ({"type": "zendesk", "content": "tickets"}, zendesk_tickets),
}
TRACKERS = ["github", "jira-3", "jira-2", "tickets"]


class Served:
    """A tracker behind one of the interfaces, and a workspace that is kept in step with it."""

    def __init__(self, shape: str, folder: Path) -> None:
        self.tracker = Tracker()
        self.source, self.answer = SHAPES[shape]
        self.folder = folder
        self.server = FeedServer(self._script)
        SupportKB.create(folder, "headphones")

    def _script(self, asked: Asked) -> Answer:
        return self.tracker.refuses(asked) or self.answer(self.tracker, asked, self.server.url)

    def kb(self, **more: Any) -> SupportKB:
        source = {**self.source, "url": self.server.url, "allow_networks": [LOOPBACK], **more}
        (self.folder / "settings.yaml").write_text(json.dumps({"sources": {"it": source}}), encoding="utf-8")
        return SupportKB.open(self.folder)

    def run(self, pauses: list[float] | None = None, **more: Any) -> SyncedSource:
        sleep = (pauses if pauses is not None else []).append
        return sync(self.kb(**more).workspace, sleep=sleep).sources["it"]

    def staged(self) -> dict[str, dict[str, Any]]:
        with self.kb().workspace.file() as file:
            kinds = ("documents", "tickets", "issues")
            return {one.id: dict(one.body) for kind in kinds for one in file.staged(kind)}


def counts(one: SyncedSource) -> tuple[int, int, int, int]:
    return one.added, one.updated, one.unchanged, one.removed


def number_of(key: str) -> int:
    return int(key.replace("/", "-").rpartition("-")[2])


@pytest.mark.parametrize("shape", SHAPES)
def test_changes_alone_are_read_and_what_was_deleted_goes(shape: str, tmp_path: Path) -> None:
    served = Served(shape, tmp_path / "kb")
    all_of_them = 29 if shape == "github" else 30  # one is a pull request
    with served.server as server:
        first = served.run()
        assert (first.error, first.skipped, counts(first)) == (None, (), (all_of_them, 0, 0, 0))
        assert first.bytes == server.sent and first.requests == len(server.asked)
        server.asked.clear()
        assert counts(served.run()) == (0, 0, all_of_them, 0)
        served.run()
        pages = [one for one in server.asked if "comment" not in one.path]
        assert len(pages) == 2
        served.tracker.change(4, "The left bud 4 crackles")
        served.tracker.change(40, "Both buds hum")
        done = served.run()
        assert counts(done) == (1, 1, all_of_them - 1, 0)
        said = {number_of(key): json.dumps(body) for key, body in served.staged().items()}
        assert "crackles" in said[4] and "hum" in said[40] and len(said) == all_of_them + 1
        served.tracker.deleted.add(9)
        if shape == "tickets":
            served.tracker.change(9, "gone")
        else:
            served.run(check_deleted="0s")
            assert 9 in {number_of(key) for key in served.staged()}
        assert served.run(check_deleted="0s").removed == 1
        assert 9 not in {number_of(key) for key in served.staged()}


@pytest.mark.parametrize("shape", TRACKERS)
def test_comments_come_with_their_tickets(shape: str, tmp_path: Path) -> None:
    served = Served(shape, tmp_path / "kb")
    served.tracker.comments = {3: ["Please reset it.", "That helped.", "Thanks."]}
    with served.server:
        served.run()
        ticket = next(body for key, body in served.staged().items() if number_of(key) == 3)
        assert [one["text"] for one in ticket["comments"]] == ["Please reset it.", "That helped.", "Thanks."]


@pytest.mark.parametrize("shape", ["github", "tickets"])
def test_a_run_that_ends_inside_a_page_asks_for_no_comment_again(shape: str, tmp_path: Path) -> None:
    served = Served(shape, tmp_path / "kb")
    served.tracker.comments = {n: [f"Answer {n}"] for n in range(1, 31)}
    with served.server as server:
        asked: list[str] = []

        def fail(one: Asked) -> Answer | None:
            asked.extend([one.path] if "comment" in one.path else [])
            return Answer(status=500) if len(asked) > 26 else None

        served.tracker.refuses = fail
        failed = served.run()
        stored = len(served.staged())
        assert "status 500" in str(failed.error) and stored >= 19
        served.tracker.refuses = lambda _asked: None
        server.asked.clear()
        assert served.run().error is None and len(served.staged()) in (29, 30)
        again = [one.path for one in server.asked if "comment" in one.path]
        assert len(again) == len(served.staged()) - stored


@pytest.mark.parametrize("shape", TRACKERS)
def test_tickets_can_be_raw_issues_with_a_prefix(shape: str, tmp_path: Path) -> None:
    served = Served(shape, tmp_path / "kb")
    with served.server:
        kb = served.kb(**{"as": "issues", "prefix": "eu-"})
        assert kb.sync("it").sources["it"].added >= 29
        (listed,) = kb.sources().sources
        assert listed.issues >= 29 and not listed.tickets
        assert all(key.startswith("eu-") for key in served.staged())
        # What they are added as has changed, so all are read again, and are no issues any more.
        served.run()
        (listed,) = served.kb().sources().sources
        assert listed.tickets >= 29 and not listed.issues


def test_a_run_with_other_settings_that_ends_early_reads_all_the_same(tmp_path: Path) -> None:
    served = Served("github", tmp_path / "kb")
    with served.server:
        served.run()
        served.tracker.refuses = lambda asked: Answer(status=500) if "page" in asked.query else None
        assert "status 500" in str(served.run(prefix="eu-").error)
        served.tracker.refuses = lambda _asked: None
        assert served.run(prefix="eu-").error is None
        assert len(served.staged()) == 29 and all(key.startswith("eu-") for key in served.staged())


@pytest.mark.parametrize("shape", ["github", "jira-2", "jira-3", "articles"])
def test_an_empty_list_is_not_believed(shape: str, tmp_path: Path) -> None:
    served = Served(shape, tmp_path / "kb")
    with served.server:
        served.run()
        before = served.staged()
        empty = {"github": [], "articles": {"articles": []}}.get(shape, {"issues": []})
        served.tracker.refuses = lambda _asked: Answer(empty)
        for _ in range(3):
            done = served.run(check_deleted="0s")
            assert "lists nothing" in str(done.error) and done.removed == 0
        assert served.staged() == before
        served.tracker.refuses = lambda _asked: None
        assert counts(served.run(check_deleted="0s")) == (0, 0, len(before), 0)


@pytest.mark.parametrize("shape", ["github", "jira-2", "jira-3", "articles"])
def test_what_was_missing_comes_again_as_it_was(shape: str, tmp_path: Path) -> None:
    served = Served(shape, tmp_path / "kb")
    served.tracker.comments = {9: ["Please reset it.", "That helped."]}
    with served.server as server:
        served.run()
        before = served.staged()
        served.tracker.deleted.add(9)
        served.run(check_deleted="0s")
        assert served.run(check_deleted="0s").removed == 1
        served.tracker.deleted.clear()
        served.tracker.change(40, "Both buds hum")
        server.asked.clear()
        done = served.run(check_deleted="0s")
        assert (done.error, counts(done)) == (None, (2, 0, len(before) - 1, 0))
        assert {key: body for key, body in served.staged().items() if number_of(key) != 40} == before
        assert sum("/issue/BUDS" in one.path and "comment" not in one.path for one in server.asked) in (0, 2)


def test_a_first_page_that_is_as_it_was_hides_no_later_one(tmp_path: Path) -> None:
    served = Served("github", tmp_path / "kb")

    def tagged(asked: Asked) -> Answer | None:
        if "since" not in asked.query or "page" in asked.query:
            return None
        if asked.headers.get("if-none-match") == '"one"':
            return Answer(status=304)
        answer = github(served.tracker, asked, served.server.url)
        return replace(answer, headers={**answer.headers, "ETag": '"one"'})

    served.tracker.refuses = tagged
    with served.server:
        served.run()
        for number in range(31, 44):
            served.tracker.change(number, "Both buds hum")
        assert served.run().added == 13
        assert counts(served.run()) == (0, 0, 42, 0)
        served.tracker.change(43, "Both buds crackle")
        assert served.run().updated == 1


def test_a_ticket_that_is_deleted_twice_in_one_page_is_gone_once(tmp_path: Path) -> None:
    served = Served("tickets", tmp_path / "kb")
    with served.server:
        served.run()
        gone = {"id": 9, "status": "deleted", "updated_at": "2026-02-01T00:00:00Z"}
        served.tracker.refuses = lambda _asked: Answer(
            {"tickets": [gone, gone], "after_cursor": "z", "end_of_stream": True}
        )
        assert counts(served.run()) == (0, 0, 29, 1)


@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_read_before_a_failure_is_kept_and_not_asked_for_again(shape: str, tmp_path: Path) -> None:
    served = Served(shape, tmp_path / "kb")
    with served.server as server:
        met: list[Asked] = []

        def fail(asked: Asked) -> Answer | None:
            if "comment" not in asked.path and asked not in met:
                met.append(asked)
            return Answer(status=500) if len(met) > 2 else None

        served.tracker.refuses = fail
        failed = served.run()
        assert "status 500" in str(failed.error) and failed.added in (19, 20)
        served.tracker.refuses = lambda _asked: None
        server.asked.clear()
        done = served.run()
        assert done.error is None and done.added == 10
        assert len([one for one in server.asked if "comment" not in one.path]) == 1


ROUND: dict[str, Callable[[Asked, str], dict[str, Any]]] = {  # what an interface says that leads to a page before
    "jira-3": lambda asked, _url: {"isLast": False, "nextPageToken": "0"},
    "jira-2": lambda asked, _url: {"total": 10**6, "startAt": 0},
    "articles": lambda asked, url: {"meta": {"has_more": True}, "links": {"next": url}},
    "tickets": lambda asked, _url: {
        "end_of_stream": False,
        "after_cursor": "y" if asked.query.get("cursor") == "x" else "x",
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_pages_that_lead_in_a_circle_or_elsewhere_end_the_run(shape: str, tmp_path: Path) -> None:
    served = Served(shape, tmp_path / "kb")
    with served.server as server:

        def turn(asked: Asked) -> Answer | None:
            if "comment" in asked.path:
                return None
            answer = served.answer(served.tracker, asked, server.url)
            if shape == "github":
                return Answer(answer.body, headers={"Link": '<https://elsewhere.example/issues>; rel="next"'})
            first = f"{server.url}{asked.path}?page[size]=100"
            return Answer({**answer.body, **ROUND[shape](asked, first.replace("[", "%5B").replace("]", "%5D"))})

        served.tracker.refuses = turn
        done = served.run()
        assert "a page leads" in str(done.error) and 9 <= done.added <= 20
        assert len([one for one in server.asked if "comment" not in one.path]) < 6
        served.tracker.refuses = lambda _asked: None
        assert served.run().error is None and len(served.staged()) in (29, 30)


NO_ANSWERS = [
    Answer("<html>a proxy's page</html>"),
    Answer('{"issues": [{"key": "BUDS-1"', says=20_000),
    Answer('{"issues": {"0": 1}, "tickets": 3, "articles": null}'),
    Answer("[" * 100_000),
    Answer([1, 2]),
    Answer(status=404),
    Answer(status=401),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_an_answer_that_is_none_changes_nothing(shape: str, tmp_path: Path) -> None:
    served = Served(shape, tmp_path / "kb")
    with served.server:
        served.run()
        before = served.staged()
        served.tracker.change(4, "other")
        for answer in NO_ANSWERS:
            served.tracker.refuses = lambda _asked, answer=answer: answer  # type: ignore[misc]
            assert served.run(check_deleted="0s").error is not None and served.staged() == before
        served.tracker.refuses = lambda _asked: None
        assert served.run().updated == 1


@pytest.mark.parametrize("answer", [Answer(status=404), Answer([{"body": "x"}], headers={"Link": "<>; rel=next"})])
def test_a_ticket_whose_comments_cannot_be_read_stops_no_other(answer: Answer, tmp_path: Path) -> None:
    served = Served("github", tmp_path / "kb")
    served.tracker.comments = {3: ["Please reset it."]}
    with served.server:
        round_about = f"<{served.server.url}/repos/acme/buds/issues/3/comments?per_page=100>; rel=next"
        headers = dict.fromkeys(answer.headers, round_about)
        bad = Answer(answer.body, answer.status, headers)
        served.tracker.refuses = lambda asked: bad if asked.path.endswith("/3/comments") else None
        done = served.run()
        assert done.error is None and done.added == 28 and [one.path for one in done.skipped] == ["3"]
        served.tracker.refuses = lambda _asked: None
        served.tracker.change(3, "again")
        assert served.run().added == 1


def test_what_was_imported_is_taken_over(tmp_path: Path) -> None:
    served = Served("articles", tmp_path / "kb")
    with served.server:
        kb = served.kb()
        kb.sync()
        with kb.workspace.file() as file, file.transaction():
            file.stage("documents", [replace(one, relative="kb.jsonl") for one in file.staged("documents")])
        assert served.run().error is None and [one.kind for one in kb.sources().sources] == ["import"]
        assert counts(served.run(check_deleted="0s")) == (0, 0, 30, 0)
        assert [(one.kind, one.documents) for one in kb.sources().sources] == [("sync", 30)]


def test_githubs_limit_is_waited_for_until_its_reset(tmp_path: Path) -> None:
    served = Served("github", tmp_path / "kb")
    with served.server:
        reset = str(int(datetime.now(UTC).timestamp()) + 50)
        limits = iter([Answer(status=403, headers={"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset})])
        served.tracker.refuses = lambda _asked: next(limits, None)
        pauses: list[float] = []
        assert served.run(pauses).error is None and len(pauses) == 1 and 20 < pauses[0] < 55


@pytest.mark.parametrize(
    ("shape", "sent"),
    [
        ("github", "Bearer s3cret"),
        ("jira-3", "Basic " + base64.b64encode(b"ann@example.com:s3cret").decode()),
        ("jira-2", "Bearer s3cret"),
        ("articles", "Basic " + base64.b64encode(b"ann@example.com/token:s3cret").decode()),
    ],
)
def test_a_secret_comes_from_the_environment_and_goes_to_its_host_alone(
    shape: str, sent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = Served(shape, tmp_path / "kb")
    with served.server as server, FeedServer(lambda _asked: Answer([])) as other:
        assert "that token_env names is not set" in str(served.run(token_env="BUDS_TOKEN").error) and not server.asked
        monkeypatch.setenv("BUDS_TOKEN", "s3cret")
        done = served.run(token_env="BUDS_TOKEN")
        assert done.error is None and {one.headers["authorization"] for one in server.asked} == {sent}
        served.tracker.refuses = lambda _asked: Answer(status=302, headers={"Location": other.url})
        assert "not given the secret" in str(served.run(token_env="BUDS_TOKEN").error) and not other.asked
        assert "s3cret" not in (tmp_path / "kb" / "knowledge.db").read_bytes().decode("latin-1")


def test_a_draft_is_no_article_any_more(tmp_path: Path) -> None:
    served = Served("articles", tmp_path / "kb")
    with served.server:
        served.run()
        served.tracker.drafts.add(5)
        served.tracker.change(5, "in the making")
        assert counts(served.run()) == (0, 0, 29, 1)


def test_two_trackers_that_count_from_one_need_a_prefix(tmp_path: Path) -> None:
    served = Served("github", tmp_path / "kb")
    with served.server:
        served.run()
        source = {**served.source, "url": served.server.url, "allow_networks": [LOOPBACK]}
        (tmp_path / "kb" / "settings.yaml").write_text(json.dumps({"sources": {"it": source, "two": source}}))
        kb = SupportKB.open(tmp_path / "kb")
        clash = kb.sync("two").sources["two"]
        assert clash.added == 0 and len(clash.skipped) == 29 and "set prefix" in clash.skipped[0].reason
        assert kb.sources().sources[0].tickets == 29
        # When the first goes, the ids are free for the second.
        source["check_deleted"] = "0s"
        (tmp_path / "kb" / "settings.yaml").write_text(json.dumps({"sources": {"two": source}}))
        SupportKB.open(tmp_path / "kb").remove(["it"])
        freed = SupportKB.open(tmp_path / "kb").sync("two").sources["two"]
        assert freed.added == 29 and not freed.skipped
