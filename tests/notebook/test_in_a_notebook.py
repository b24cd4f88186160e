"""A real kernel of Jupyter runs docs/notebooks.md: its cells show results and one line of progress."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")
pytest.importorskip("pandas", reason="the extra pandas is not installed")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "notebooks.md"
# Words of each piece, in the order of the page: build, plan, answer, suggestions twice, list, issue, evaluation.
SAID = ["solutions", "documents", "answered", "answered", "answered", "parent_id", "customers", "q_m"]
SECONDS = 120  # that a cell may take before it is given up
pytestmark = pytest.mark.slow  # it starts a kernel, which builds


def run_page(folder: Path) -> list[list[Any]]:
    """Return the outputs of each block of the page, run as a cell."""
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(block) for block in blocks])
    nbclient.NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(folder)}}).execute()
    return [cell.outputs for cell in notebook.cells]


def test_the_page_runs_and_shows_what_it_says(tmp_path: Path) -> None:
    built, opened, *others, quality, statuses, documents, again = run_page(tmp_path)
    progress, report = built
    assert opened == []
    assert (progress.output_type, report.output_type) == ("display_data", "execute_result")
    assert re.fullmatch(r".+: ([\d,]+) of \1", progress.data["text/plain"])
    assert '<progress max="100" value="100">' in progress.data["text/html"]
    shown = [outputs[-1].data["text/html"] for outputs in (built, *others, quality)]
    assert all(one.startswith('<div class="autokb">') for one in shown)
    for one, said in zip(shown, SAID, strict=True):
        assert said in one
    assert "displayed" in statuses[0].data["text/plain"] and "<table" in documents[0].data["text/html"]
    assert {one.output_type for one in again} == {"stream", "execute_result"}
