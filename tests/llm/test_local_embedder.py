"""An encoder from a folder: named by its weights, never downloaded, and clear about what is missing."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autokb.core.errors import BadInputError
from autokb.llm.embedders.local import LocalEmbedder, checked_folder, folder_hash
from tiny_encoder import save_tiny_encoder

INSTALLED = find_spec("sentence_transformers") is not None
needs_library = pytest.mark.skipif(not INSTALLED, reason="sentence-transformers is not installed")


def a_folder(at: Path, **files: str) -> Path:
    """A folder with files; a double underscore is a slash."""
    for name, text in files.items():
        path = at / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return at


def test_the_hash_is_that_of_the_files_wherever_they_lie(tmp_path: Path) -> None:
    one = a_folder(tmp_path / "one", model="weights", pooling__config="{}")
    shutil.copytree(one, tmp_path / "two")
    assert folder_hash(one) == folder_hash(tmp_path / "two")


def test_notes_and_hidden_files_do_not_count(tmp_path: Path) -> None:
    folder = a_folder(tmp_path, model="weights")
    before = folder_hash(folder)
    (folder / "README.md").write_text("where it came from", encoding="utf-8")
    (folder / ".cache").mkdir()
    (folder / ".cache" / "x").write_text("y", encoding="utf-8")
    assert folder_hash(folder) == before


@pytest.mark.parametrize(
    "files",
    [{"model": "other"}, {"renamed": "weights"}, {"model": "weights", "more": ""}, {"sub__model": "weights"}],
)
def test_other_files_are_another_hash(tmp_path: Path, files: dict[str, str]) -> None:
    one, two = a_folder(tmp_path / "one", model="weights"), a_folder(tmp_path / "two", **files)
    assert folder_hash(one) != folder_hash(two)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"the embedder's folder .*nowhere is not there"):
        checked_folder(tmp_path / "nowhere")


@pytest.mark.skipif(INSTALLED, reason="sentence-transformers is installed")
def test_a_missing_package_names_the_extra(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"pip install 'autokb\[local\]'"):
        checked_folder(tmp_path)


@needs_library
def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    embedder = LocalEmbedder(a_folder(tmp_path, notes="no model"))
    with pytest.raises(BadInputError, match="cannot be loaded"):
        embedder.embed(["x"])


@needs_library
def test_other_weights_have_another_name_and_other_vectors(tmp_path: Path) -> None:
    one, other = LocalEmbedder(save_tiny_encoder(tmp_path / "a")), LocalEmbedder(save_tiny_encoder(tmp_path / "b", 1))
    assert one.name != other.name
    assert not np.array_equal(one.embed(["x"]), other.embed(["x"]))
    assert os.environ["HF_HUB_OFFLINE"] == "1"


@needs_library
def test_the_same_weights_elsewhere_have_the_same_name_and_bits(tmp_path: Path) -> None:
    one = LocalEmbedder(save_tiny_encoder(tmp_path / "a"))
    shutil.move(tmp_path / "a", tmp_path / "moved")
    moved = LocalEmbedder(tmp_path / "moved")
    assert moved.name == one.name
    shutil.copytree(tmp_path / "moved", tmp_path / "a")
    assert np.array_equal(one.embed(["one two", "three"]), moved.embed(["one two", "three"]))
