"""The core without findings and trends, and pages of other plug-ins where theirs stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import installed_plugins
from autokb.app import SupportKB
from autokb.core import plugins as found_plugins
from autokb.core.plugins import PluginError, plugins
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app

BROWSER = {"accept": "text/html", "sec-fetch-site": "same-origin"}
PINS = """
from autokb.plugin import Page, Plugin, Route

plugin = Plugin(
    "pins",
    pages=(Page("/pins", "pins_code:page", "editor", menu="Pinned", on="/review"),),
    routes=(
        Route("/v1/pins", "pins_code:pins", "reader", answer="pins_code:Pins"),
        Route("/v1/pins/typed", "pins_code:typed", "reader"),
    ),
)
"""
CODE = """
from dataclasses import dataclass
from fastapi import Request
from starlette.responses import JSONResponse, Response

@dataclass
class Pins:
    pinned: int

async def page(request: Request) -> Response:
    return Response("pinned")

async def pins(request: Request) -> Response:
    return JSONResponse({"pinned": 1})

async def typed() -> Pins:
    return Pins(2)
"""


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No plug-in, not even one of ours."""
    monkeypatch.setattr(found_plugins, "BUILT_IN", ())
    with installed_plugins.on_path(tmp_path):
        yield


def served(workspace: Workspace) -> TestClient:
    app = create_app(workspace.folder)
    return TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000), headers=BROWSER)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    "asked",
    [
        lambda kb: kb.curation.stale(),
        lambda kb: kb.curation.settle_finding("finding-1"),
        lambda kb: kb.curation.judge_contradictions(),
        lambda kb: kb.usage.trends(),
        lambda kb: kb.usage.digest("2026-03-02"),
    ],
)
def test_what_is_asked_of_the_missing_plugin_is_a_sentence(
    hand_made: Workspace, asked: Callable[[SupportKB], object]
) -> None:
    with pytest.raises(PluginError, match="The plug-in insight is not installed"):
        asked(SupportKB(hand_made))


@pytest.mark.usefixtures("alone")
def test_the_service_has_neither_its_paths_nor_links_to_them(hand_made: Workspace) -> None:
    with served(hand_made) as client:
        for path in ("/stale", "/trends", "/v1/stale", "/v1/trends", "/v1/digest?since=2026-03-02"):
            assert client.get(path).status_code == 404, path
        review, in_use = client.get("/review"), client.get("/in-use")
        assert (review.status_code, in_use.status_code) == (200, 200)
        assert "Needs attention" not in review.text and "/stale" not in review.text
        assert "Trends" not in in_use.text and "Unanswered or not helpful" in in_use.text
        assert client.post("/v1/ask", json={"text": "the battery does not charge"}).status_code == 200


def test_its_links_stand_where_it_says_and_beside_them_those_of_others(hand_made: Workspace, tmp_path: Path) -> None:
    place = tmp_path / "installed"
    installed_plugins.write(place, "pins", {"pins_plugin.py": PINS, "pins_code.py": CODE})
    with installed_plugins.on_path(place), served(hand_made) as client:
        assert plugins().problems == ()
        review, in_use = client.get("/review").text, client.get("/in-use").text
        assert (
            ' <a href="/checks">Checks</a> <a href="/stale">Needs attention</a> <a href="/pins">Pinned</a></div>'
            in review
        )
        assert '<a class="button" href="/trends">Trends</a> <a class="button" href="/in-use/gaps">' in in_use
        assert "Pinned" not in in_use and review.count("Pinned") == 1  # in no menu
        said = client.get("/openapi.json").json()
        for path, pinned in (("/v1/pins", 1), ("/v1/pins/typed", 2)):
            given = said["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            assert said["components"]["schemas"][given["$ref"].rpartition("/")[2]]["required"] == ["pinned"]
            assert client.get(path).json() == {"pinned": pinned}
