"""Which way of clustering a workspace's settings choose."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.settings import read_settings
from autokb.issues import seeds


@pytest.mark.parametrize("reduce", ["pca", "umap", "none"])
def test_a_first_build_clusters_as_the_settings_say(
    _built_headphones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reduce: str
) -> None:
    folder = tmp_path / "kb"
    shutil.copytree(_built_headphones, folder)
    (folder / "settings.yaml").write_text(f"clustering: {{reduce: {reduce}}}\n", encoding="utf-8")
    asked: set[str] = set()

    def recorded(rows: object, method: str) -> object:
        asked.add(method)
        raise BadInputError(method)

    monkeypatch.setattr(seeds, "reduced", recorded)
    kb = SupportKB.open(folder)
    with pytest.raises(BadInputError, match=reduce):
        kb.build(rethink=True)
    assert asked == {reduce}


def test_another_way_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadInputError, match="clustering: reduce must be pca, umap or none, not 'tsne'"):
        read_settings({"clustering": {"reduce": "tsne"}})
    with pytest.raises(BadInputError, match="clustering takes reduce alone, not 'method'"):
        read_settings({"clustering": {"method": "umap"}})
