"""What the papers print, read from ``printed.yaml``."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from typing import Any


def printed_tables(paper: str) -> Mapping[str, Any]:
    """Return what a paper prints, table by table: rows of values by their names."""
    import yaml

    text = importlib.resources.files(__package__).joinpath("printed.yaml").read_text("utf-8")
    found: Mapping[str, Any] = yaml.safe_load(text)[paper]
    return found
