"""What several floors' tests share; its place also lets tests import the modules beside it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import hand_made_kb
import made_once
from autokb.app import SupportKB
from autokb.app.create import create
from autokb.exchange.import_kb import import_file
from autokb.stores.workspace import Workspace, create_workspace, open_workspace

made_once.share()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked ``slow`` (more than some five seconds) unless SLOW=1 asks for it, as CI does."""
    if os.environ.get("SLOW", "") in ("", "0"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: SLOW=1 make test runs it"))


@pytest.fixture(scope="session")
def _imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hand-made") / "kb"
    done = import_file(create_workspace(folder, "name: fresh\n"), hand_made_kb.write(folder.parent / "kb.jsonl"))
    assert done.skipped == ()
    return folder


@pytest.fixture
def hand_made(_imported: Path, tmp_path: Path) -> Workspace:
    """A workspace of one's own with the hand-made knowledge base in it."""
    shutil.copytree(_imported, tmp_path / "kb")
    return open_workspace(tmp_path / "kb")


@pytest.fixture(scope="session")
def _headphones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("headphones") / "kb"
    created = create(folder, "headphones", examples=True)
    assert (created.documents, created.issues) == (18, 203)
    return folder


@pytest.fixture
def headphones(_headphones: Path, tmp_path: Path) -> Workspace:
    """A workspace of one's own to which the examples of the headphones were added; it is not built."""
    shutil.copytree(_headphones, tmp_path / "kb")
    return open_workspace(tmp_path / "kb")


@pytest.fixture(scope="session")
def _built_headphones(_headphones: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built-headphones") / "kb"
    shutil.copytree(_headphones, folder)
    SupportKB.open(folder).build()
    return folder
