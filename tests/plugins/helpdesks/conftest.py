"""A helpdesk on loopback, and a knowledge base whose settings name it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benchmarks.desk_server import ENVIRONMENT, DeskServer

from autokb.stores.workspace import Workspace, open_workspace


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[DeskServer]:
    """The helpdesks, each with its secret and its token in the environment."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    with DeskServer() as server:
        yield server


@pytest.fixture
def workspace(hand_made: Workspace, desk: DeskServer) -> Workspace:
    """The hand-made knowledge base, connected to the helpdesks."""
    (hand_made.folder / "settings.yaml").write_text(desk.settings(), encoding="utf-8")
    return open_workspace(hand_made.folder)
