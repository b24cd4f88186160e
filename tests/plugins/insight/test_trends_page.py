"""The page and the paths of trends: editors see increases, with a chart each; agents and readers do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from anyio import CapacityLimiter
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.app.namespaces.usage import UsageNamespace
from autokb.core.in_use import LoggedQuestion
from autokb.stores.question_log import keep_questions
from autokb.stores.workspace import Workspace
from autokb.usage.weeks import monday_of, today, week_of_day
from autokb.web import service
from autokb.web.app import create_app

BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}
THIS_WEEK = monday_of(week_of_day(today()))


def moment(weeks: int) -> str:
    return f"{THIS_WEEK - timedelta(weeks=weeks)}T08:00:00+00:00"


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    """A knowledge base whose questions about charging rise, with one that nothing answers."""
    asked = [
        LoggedQuestion("q", "answered", "ask", moment(weeks), issues=(node,))
        for weeks in range(15, 0, -1)
        for node, count in (("charge", 12 if weeks <= 4 else 2), ("rain", 4))
        for _ in range(count)
    ]
    asked.append(LoggedQuestion("the <b>fountain</b> floods my lawn", "abstains", "ask", moment(0)))
    with hand_made.file() as file, file.transaction(), file.reading() as db:
        keep_questions(file, asked)
        db.execute("UPDATE version SET body = json_set(body, '$.date', ?) WHERE number = 1", (moment(30),))
    return SupportKB(hand_made)


@pytest.fixture
def client(kb: SupportKB) -> Iterator[TestClient]:
    app = create_app(kb.workspace.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER) as opened:
        yield opened


def test_what_rises_is_drawn_and_what_is_new_is_named(client: TestClient) -> None:
    first = client.get("/trends").text
    assert 'hx-get="/trends"' in first and "<svg" not in first
    page = client.get("/trends", params={"whole": True}).text
    assert page.count('<span class="tag bad">rises</span>') == 2  # of the tree, and of all questions with it
    assert 'aria-label="By week since' in page and ": 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 12, 12, 12, 12" in page
    assert page.count('class="now"') == 3 * 4  # the last weeks of three series
    assert '<a href="/issues/charge">The battery does not charge in the dock</a>' in page
    assert "&lt;b&gt;fountain" in page and "<b>fountain" not in page
    assert "No tree with dated issues" in page
    assert 'class="now"' in client.get("/trends", headers={"hx-request": "true"}).text
    weeks = client.get("/trends", params={"weeks": 1}).text
    assert "The last 1 whole week up to" in weeks and 'value="1"' in weeks


def test_a_wrong_number_or_day_is_a_sentence(client: TestClient) -> None:
    for wrong in ({"weeks": 99}, {"weeks": "9" * 5_000}, {"weeks": "few"}, {"until": "soon"}):
        assert client.get("/trends", params=wrong).status_code == 422
    assert client.get("/v1/digest", headers={"accept": "*/*"}).status_code == 422
    assert "day" in client.get("/v1/digest", params={"since": "soon"}, headers={"accept": "*/*"}).json()["detail"]


def test_programs_get_what_the_library_returns(client: TestClient, kb: SupportKB) -> None:
    told = client.get("/v1/trends", params={"weeks": 2}).json()
    assert told == kb.usage.trends(2).as_json() and told["series"][0]["rises"]
    since = str(THIS_WEEK)
    assert client.get("/v1/digest", params={"since": since}).json() == kb.usage.digest(since).as_json()


def test_agents_do_not_see_it(client: TestClient, kb: SupportKB) -> None:
    keys = {role: kb.keys.create(role).key for role in ("agent", "editor")}  # type: ignore[arg-type]
    for path in ("/trends?whole=true", "/v1/trends", f"/v1/digest?since={THIS_WEEK}"):
        said = {
            role: client.get(path, headers={"authorization": f"Bearer {key}"}).status_code for role, key in keys.items()
        }
        assert said == {"agent": 403, "editor": 200}


def test_reports_are_worked_out_as_one_of_the_questions_that_are_answered_at_once(
    kb: SupportKB, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit, taken = CapacityLimiter(3), list[float]()

    def counted(work: Callable[..., Any]) -> Callable[..., Any]:
        def count(*given: Any) -> Any:
            taken.append(limit.borrowed_tokens)
            return work(*given)

        return count

    monkeypatch.setattr(service, "computing_limit", lambda workers: limit if workers == 1 else CapacityLimiter(1))
    monkeypatch.setattr(UsageNamespace, "trends", counted(UsageNamespace.trends))
    monkeypatch.setattr(UsageNamespace, "digest", counted(UsageNamespace.digest))
    app = create_app(kb.workspace.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER) as client:
        for path in ("/v1/trends", f"/v1/digest?since={moment(2)[:10]}", "/trends?whole=true"):
            assert client.get(path).status_code == 200
    assert taken == [1, 1, 1]
