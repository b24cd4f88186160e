"""Fixtures of the tests of batches: a workspace's ledger and handles, and where its batch files go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from batch_workspace import OpenLedger, open_ledger


@pytest.fixture
def here(tmp_path: Path) -> Iterator[OpenLedger]:
    with open_ledger(tmp_path) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "batch"
