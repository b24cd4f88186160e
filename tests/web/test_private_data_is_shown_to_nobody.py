"""What customers wrote of themselves stands on no page, path and export that others than their own support read."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from test_service_access import load_drawing

import small_tickets
from autokb.app import SupportKB
from autokb.core.roles import ROLES, Role
from autokb.stores.workspace import open_workspace
from autokb.web.app import create_app

# What must not be read, by what it is.
PLANTED: Mapping[str, str] = {
    "address": "maria.muster@kunde.example",
    "telephone": "+49 170 1234567",
    "account": "DE89 3704 0044 0532 0130 00",
    "card": "4111 1111 1111 1111",
    "order": "LX-4711-22",
    "name": "Muster",
    "greeted": "Wagenknecht",
    "signed": "Kowalski",
}
MAIL = f"""Hi Mrs. {PLANTED["greeted"]},
the robot will not pair with the app. My name is Maria {PLANTED["name"]}, order number {PLANTED["order"]}.
I pay from {PLANTED["account"]} or with {PLANTED["card"]}. Call me at {PLANTED["telephone"]}.

Kind regards
Piotr {PLANTED["signed"]}

On Mon, 3 Nov 2025 at 10:02, Support <{PLANTED["address"]}> wrote:
> Hello, Mr {PLANTED["name"]}, hold the robot close.
"""
TITLES = (
    f"The rain sensor mails {PLANTED['address']} and stops the robot",
    f"The dock does not charge, order {PLANTED['order']}",
    f"The left wheel squeaks on slopes, call {PLANTED['telephone']}",
    f"The robot stops in the rain, says Mr {PLANTED['name']}",
)
INSIDE = {"/v1/tickets", "/v1/tickets/{ticket}", "/v1/feedback"}  # whole, for agents and above


@pytest.fixture(scope="module")
def kb(_imported: Path, tmp_path_factory: pytest.TempPathFactory) -> SupportKB:
    """A knowledge base built of issues and tickets with private data in all of them."""
    tmp_path = tmp_path_factory.mktemp("private")
    shutil.copytree(_imported, tmp_path / "kb")
    kb = SupportKB(open_workspace(tmp_path / "kb"))
    lines = [{"id": "mail", "text": MAIL}, *({"id": f"t{n}", "title": t, "text": t} for n, t in enumerate(TITLES))]
    issues = tmp_path / "issues.jsonl"
    issues.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    kb.add([issues], "issues")
    ticket = small_tickets.record("T-1", TITLES[0], MAIL, comments=[MAIL], links={"Relates": "T-2"})
    kb.add(
        [small_tickets.write(tmp_path / "tickets.json", [ticket, small_tickets.record("T-2", TITLES[1])])], "tickets"
    )
    kb.build()
    kb.tickets.build()
    return kb


def leaks(text: str) -> list[str]:
    """Return what of the planted data a text has, in whatever spacing and spelling of signs."""
    plain = re.sub(r"&#\w+;|\\|\s", "", text)
    return [what for what, value in PLANTED.items() if value.replace(" ", "") in plain]


@pytest.mark.slow
def test_no_role_reads_private_data_of_customers_where_it_is_not_meant_to(kb: SupportKB) -> None:
    def key(role: Role) -> dict[str, str]:
        return {"authorization": f"Bearer {kb.keys.create(role).key}"}

    keys = {role: key(role) for role in ROLES}
    # One for each way to look, for a key may send so many requests a minute.
    ways = {way: key(way[0]) for way in product(ROLES, ("application/json", "text/html"), ("", "?q=mail"))}
    app = create_app(kb.workspace.folder)
    client = TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000))
    asked = {"text": f"{MAIL}\nwhy does the moon shine"}
    assert client.post("/v1/ask", json=asked, headers=keys["agent"]).status_code == 200
    judged = {"query": MAIL, "verdict": "helpful", "solution_id": kb.views.solutions(1).items[0].id}
    assert client.post("/v1/feedback", json=judged, headers=keys["agent"]).status_code < 300
    issues = client.get("/v1/issues", params={"limit": 1000}, headers=keys["reader"]).json()["items"]
    assert any("[number]" in one["text"] for one in issues), [one["text"] for one in issues]
    ids = {
        "issue": [one["id"] for one in issues],
        "solution": [one.id for one in kb.views.solutions(1_000).items],
        "document": ["rain.md"],
        "ticket": ["T-1", "T-2"],
    }
    walked = 0
    for (method, path), _ in load_drawing().read_roles(app).items():
        named = re.findall(r"{(\w+)}", path)
        for chosen in product(*(ids.get(name, ["none"]) for name in named)) if method == "GET" else ():
            place = path.format(**dict(zip(named, chosen, strict=True)))
            for (role, accept, query), own in ways.items():
                if path in INSIDE and role != "reader":
                    continue
                shown = client.get(place + query, headers={**own, "accept": accept})
                assert leaks(shown.text) == [] and shown.status_code != 429, (place, role, accept)
                walked += 1
    assert walked > 400
    for role, question in product(ROLES, ("the robot will not pair with the app", "The robot stops in the rain")):
        for path, body in (
            ("/v1/ask", {"text": question}),
            ("/v1/suggest", {"messages": [{"role": "customer", "text": question}]}),
        ):
            answer = client.post(path, json=body, headers=keys[role])
            assert leaks(answer.text) == [] and answer.status_code in (200, 403), (path, role, answer.text[:200])
    app.state.kb.close()


@pytest.mark.slow
def test_exports_for_people_hide_private_data_and_the_whole_export_holds_it(kb: SupportKB, tmp_path: Path) -> None:
    for suffix in ("md", "csv"):
        kb.export(tmp_path / f"kb.{suffix}")
        text = (tmp_path / f"kb.{suffix}").read_text(encoding="utf-8")
        assert "pair" in text and leaks(text) == [], suffix
    kb.export(tmp_path / "kb.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "kb.jsonl").read_text(encoding="utf-8").splitlines()]
    raw = next(one for one in lines if one["kind"] == "raw_issue" and one["id"] == "mail")
    assert raw["text"] == MAIL.strip() and leaks(raw["text"]) == [*PLANTED]
    assert leaks(str(raw["told"])) == [] and "pair with the app" in raw["told"][1]
    assert leaks(str([one for one in lines if one["kind"] in ("issue", "theme", "solution")])) == []
    other = SupportKB.create(tmp_path / "other", "headphones")
    other.import_(tmp_path / "kb.jsonl")
    other.export(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "kb.jsonl").read_bytes()
