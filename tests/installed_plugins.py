"""Plug-ins as an installer leaves them: a module and the folder of its distribution, on the path for one test."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from autokb.core.plugins import plugins
from autokb.sources import subprocess_converter


def write(place: Path, name: str, files: Mapping[str, str], *, package: str = "", version: str = "1.0") -> None:
    """Write the files of a plug-in, whose module ``NAME_plugin`` declares it, and what an installer notes of it."""
    for file, text in files.items():
        path = place / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    noted = place / f"{(package or f'{name}-plugin').replace('-', '_')}-{version}.dist-info"
    noted.mkdir(parents=True)
    (noted / "entry_points.txt").write_text(
        f"[console_scripts]\nother = other:main\n\n[autokb.plugins]\n{name} = {name}_plugin:plugin\n", encoding="utf-8"
    )


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run autokb in a process of its own, which finds what is installed there."""
    path = os.pathsep.join([str(place), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-m", "autokb", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)


@contextmanager
def on_path(place: Path) -> Iterator[None]:
    """Find what is installed there for the length of a block, and forget it with all that was imported from there."""
    sys.path.insert(0, str(place))
    _forget(place)
    try:
        yield
    finally:
        sys.path.remove(str(place))
        _forget(place)


def _forget(place: Path) -> None:
    plugins.cache_clear()
    subprocess_converter._converter.end()  # which has imported what was there when it was started
    importlib.invalidate_caches()
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(place)):
            del sys.modules[name]
