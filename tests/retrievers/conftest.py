"""A built knowledge base by its folder and behind a service, whose sections retrievers give."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from served_workspace import served

# Haystack and what it depends on report use to their makers unless told not to; langsmith would trace runs.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["LANGSMITH_TRACING"] = "false"


def pytest_configure(config: pytest.Config) -> None:
    """Know the marks that langchain-tests sets on what is not used here; the plugins they are for are left out."""
    for mark in ("benchmark", "vcr", "asyncio"):
        config.addinivalue_line("markers", f"{mark}: of langchain-tests")


# Who needs a copy takes it of ``_built_headphones``. Reading the files of a workspace that this process has open drops
# SQLite's locks on them (they are POSIX's), and another process then cuts the memory that both have mapped.
@pytest.fixture(scope="package")
def folder(_built_headphones: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(shutil.copytree(_built_headphones, tmp_path_factory.mktemp("retrieved") / "kb"))


@pytest.fixture(scope="package")
def url(folder: str) -> Iterator[str]:
    with served(Path(folder)) as address:
        yield address
