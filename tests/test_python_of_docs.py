"""The Python of the documentation runs as it stands, block after block, beside a built workspace ``kb``."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from served_workspace import served

DOCS = Path(__file__).resolve().parents[1] / "docs"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SERVER = "http://localhost:8000"  # where the documents have a server


def run(page: str, url: str = "") -> None:
    """Run the blocks of a page in one namespace."""
    blocks = FENCE.findall((DOCS / page).read_text(encoding="utf-8"))
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block.replace(SERVER, url), page, "exec"), names)


@pytest.fixture
def kb(_built_headphones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    return Path(shutil.copytree(_built_headphones, tmp_path / "kb"))


def test_the_retrievers(kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for library in ("langchain_core", "llama_index.core", "haystack"):
        pytest.importorskip(library, reason=f"the extra for {library} is not installed")
    with served(kb) as url:
        run("retrievers.md", url)
    assert capsys.readouterr().out.count("pairing.html") == 6  # three retrievers, two of their three sections each
