"""What is published is loaded beside those who ask, whatever else the service has to load."""

from __future__ import annotations

import threading
from pathlib import Path

import httpx2
import pytest

from autokb.app import SupportKB
from autokb.app.snapshot import Snapshot
from autokb.stores.workspace import Workspace, create_workspace
from autokb.web.app import create_app
from served_process import SECONDS, wait_until
from served_workspace import served_app

QUESTION = {"text": "my robot does not charge in the dock"}


def test_an_edit_does_not_wait_for_the_second_encoder(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Event(), threading.Event()
    load = Snapshot.warm_languages

    def load_slowly(held: Snapshot) -> None:
        begun.set()
        assert may_end.wait(SECONDS)
        load(held)

    monkeypatch.setattr(Snapshot, "warm_languages", load_slowly)
    with (
        served_app(create_app(hand_made.folder)) as url,
        httpx2.Client(base_url=url, timeout=SECONDS) as client,
    ):
        try:
            assert begun.wait(SECONDS)
            assert '"s-contacts"' in client.post("/v1/ask", json=QUESTION).text
            SupportKB(hand_made).curation.hide(["s-contacts"])
            wait_until(lambda: '"s-contacts"' not in client.post("/v1/ask", json=QUESTION).text)
            assert not may_end.is_set()
        finally:
            may_end.set()


def test_what_is_published_meanwhile_has_the_second_encoder_too(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = SupportKB(hand_made)
    warmed: list[Snapshot] = []

    def publish_meanwhile(held: Snapshot) -> None:
        if not warmed:
            SupportKB(hand_made).curation.hide(["s-contacts"])
            assert kb.follow()
        warmed.append(held)

    monkeypatch.setattr(Snapshot, "warm_languages", publish_meanwhile)
    assert kb.follow()
    before = kb._memory._snapshot
    kb.warm_languages()
    assert warmed == [before, kb._memory._snapshot] and warmed[0] is not warmed[1]
    kb.close()


@pytest.mark.slow
def test_ready_is_said_while_the_next_publication_is_loaded_beside(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()
    app = create_app(hand_made.folder)
    with served_app(app) as url, httpx2.Client(base_url=url, timeout=SECONDS) as client:
        try:
            assert client.get("/v1/ready").status_code == 200  # the first load is waited for
            wait_until(lambda: not app.state.kb.is_behind)  # from here on builds are followed
            load = Snapshot.open

            def load_slowly(held: Snapshot) -> None:
                begun.set()
                assert may_end.wait(2 * SECONDS)
                load(held)

            monkeypatch.setattr(Snapshot, "open", load_slowly)
            SupportKB(hand_made).curation.approve(["s-rain"])
            assert begun.wait(SECONDS)
            assert [client.get("/v1/ready").status_code for _ in range(60)] == [200] * 60  # more than there are threads
            assert not may_end.is_set()
        finally:
            may_end.set()


def test_ready_is_refused_at_once_while_nothing_is_published(tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path / "kb", "name: empty\n")
    with (
        served_app(create_app(workspace.folder)) as url,
        httpx2.Client(base_url=url, timeout=SECONDS) as client,
    ):
        assert client.get("/v1/ready").status_code == 503
        (tmp_path / "rain.md").write_text("# Rain\n\n1. Dry the robot.\n2. Let it rest.\n", encoding="utf-8")
        editor = SupportKB.open(workspace.folder)
        editor.add([tmp_path / "rain.md"])
        editor.build()
        wait_until(lambda: client.get("/v1/ready").status_code == 200)
