"""The Python of the documentation runs as it stands, block after block, beside a built workspace ``kb``.

docs/notebooks.md is run by a kernel of Jupyter (notebook/test_in_a_notebook.py).
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import httpx2
import pytest

from autokb.app import SupportKB
from served_process import served as serving
from served_workspace import served

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n((?s:.*?))^```$|^( {4}from \w.*\n(?: {4}.*\n|\n(?= {4}))+)", re.MULTILINE)
# Where the documents have a server, the command and a workspace.
SERVER, PROGRAM, WORKSPACE = "http://localhost:8000", "/path/to/autokb/.venv/bin/autokb", "/path/to/kb"


def run(page: str, url: str = "") -> dict[str, object]:
    """Run the blocks of a page in one namespace, and return it."""
    blocks = [fence or dedent(plain) for fence, plain in BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))]
    assert blocks
    names: dict[str, object] = {}
    here = {SERVER: url, PROGRAM: str(Path(sys.executable).with_name("autokb")), WORKSPACE: str(Path("kb").absolute())}
    for block in blocks:
        exec(compile(re.sub("|".join(here), lambda found: here[found[0]], block), page, "exec"), names)
    return names


@pytest.fixture
def kb(_built_headphones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    return Path(shutil.copytree(_built_headphones, tmp_path / "kb"))


def test_the_retrievers(kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for library in ("langchain_core", "llama_index.core", "haystack"):
        pytest.importorskip(library, reason=f"the extra for {library} is not installed")
    with served(kb) as url:
        names = run("docs/retrievers.md", url)
        meta: Any = names["meta"]
        text = httpx2.get(f"{url}/v1/documents/{meta['source']}").json()["text"]
    assert names["quotes"] == [text[start:end] for start, end in meta["places"]] != []
    assert capsys.readouterr().out.count("pairing.html") == 6  # three retrievers, two of their three sections each


@pytest.mark.slow
def test_the_client_of_the_protocol(kb: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    names: Any = run("docs/mcp.md")
    assert ".html\n" in capfd.readouterr().out
    key = SupportKB.open(kb).keys.create("reader").key
    with serving(kb, "--http", command="mcp") as (_process, said):
        asyncio.run(names["over_http"](said["url"], key))
    assert "'ask'" in capfd.readouterr().out


@pytest.mark.slow
def test_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    run("README.md")
    assert capsys.readouterr().out.startswith("answered [")


def test_the_life_of_a_question(kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kb.rename("demo-workspace")
    run("docs/life-of-a-question.md")
    assert "Lumo Buds: one earbud is silent" in capsys.readouterr().out.splitlines()[1]


@pytest.mark.slow  # it runs the tests of a copy
def test_the_recipe_for_a_task(tmp_path: Path) -> None:
    for name in ("src", "tests", "benchmarks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "results"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    recipe = (ROOT / "docs" / "adding-a-task.md").read_text(encoding="utf-8")
    engine, task, prompt, examples, sample = map(
        dedent, re.findall(r"^   ```\w*\n((?s:.*?))^   ```$", recipe, re.MULTILINE)
    )
    (words,) = re.findall(r"`(urgent_words:[^`]+)`", recipe)
    package, folder = tmp_path / "src" / "autokb", tmp_path / "src" / "autokb" / "tasks" / "issues" / "rate_priority"
    folder.mkdir()
    for file, text in (
        (package / "heuristics" / "priority.py", engine),
        (package / "text" / "lexicons" / "en" / "heuristics" / "priority.yaml", " ".join(words.split())),
        (folder / "__init__.py", '"""How urgent is this issue?"""'),
        (folder / "task.py", task),
        (folder / "prompt.md", prompt),
        (folder / "examples.yaml", examples),
    ):
        file.write_text(text, encoding="utf-8")
    samples = tmp_path / "tests" / "tasks" / "contracts" / "samples.py"
    before, named, after = samples.read_text(encoding="utf-8").partition(
        "SAMPLES: Mapping[str, Callable[[], Sample]] = {\n"
    )
    samples.write_text(
        f'{before}{sample}\n\n{named}    "issues/rate_priority": rate_priority,\n{after}', encoding="utf-8"
    )
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(str(tmp_path / name) for name in ("src", "tests", ""))}
    command = [sys.executable, "-m", "pytest", "-n", "0", "-k", "rate_priority", "tests/tasks/contracts"]
    for more in ({"AUTOKB_REWRITE_GOLDEN": "1"}, {}):
        ran = subprocess.run(command, cwd=tmp_path, env=here | more, capture_output=True, text=True)
        assert ran.returncode == 0 and " passed" in ran.stdout, ran.stdout
    assert (tmp_path / "tests" / "tasks" / "golden" / "issues_rate_priority.txt").exists()
