"""A folder that the test itself cannot write to, also where tests run as root."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534  # the user without rights of Linux and macOS


@contextmanager
def unwritable_copy(folder: Path, *, without: str = "") -> Iterator[Path]:
    """Give a copy of a folder, but for one file, in which nothing can be written as long as the block lasts."""
    with tempfile.TemporaryDirectory() as around:
        copy = Path(around) / folder.name
        shutil.copytree(folder, copy, ignore=lambda _folder, _names: {without})
        for path in copy.rglob("*"):
            path.chmod(0o555 if path.is_dir() else 0o444)
        Path(around).chmod(0o755)
        copy.chmod(0o555)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(NOBODY)
        try:
            yield copy
        finally:
            if is_root:
                os.seteuid(0)
            copy.chmod(0o755)
