"""The chunkers by name: every name has a chunker, and names cost nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import CHUNKERS, chunk_page
from autokb.chunking.methods import METHODS, SEMANTIC
from autokb.core.errors import BadInputError
from autokb.core.nouns import Document


def test_every_name_has_a_chunker_and_semantic_says_what_it_needs() -> None:
    assert set(METHODS) == {*CHUNKERS, SEMANTIC}
    with pytest.raises(BadInputError, match="give chunk_page an embedder"):
        chunk_page(MarkedPage(Document("d", "T", "One. Two.")), SEMANTIC, 100)


@pytest.mark.parametrize("module", ["autokb.chunking.methods", "autokb.pipeline.open_index"])
def test_names_and_questions_load_no_chunker(module: str) -> None:
    code = f"import sys, {module}; print(*(m for m in sys.modules if m.startswith('autokb.chunking.')))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert found
    assert not [name for name in found if ".auto." in name or ".baselines." in name or name.endswith(".chunkers")]
