"""What a command loads, counted; and that no two modules import each other, wherever the import stands."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import autokb
from autokb.stores.workspace import Workspace

SOURCES = Path(autokb.__file__).parent
COUNT = (
    "import sys; from autokb.cli import main; main(sys.argv[1:]); "
    "print(sum(name.partition('.')[0] == 'autokb' for name in sys.modules), file=sys.stderr)"
)


@pytest.mark.parametrize(("words", "most"), [("--help", 60), ("show", 90), ("keys list", 80)])
def test_a_command_loads_what_it_needs(hand_made: Workspace, words: str, most: int) -> None:
    place = [] if words == "--help" else [str(hand_made.folder)]
    done = subprocess.run(
        [sys.executable, "-c", COUNT, *words.split(), *place], capture_output=True, text=True, check=False, timeout=60
    )
    assert 20 < int(done.stderr.splitlines()[-1]) < most, done.stderr


def test_no_modules_import_each_other() -> None:
    """An import in a function or for types alone counts: it says who knows whom all the same."""
    files = {name_of(file): file for file in sorted(SOURCES.rglob("*.py"))}
    assert len(files) > 500
    imports = {name: set(imported_by(file, files)) for name, file in files.items()}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(f"in a circle: {' <- '.join(error.args[1])}")


def name_of(file: Path) -> str:
    return ".".join(file.relative_to(SOURCES.parent).with_suffix("").parts).removesuffix(".__init__")


def imported_by(file: Path, files: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (one if (one := f"{node.module}.{name.name}") in files else node.module for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
