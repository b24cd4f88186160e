"""The knowledge browser's pages: what they show to whom, what a search finds, and that no text runs."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import hand_made_kb
import small_tickets
from autokb.app import SupportKB
from autokb.cli import main
from autokb.exchange.import_kb import import_file
from autokb.stores.type_ahead_index import TypedWord
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from autokb.views.knowledge import SNIPPET_CHARACTERS, snippet_of
from autokb.web.app import create_app
from autokb.web.pages.rendering import quote_rules, says_as

HTML = {"accept": "text/html"}
PARTS = {**HTML, "hx-request": "true"}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "[click](javascript:alert(3))",
    "</textarea></title><svg onload=alert(4)>",
    "{{ 7 * 7 }} &lt;b&gt; ' onmouseover='alert(5)",
    "\u202e reversed \u2066 isolated",
]


@contextmanager
def client_of(folder: Path) -> Iterator[TestClient]:
    """Serve a workspace without what is loaded at the start for questions, which no page here asks."""
    app = create_app(folder)
    yield TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=HTML)
    app.state.kb.close()


@pytest.fixture
def client(hand_made: Workspace) -> Iterator[TestClient]:
    with client_of(hand_made.folder) as opened:
        yield opened


def page(client: TestClient, path: str, status: int = 200, **headers: str) -> str:
    response = client.get(path, headers=headers)
    assert response.status_code == status, response.text
    assert "default-src 'none'" in response.headers["content-security-policy"]
    return response.text


class _Tags(HTMLParser):
    """Collects the elements of a page, and the text inside those of a class or name."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.marked: list[str] = []
        self.quote = ""
        self._inside: dict[str, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag == "mark":
            self._inside = dict(attrs)
            self.marked.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "mark":
            self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self.marked[-1] += data
            self.quote += data if self._inside.get("id") == "quote" else ""


def read(text: str) -> _Tags:
    tags = _Tags()
    tags.feed(text)
    return tags


def words_of(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_trees_stand_with_their_counts_and_the_most_reported_first(client: TestClient) -> None:
    text = page(client, "/knowledge")
    order = [
        text.index(html.escape(said)) for _, _, said in (hand_made_kb.TREES[i] for i in ("pair", "blades", "charge"))
    ]
    assert order == sorted(order)
    assert "3 customers · 4 solutions" in text and "The robot does not pair with an iPad" in text
    assert (
        "4 issues and 7 more specific ones below them; 10 solutions shown to customers, 2 more not shown"
        in words_of(text)
    )
    assert 'aria-current="page">Knowledge' in text


def test_a_filter_is_in_the_address_and_keeps_what_names_the_value(client: TestClient) -> None:
    text = page(client, "/knowledge?a.os=iOS")
    assert "1 issue with this filter" in words_of(text) and hand_made_kb.TREES["pair"][2] in text
    assert hand_made_kb.TREES["blades"][2] not in text
    assert '<option selected value="iOS">' in text
    text = page(client, "/knowledge?theme=t-power")
    assert hand_made_kb.TREES["charge"][2] in text and hand_made_kb.TREES["pair"][2] not in text
    assert "No issue has these values" in page(client, "/knowledge?a.os=iOS&theme=t-power")
    found = page(client, "/knowledge?q=pair&a.os=Android")
    assert "Android phone" in words_of(found) and "iPad" not in re.sub(r"(?s)<form.*?</form>", "", found)
    answer = client.get("/knowledge?q=pair&a.os=&a.model=Hopper&page=1", headers=PARTS)
    assert answer.headers["hx-replace-url"] == "/knowledge?q=pair&a.model=Hopper"
    assert answer.text.lstrip().startswith('<div id="found"')


def test_a_search_finds_all_kinds_by_whole_and_begun_words(client: TestClient) -> None:
    text = page(client, "/knowledge?q=dry+clo")
    assert "Clean the contacts" in text and "and 1 other issue" in words_of(text) and "Charging 🔋" in text
    assert [mark.lower() for mark in read(text).marked].count("dry") >= 2
    assert "The blades do not cut" in words_of(page(client, "/knowledge?q=blade+cutting"))  # by its stem
    assert page(client, "/knowledge?q=%22%2A+AND+%29+NEAR%28") and page(client, "/knowledge?q=%00+%27+%CC%81")


def test_what_has_most_of_the_words_is_shown_where_nothing_has_all(client: TestClient) -> None:
    text = words_of(page(client, "/knowledge?q=dry+cloth+pizza"))
    assert "Nothing has all 3 words." in text and "2 of them:" in text and "Clean the contacts" in text
    whole = page(client, "/knowledge?q=dry+cloth")
    assert "Nothing has all" not in whole and "Clean the contacts" in words_of(whole)
    for nothing in ("pizza", "dry+pizza+margherita", "dry+cloth+pizza&theme=t-rain"):
        assert "Nothing has these words" in page(client, f"/knowledge?q={nothing}"), nothing
    assert "2 of them:" in page(client, "/knowledge?q=dry+cloth+pizza&kind=solution")


def test_a_search_shows_why_a_solution_is_withheld_and_not_what_it_says(client: TestClient) -> None:
    found = page(client, "/knowledge?q=call+our+support").split('id="of-solution"')[1].split("</section>")[0]
    assert 'href="/solutions/s-support"' in found and "withheld" in found
    assert "It sends the customer to support." in words_of(found) and "Call our" not in words_of(found)


def test_what_belongs_together_is_one_row_of_a_search(client: TestClient) -> None:
    text = page(client, "/knowledge?q=pair")
    issues = text.split('id="of-issue"')[1].split("</section>")[0]
    assert issues.count('class="hit"') == 1, "one tree"
    for said in ("on an iPhone or iPad", "with an iPad", "with an Android phone", "with the app"):
        assert said in words_of(issues)
    solutions = page(client, "/knowledge?q=clean+contacts").split('id="of-solution"')[1].split("</section>")[0]
    assert solutions.count('class="hit"') == 1 and "and 1 other issue" in words_of(solutions)


def test_a_snippet_is_of_whole_words_and_tells_headings_from_text() -> None:
    text = "# Lid\n\n## Reset the lid\n\nA reset " + "takes seventeen minutes " * 20 + "and then it is done."
    start = snippet_of(text, (), "Lid")
    assert start.startswith("Reset the lid: A reset takes seventeen") and start.endswith((" minutes …", " takes …"))
    assert len(start) <= SNIPPET_CHARACTERS + 2
    middle = snippet_of(text, [TypedWord("then", "then")])
    assert middle.startswith("… ") and middle.endswith("then it is done.") and middle.split()[1] in text.split()
    assert snippet_of("Short.", ()) == "Short."


def test_lists_come_in_pages(hand_made: Workspace) -> None:
    lines = [{"kind": "document", "id": f"d{n:03}.md", "title": f"Zebra {n:03}", "text": "zebra"} for n in range(25)]
    lines += [{"kind": "setting", "id": "domain", "yaml": hand_made_kb.DOMAIN}]
    folder = hand_made.folder.parent / "many"
    import_file(create_workspace(folder, "name: many\n"), hand_made_kb.write(folder.parent / "many.jsonl", lines))
    with client_of(folder) as client:
        seen: list[str] = []
        path = "/knowledge?q=zeb&kind=document"
        while path:
            text = page(client, path)
            seen += re.findall(r'class="hit" dir="auto" href="/documents/(d\d+)', text)
            following = re.search(r'rel="next" href="([^"]+)"', text)
            path = html.unescape(following[1]) if following else ""
        assert sorted(seen) == [f"d{n:03}" for n in range(25)]
        assert "21 to 25 of 25" in page(client, "/knowledge?q=zeb&kind=document&page=2")
        assert "25 documents" in page(client, "/documents?uncited=1") and "No document" in page(
            client, "/documents?q=x"
        )
        assert "Nothing is published" in page(client, "/knowledge") and page(client, "/knowledge?q=zeb&page=999999")
        assert client.get("/knowledge?page=0").status_code == 422


def test_an_issue_shows_solutions_steps_sources_and_its_tree(client: TestClient) -> None:
    text = page(client, "/issues/pair-ios")
    for said in hand_made_kb.SOLUTIONS["s-ios"][3]:
        assert said in words_of(text)
    quote = hand_made_kb.SOLUTIONS["s-ios"][3][0]
    start = hand_made_kb.DOCUMENTS["app/pairing.md"][1].index(quote)
    assert f'href="/documents/app/pairing.md?at={start - 3}-{start + len(quote)}#quote"' in text
    assert 'href="/issues/pair"' in text and 'href="/issues/pair-android"' in text
    assert "Do not send the customer to support." in text and "no-support" not in text
    whole = page(client, "/issues/pair")
    assert "iphone cannot find the robot when pairing" in whole and "In more specific cases" in whole
    assert "<p>Depends on os: <a" in whole


def test_what_is_kept_back_and_customers_words_are_for_agents(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    keys = {role: kb.keys.create(role).key for role in ("reader", "agent")}
    with client_of(hand_made.folder) as client:
        shown = {role: {"authorization": f"Bearer {key}"} for role, key in keys.items()}
        assert client.get("/knowledge", follow_redirects=False).headers["location"].startswith("/login?next=")
        reader, agent = (page(client, "/issues/blades", **shown[role]) for role in ("reader", "agent"))
        assert "It sends the customer to support." in agent and "blunt blades on my Hopper" not in reader
        assert "It sends the customer to support." not in reader and "Call our support for a Badger" not in reader
        assert "the blades tear the grass" in agent and "the blades tear the grass" not in reader
        page(client, "/solutions/s-support", 403, **shown["reader"])
        assert "Call our support" in page(client, "/solutions/s-support", **shown["agent"])
        assert "/review/solution" not in page(client, "/solutions/s-support", **shown["agent"])
        for role, found in (("reader", 0), ("agent", 1)):
            text = page(client, "/knowledge?q=badger&kind=solution", **shown[role])
            assert text.count('href="/solutions/s-support"') == found
            assert page(client, "/documents/blades.md", **shown[role]).count('href="/solutions/s-support"') == found


def test_private_data_in_customers_words_are_masked(hand_made: Workspace) -> None:
    lines = hand_made_kb.lines()
    for line in lines:
        if line["id"] == "r6":
            line["text"] = "write to kim.doe@example.org, the battery does not charge"
    folder = hand_made.folder.parent / "private"
    import_file(create_workspace(folder, "name: p\n"), hand_made_kb.write(folder.parent / "p.jsonl", lines))
    with client_of(folder) as client:
        text = page(client, "/issues/charge")
        assert "kim.doe" not in text and "write to &lt;email-1&gt;, the battery" in text


def test_a_decision_is_seen_at_once(client: TestClient, hand_made: Workspace) -> None:
    assert ">shown</span>" in page(client, "/solutions/s-contacts")
    SupportKB(hand_made).curation.reject(["s-contacts"], author="ann")
    text = page(client, "/solutions/s-contacts")
    assert ">rejected</span>" in text and "Rejected by ann" in text
    assert "s-contacts" in page(client, "/issues/charge").split("Not shown to customers")[1]
    edited = page(client, "/solutions/s-rain")
    assert (
        client.get("/review/solution?solution=s-rain").status_code == 200
        and "/review/solution?solution=s-rain" in edited
    )
    assert "Dry the rain sensor well." in edited and "edited by ann" in words_of(edited)


def test_evidence_is_marked_to_the_code_point(client: TestClient) -> None:
    for solution, (_, _, document, quotes, _, _) in hand_made_kb.SOLUTIONS.items():
        text = hand_made_kb.DOCUMENTS[document][1]
        spans = [(text.index(q), text.index(q) + len(q)) for q in quotes]
        query = "&".join(f"at={a}-{b}" for a, b in spans)
        tags = read(page(client, f"/documents/{document}?{query}#quote"))
        assert tags.marked == quotes, solution
        assert tags.quote == quotes[0]
    emoji = "Wipe the two contacts"  # behind a character outside the basic plane
    start = hand_made_kb.DOCUMENTS["charging.md"][1].index(emoji)
    assert read(page(client, f"/documents/charging.md?at={start}-{start + len(emoji)}")).marked == [emoji]


@pytest.mark.slow
def test_one_place_is_the_main_one_and_the_way_back_stays(client: TestClient) -> None:
    text = hand_made_kb.DOCUMENTS["app/pairing.md"][1]
    first, second = (text.index(said) for said in ("Turn on Location", "Allow Bluetooth"))
    shown = page(client, f"/documents/app/pairing.md?at={second}-{second + 15}&at={first}-{first + 16}")
    tags = read(shown)
    assert tags.quote == "Allow Bluetooth" and tags.marked == ["Turn on Location", "Allow Bluetooth"]
    marks = [attributes.get("class", "") for tag, attributes in tags.found if tag == "mark"]
    assert [("main" in (one or "").split()) for one in marks] == [False, True]
    way = words_of(shown.split('class="path staying"')[1].split("</nav>")[0])
    assert way.endswith("Knowledge / Documents / Pair the robot with the app")
    assert '<h1 dir="auto" class="unseen">' in shown, "the text begins with the title"


def test_a_document_says_for_what_it_is_cited_and_why_something_is_kept_back(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    key = kb.keys.create("reader").key
    kb.keys.create("agent")
    with client_of(hand_made.folder) as client:
        reader = words_of(page(client, "/documents/blades.md", authorization=f"Bearer {key}"))
        assert "Cited by 2 solutions" in reader and "It sends the customer" not in reader
        assert "For The Hopper's blades do not cut cleanly" in reader
    with client_of(hand_made.folder) as client:
        key = kb.keys.create("agent").key
        agent = words_of(page(client, "/documents/blades.md", authorization=f"Bearer {key}"))
        assert "Cited by 3 solutions" in agent and "It sends the customer to support." in agent
        found = words_of(page(client, "/knowledge?q=badger&kind=solution", authorization=f"Bearer {key}"))
        assert "It sends the customer to support." in found


def test_a_source_is_quoted_where_it_has_other_words_than_the_step(client: TestClient, hand_made: Workspace) -> None:
    SupportKB(hand_made).curation.edit("s-hopper", "Turn them\n1. Loosen the screws.", author="ann")
    quote = hand_made_kb.SOLUTIONS["s-hopper"][3][0]
    assert words_of(page(client, "/solutions/s-hopper")).count(quote) == 1
    quote = hand_made_kb.SOLUTIONS["s-ios"][3][0]
    same = page(client, "/solutions/s-ios")
    assert words_of(same).count(quote) == 1 and "other words" not in same and "at=" in same
    assert says_as("1. Open it.", "Open **it**") and says_as("- Open it", "Open it")
    assert not says_as("Open it twice", "Open it") and not says_as("", "Open") and not says_as("2 Wait", "")


def test_steps_bear_the_numbers_of_the_manual(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = hand_made_kb.lines()
    text = hand_made_kb.DOCUMENTS["app/pairing.md"][1]
    quotes = ["On an iPad, turn the tablet upright before you tap Join."]
    quotes += [f"{n}. {step}" for n, step in enumerate(hand_made_kb.SOLUTIONS["s-ios"][3], 1)]
    places = [(text.index(quote), quote) for quote in quotes]
    solution = next(line for line in lines if line["id"] == "s-ios")
    solution["steps"] = [quotes[0], *solution["steps"]]
    solution["evidence"] = [
        {"document": "app/pairing.md", "start": start, "end": start + len(quote), "quote": quote}
        for start, quote in places
    ]
    folder = tmp_path / "kb"
    import_file(create_workspace(folder, "name: n\n"), hand_made_kb.write(tmp_path / "n.jsonl", lines))
    with client_of(folder) as client:
        shown = [one for tag, one in read(page(client, "/solutions/s-ios")).found if tag == "li"]
    assert [(one.get("value"), one.get("class")) for one in shown if "value" in one or "class" in one] == [
        (None, "unnumbered"),
        ("1", None),
        ("2", None),
    ]
    assert main(["show", str(folder), "pair-ios"]) == 0
    printed = capsys.readouterr().out
    assert "1. Allow Bluetooth" in printed and "2. Hold the iPhone" in printed and ". On an iPad" not in printed


def test_a_rule_is_named_by_its_sentence_where_a_reason_names_it_and_a_word_like_it_stays() -> None:
    sentences = {"clean": "Clean \\1 nothing.", "no-clean": "Never clean."}
    assert quote_rules("It breaks no-clean, clean.", sentences) == "It breaks “Never clean”, “Clean \\1 nothing”."
    assert quote_rules("no-clean: Step 2 says “clean it”", sentences) == "“Never clean”: Step 2 says “clean it”"


def test_places_that_are_none_are_passed_over(client: TestClient) -> None:
    for at in ("x", "5-2", "3-3", "-1-5", "1-99999999", "9" * 30 + "-1", "1-2-3", ""):
        assert read(page(client, f"/documents/rain.md?at={at}")).marked == []
    assert "Nothing" not in page(client, "/documents/rain.md?page=99")
    assert client.get("/documents/no.md").status_code == 404


def test_what_describes_a_document_is_on_its_page_in_its_json_and_in_the_export(tmp_path: Path) -> None:
    sources = tmp_path / "docs"
    sources.mkdir()
    (sources / "a.md").write_text(
        '+++\ntitle = "Pair it"\ndescription = "For <phones>."\ntags = ["Bluetooth", "phone"]\n+++\n\nHold the key.\n',
        "utf-8",
    )
    (sources / "b.md").write_text("---\ntitle: Plain\n---\n\nPush the key.\n", "utf-8")
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    kb.add(sources)
    kb.build()
    kb.export(tmp_path / "kb.jsonl")
    lines = map(json.loads, (tmp_path / "kb.jsonl").read_text("utf-8").splitlines())
    exported = {line["id"]: line for line in lines if line["kind"] == "document"}
    assert (exported["a.md"]["description"], exported["a.md"]["tags"]) == ("For <phones>.", ["Bluetooth", "phone"])
    assert {"description", "tags"}.isdisjoint(exported["b.md"])
    again = tmp_path / "again"
    SupportKB.create(again, "headphones").import_(tmp_path / "kb.jsonl")
    for folder in (tmp_path / "kb", again):
        with client_of(folder) as client:
            assert "For <phones>. Bluetooth phone" in words_of(page(client, "/documents/a.md"))
            assert client.get("/v1/documents/a.md").json()["tags"] == ["Bluetooth", "phone"]
            assert client.get("/v1/documents/b.md").json()["description"] == ""
    SupportKB.open(again).export(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "kb.jsonl").read_bytes()


def test_a_long_document_opens_at_the_place(hand_made: Workspace) -> None:
    text = "".join(f"Sentence {n} of a **long** manual.\n" for n in range(900))
    folder = hand_made.folder.parent / "long"
    lines = [{"kind": "document", "id": "long.md", "title": "Long", "text": text}]
    import_file(create_workspace(folder, "name: l\n"), hand_made_kb.write(folder.parent / "l.jsonl", lines))
    wanted = "Sentence 721 of a **long** manual."
    with client_of(folder) as client:
        start = text.index(wanted)
        shown = page(client, f"/documents/long.md?at={start}-{start + len(wanted)}")
        assert "".join(read(shown).marked) == wanted and "Sentence 1 of" not in shown
        assert len(shown) < 100_000 and "Page 2 of 2" in shown
        first = words_of(page(client, "/documents/long.md"))
        assert "Sentence 1 of" in first and "Sentence 721 of" not in first


def _hostile_lines() -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    for line in hand_made_kb.lines():
        if line["kind"] == "document":
            hostile = "\n\n".join(HOSTILE)
            line |= {"title": HOSTILE[0], "url": "javascript:alert(6)", "text": f"{line['text']}\n{hostile}\n"}
        elif line["kind"] in ("issue", "raw_issue"):
            line |= {"text": f"{line['text']} {' '.join(HOSTILE)}"}
        elif line["kind"] == "theme":
            line |= {"name": HOSTILE[1]}
        elif line["kind"] == "solution":
            line |= {"text": f"{HOSTILE[0]}\n{line['text']}", "reason": HOSTILE[1]}
        lines.append(line)
    return lines


def test_no_text_of_a_document_or_a_customer_runs(hand_made: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "hostile"
    import_file(create_workspace(folder, "name: h\n"), hand_made_kb.write(tmp_path / "h.jsonl", _hostile_lines()))
    records = [
        small_tickets.record("X-1", HOSTILE[0], "\n".join(HOSTILE), links={HOSTILE[1]: "X-2"}, comments=[HOSTILE[3]]),
        small_tickets.record("X-2", HOSTILE[3], HOSTILE[2]),
    ]
    (tmp_path / "t.json").write_text(json.dumps(records), encoding="utf-8")
    kb = SupportKB(open_workspace(folder))
    kb.add([tmp_path / "t.json"], "tickets")
    kb.tickets.build()
    paths = [
        "/knowledge",
        "/knowledge?q=script",
        "/knowledge?q=alert+onerror",
        "/documents",
        "/documents/rain.md?at=0-90",
    ]
    paths += ["/issues/pair", "/issues/blades", "/solutions/s-ios", "/solutions/s-support", "/tickets", "/tickets/X-1"]
    paths += ["/tickets/X-1?similar=1", "/knowledge?q=%3Cscript%3E&theme=%22%3E%3Cscript%3E", "/tickets?q=%22%3E%3Cimg"]
    with client_of(folder) as client:
        for path in paths:
            text = page(client, path)
            assert "\u202e" not in text and "\u2066" not in text, path
            for tag, attributes in read(text).found:
                assert tag not in ("img", "iframe", "object", "embed", "style", "base"), (path, tag)
                assert tag != "script" or (attributes.get("src") or "").startswith("/static/"), (path, attributes)
                assert not any(name.startswith("on") or name == "style" for name in attributes), (path, attributes)
                for name in ("href", "src", "action", "hx-get"):
                    target = attributes.get(name)
                    assert target is None or target.startswith(("/", "?", "#")), (path, name, target)


def test_a_ticket_shows_its_links_as_a_picture_and_as_a_list(hand_made: Workspace, tmp_path: Path) -> None:
    kb = SupportKB(hand_made)
    kb.add([small_tickets.write(tmp_path / "tickets.json")], "tickets")
    kb.tickets.build()
    with client_of(hand_made.folder) as client:
        text = page(client, "/tickets/APP-1")
        picture = text[text.index("<svg") : text.index("</svg>")]
        listed = text[text.index("</svg>") :]
        for part in (picture, listed):
            assert 'href="/tickets/APP-2"' in part and "OLD-9" in part and 'href="/tickets/OLD-9"' not in part
        assert "Steps to reproduce" in text and '<dd dir="auto">Closed</dd>' in text
        similar = client.get("/tickets/APP-1?similar=1", headers=PARTS).text
        assert similar.lstrip().startswith('<section id="similar"') and 'href="/tickets/APP-2"' in similar
        assert "8 tickets" in words_of(page(client, "/tickets")) and "APP-1" in page(client, "/tickets?q=camera+clo")
        assert 'href="/tickets/APP-1"' in page(client, "/knowledge?q=camera")
        page(client, "/tickets/none", 404)
        page(client, "/tickets/none?similar=1", 404)


@pytest.mark.with_plugins
def test_every_page_is_light_and_has_labels(client: TestClient) -> None:
    for path in (
        "/knowledge",
        "/knowledge?q=pair",
        "/issues/pair",
        "/solutions/s-ios",
        "/documents",
        "/documents/blades.md",
        "/tickets",
    ):
        text = page(client, path)
        tags = read(text)
        assets = {a for tag, attributes in tags.found for a in (attributes.get("src"), attributes.get("href")) if a}
        weight = len(text.encode()) + sum(len(client.get(a).content) for a in assets if a.startswith("/static/"))
        assert weight < 150_000, (path, weight)
        labelled = {attributes["for"] for tag, attributes in tags.found if tag == "label" and "for" in attributes}
        fields = [
            a for tag, a in tags.found if tag in ("select", "input") and a.get("type") not in ("hidden", "checkbox")
        ]
        assert all(field.get("id") in labelled for field in fields), path
        assert [tag for tag, _ in tags.found].count("h1") == 1, path


def test_no_step_stands_in_the_place_of_a_heading(client: TestClient, hand_made: Workspace, tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("1. Wipe the grey contacts.\n2. Press the switch.", encoding="utf-8")
    kb = SupportKB(hand_made)
    before = kb.views.known_solution("s-contacts")[0]
    own = kb.curation.write(before.issue_id, tmp_path / "own.md").id
    kb.curation.edit("s-contacts", "1. Wipe the blue contacts.\n2. Wait a minute.")
    for solution, heading, step in (
        (own, "Written by hand", "Wipe the grey contacts."),
        ("s-contacts", before.heading, "Wipe the blue contacts."),
    ):
        shown = page(client, f"/solutions/{solution}")
        assert f'<h1 dir="auto">{heading}</h1>' in shown
        assert words_of(shown[shown.index("<h1") :]).count(step) == 1
        assert f"<title>{step} - autokb</title>" in shown
        assert f'href="/solutions/{solution}">{heading}</a>' in page(client, f"/issues/{before.issue_id}")
