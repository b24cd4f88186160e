"""The editors' pages: the queue, editing with its history, figures in use, gaps, evaluation."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.core.changes import Readable, compare
from autokb.core.in_use import LoggedQuestion
from autokb.core.nouns import Decision, Document, Issue, Verdict
from autokb.core.reply_rules import LEFT_OPEN
from autokb.stores.published import keep_changes, keep_decisions
from autokb.stores.question_log import keep_questions
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app

BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}
HTMX = {"hx-request": "true"}


@pytest.fixture
def client(hand_made: Workspace) -> Iterator[TestClient]:
    app = create_app(hand_made.folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER) as opened:
        yield opened


def version_of(page: str, solution: str) -> str:
    found = re.search(
        rf'name="solution" value="{solution}">\s*<input type="hidden" name="version" value="([^"]+)"', page
    )
    assert found, page
    return found[1]


def words_of(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_the_queue_is_judged_item_by_item_and_nobody_overwrites_another(
    client: TestClient, hand_made: Workspace
) -> None:
    kb = SupportKB(hand_made)
    page = client.get("/review").text
    assert [i.id for i in kb.curation.review(20).items] == re.findall(r'id="item-([^"]+)"', page)
    given = {"solution": "s-contacts", "verb": "approve", "version": version_of(page, "s-contacts")}
    done = client.post("/review/judge", data=given, headers=HTMX).text
    assert "approved" in done and "<html" not in done and kb.views.solution("s-contacts").status == "approved"
    back = {**given, "verb": "undo", "version": kb.views.solution("s-contacts").version}
    assert client.post("/review/judge", data=back, headers=HTMX).status_code == 200
    assert kb.views.solution("s-contacts").verdict is None
    kb.curation.edit("s-contacts", "Wipe the contacts of the dock.", author="somebody else")
    late = client.post("/review/judge", data=given)
    assert late.status_code == 412 and kb.views.solution("s-contacts").verdict is None
    assert client.post("/review/judge", data={**given, "verb": "delete"}).status_code == 422
    assert client.post("/review/judge", data={**given, "solution": "none"}).status_code == 422


def test_an_edit_without_its_solution_is_dismissed_and_queued_again_on_the_page_and_over_http(
    client: TestClient, hand_made: Workspace
) -> None:
    with hand_made.file() as file, file.transaction():
        keep_decisions(file, [Decision("edit-lost", "edited", "s-gone", "ann", "2026-01-01", text="Wipe <b>it</b>.")])
    assert 'id="item-edit-lost"' in client.get("/review?kind=edit_orphaned").text
    done = client.post("/review/dismiss", data={"edit": "edit-lost"}, headers=HTMX).text
    assert "<html" not in done and "Wipe &lt;b&gt;it" in done and 'value="undo"' in done
    assert "edit-lost" not in client.get("/review").text
    back = client.post("/review/dismiss", data={"edit": "edit-lost", "what": "undo"})
    assert "<html" in back.text and "In the queue again" in back.text
    told = client.post("/v1/review/edit-lost/dismiss").json()
    assert (told["dismissed"], told["changed"], told["solution_id"]) == (True, 1, "s-gone")
    assert "edit-lost" not in client.get("/v1/review").text
    assert client.post("/v1/review/edit-lost/undo").json()["dismissed"] is False
    assert "edit-lost" in client.get("/v1/review").text
    for path in ("/v1/review/none/dismiss", "/v1/review/none/undo"):
        assert client.post(path).status_code == 404
    history = client.get("/v1/solutions/s-gone/history").json()["items"]
    assert [one["what"] for one in history] == ["queued again", "dismissed", "queued again", "dismissed", "edited"]


def test_an_edit_is_kept_with_its_history_and_a_late_one_shows_both_texts(
    client: TestClient, hand_made: Workspace
) -> None:
    kb = SupportKB(hand_made)
    form = client.get("/review/solution?solution=s-contacts").text
    data = {
        "solution": "s-contacts",
        "version": version_of(form, "s-contacts"),
        "text": "Wipe <b>both</b>.\r\nThen wait.",
    }
    kept = client.post("/review/solution", data=data)
    assert kept.status_code == 200 and "Saved." in kept.text and "Wipe &lt;b&gt;both&lt;/b&gt;" in kept.text
    assert "<b>both" not in kept.text and kb.views.solution("s-contacts").text == "Wipe <b>both</b>.\nThen wait."
    late = client.post("/review/solution", data={**data, "text": "Mine."})
    assert late.status_code == 412 and ">Mine.</textarea>" in late.text and "Wipe &lt;b&gt;both" in late.text
    assert kb.views.solution("s-contacts").text == "Wipe <b>both</b>.\nThen wait.", "nothing is overwritten silently"
    now = client.get("/review/solution?solution=s-contacts").text
    assert now.count("<strong>edited</strong>") == 1 and "Wipe the two contacts" in now, "the text before is shown"
    empty = client.post("/review/solution", data={**data, "text": " ", "version": version_of(now, "s-contacts")})
    assert empty.status_code == 422 and 'role="alert"' in empty.text


@pytest.mark.with_plugins
def test_figures_in_use_and_gaps_are_shown_and_a_gap_is_closed(client: TestClient, hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    assert "Nothing yet" in client.get("/in-use?whole=true").text
    for n in range(3):
        asked = {"messages": [{"role": "customer", "text": "do you bake <i>pizza</i> margherita"}]}
        client.post("/v1/suggest", json={**asked, "conversation": f"c{n}"})
    kb.usage.give_feedback("does not charge", "used", "s-contacts", conversation="c9", group="<u>night</u>")
    kb.usage.report_outcome("c9", resolved=True, seconds=60)
    page = client.get("/in-use?whole=true").text
    assert "&lt;u&gt;night" in page and "<u>" not in page and "1 used, 0 edited, 0 rejected" in page
    gaps = client.get("/in-use/gaps").text
    assert "pizza&lt;/i&gt; margherita" in gaps and "<i>" not in gaps
    gap = kb.usage.gaps().questions[0]
    assert gap.asked == 3
    settled = client.post("/in-use/gaps", data={"gap": gap.id, "what": "dismissed"}, headers=HTMX).text
    assert "dismissed" in settled and "Open again" in settled and kb.usage.gaps().questions == ()
    assert client.post("/in-use/gaps", data={"gap": gap.id, "what": "open"}).status_code == 200
    assert [one.id for one in kb.usage.gaps().questions] == [gap.id]
    assert client.get("/in-use?since=yesterday&whole=true").status_code == 422
    coverage = client.get("/evaluation?whole=true").text
    assert "Asked most without an answer" not in coverage, "they are all about something else"
    near = LoggedQuestion("the <i>mower</i> hums", "abstains", "ask", gap.last, reason=LEFT_OPEN)
    with hand_made.file() as file, file.transaction():
        keep_questions(file, [near])
    coverage = client.get("/evaluation?whole=true").text
    assert "Asked most without an answer" in coverage and html.escape("<i>mower</i>") in coverage
    assert "margherita" not in coverage and "--model" not in coverage and "no-support" not in coverage
    assert coverage.index("What was asked") < coverage.index("Do not send the customer to support.")
    said = words_of(client.get("/in-use?whole=true").text)
    assert f"All time. Of questions the newest 10,000 are kept: 4 asked since {gap.first[:10]}" in said
    assert "95 % interval" in said and "0 answered, 0 asked back, 4 without an answer" in said
    assert "What was noted from 2020-01-02 on." in client.get("/in-use?since=2020-01-02").text


def test_questions_of_other_topics_are_folded_below_and_what_did_not_help_is_named(
    client: TestClient, hand_made: Workspace
) -> None:
    kb = SupportKB(hand_made)
    client.post("/v1/ask", json={"text": "what is the capital of France"})
    kb.usage.give_feedback("it stops in the rain", "rejected", "s-rain", conversation="c1")
    kb.usage.give_feedback("it stops in the rain", "unhelpful", None, conversation="c2")
    page = client.get("/in-use/gaps").text
    assert {one.kind for one in kb.usage.gaps().questions} == {"other_topic", "unhelpful"}
    above, below = page.split("<details class")
    assert "capital of France" in below and "capital of France" not in above
    said = words_of(above)
    assert "On topic, no answer 0 None that is clearly about what is known here; 1 question" in said
    assert "perhaps about something else (1 question, asked 1 time)" in words_of(below)
    assert "An answer that did not help 1" in said
    assert "Did not help 2 times: Dry it ." in said and 'href="/review/solution?solution=s-rain"' in above
    assert "off topic" not in page and "Nothing here is about that." in below


@pytest.mark.with_plugins
@pytest.mark.parametrize("path", ["/in-use", "/evaluation"])
def test_figures_follow_the_page_that_is_there_at_once(client: TestClient, path: str) -> None:
    page = client.get(path).text
    assert "Working out the figures" in page and f'hx-get="{path}"' in page and "whole=true" in page
    part = client.get(path, headers=HTMX).text
    assert "<html" not in part and "Working out" not in part and "<h2" in part


@pytest.mark.with_plugins
def test_the_sheet_is_filled_in_page_by_page(client: TestClient, hand_made: Workspace) -> None:
    page = client.get("/evaluation/sheet").text
    items = []
    while found := re.search(r'name="item" value="([^"]+)"', page):
        items.append(found[1])
        data = {"item": found[1], "annotator": "1", "correct": "yes" if len(items) % 2 else "no"}
        page = client.post("/evaluation/sheet", data=data, headers=HTMX).text
        assert "<html" not in page
    assert "All of them are judged." in page and len(set(items)) == len(items) > 3
    report = client.get("/evaluation?whole=true").text
    assert f"Annotator 1: {len(items)} of {len(items)}" in report and "Not measured" not in report
    assert SupportKB(hand_made).evaluate.quality().q_c.value == pytest.approx(
        (len(items) + 1) // 2 / len(items), abs=0.2
    )


def test_a_doubt_is_said_once_and_a_rule_by_its_sentence(client: TestClient, hand_made: Workspace) -> None:
    told = Verdict("no-support", "broken", "Step 1 says “Call our support”.")
    taken = Decision(  # as an import takes one
        "edit-1", "edited", "s-hopper", "ann", "2026-01-01", text="Turn the blades\n1. Call our support.", rules=(told,)
    )
    with hand_made.file() as file, file.transaction():
        keep_decisions(file, [taken])
    page = words_of(client.get("/review").text.split('id="item-s-hopper"')[1].split("</article>")[0])
    assert "no-support" not in page and page.count("Do not send the customer to support") == 1
    assert "(0 reported + 0 asked + 1) × 6" in page and "withheld" in page
    form = words_of(client.get("/review/solution?solution=s-hopper").text)
    assert "For the issue The Hopper's blades do not cut cleanly" in form and "Do not send the customer" in form
    assert client.get("/review/solution?solution=s-hopper").text.count('class="primary"') == 1
    assert "displayed" not in client.get("/review").text


def test_a_text_that_breaks_a_rule_is_not_saved_and_stays_in_the_form(client: TestClient, hand_made: Workspace) -> None:
    written = "Turn the blades\n1. Call our support."
    refused = client.post("/review/solution", data={"solution": "s-hopper", "text": written})
    assert refused.status_code == 422 and written in html.unescape(refused.text)
    said = words_of(refused.text)
    assert "Do not send the customer to support”: " in said and "Nothing was stored" in said
    assert "no-support" not in said
    kept = SupportKB(hand_made).views.solution("s-hopper")
    assert kept.status == "displayed" and "support" not in kept.text


def test_what_a_build_changed_is_shown_or_that_none_is_noted(client: TestClient, hand_made: Workspace) -> None:
    assert "Nothing is noted yet" in client.get("/review/changes").text
    before = [Document("a.md", "A", "# A\n\nPress it.\nWait.\n"), Document("b.md", "B", "Same.")]
    after = [Document("a.md", "A", "# A\n\nHold <b>it</b>.\nWait.\n"), Document("b.md", "Better", "Same.")]
    was, is_now = ({i: Issue(i, text, None, {}) for i, text in pairs} for pairs in ([("i", "Dark")], [("i", "Light")]))
    told = compare(
        Readable({}, was, {d.id: d for d in before}), Readable({}, is_now, {d.id: d for d in after}), "2026-01-02"
    )
    with hand_made.file() as file, file.transaction():
        keep_changes(file, told)
    page = client.get("/review/changes").text
    said = words_of(page)
    assert "A Press it. Hold <b>it</b>." in said and "<b>it</b>" not in page and "Wait." not in said
    assert "Better before: B The text is the same; its title or address changed." in said
    assert "Light Dark Light" in said, "an issue's words before and after"
