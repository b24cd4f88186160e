"""The Python of the documentation runs as it stands, block after block, beside a built workspace ``kb``.

docs/notebooks.md is run by a kernel of Jupyter (notebook/test_in_a_notebook.py).
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from textwrap import dedent

import pytest

from served_workspace import served

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n((?s:.*?))^```$|^( {4}from \w.*\n(?: {4}.*\n|\n(?= {4}))+)", re.MULTILINE)
SERVER = "http://localhost:8000"  # where the documents have a server


def run(page: str, url: str = "") -> None:
    """Run the blocks of a page in one namespace."""
    blocks = [fence or dedent(plain) for fence, plain in BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))]
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
        run("docs/retrievers.md", url)
    assert capsys.readouterr().out.count("pairing.html") == 6  # three retrievers, two of their three sections each


def test_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    run("README.md")
    assert capsys.readouterr().out.startswith("answered [")


def test_the_life_of_a_question(kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kb.rename("demo-workspace")
    run("docs/life-of-a-question.md")
    assert "Lumo Buds: one earbud is silent" in capsys.readouterr().out.splitlines()[1]
