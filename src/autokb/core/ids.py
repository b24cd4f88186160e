"""Ids are made from what stays, so that edits, feedback and caches can hang on them."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

# Made once: making one costs more than spelling a short value.
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def digest(*parts: str) -> str:
    """Return a 64-digit hexadecimal SHA-256 over the parts; no two lists of parts can collide by joining."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        h.update(str(len(data)).encode() + b":" + data)
    return h.hexdigest()


def short_id(prefix: str, *parts: str) -> str:
    """Return an id such as ``issue-3f2a...`` (16 hexadecimal digits) made from the parts."""
    return f"{prefix}-{digest(*parts)[:16]}"


def canonical_json(value: Any) -> str:
    """Return the one JSON spelling of a value: sorted keys, no spaces, no escapes; NaN has none (ValueError)."""
    return _ENCODER.encode(value)


def occurrences(keys: Iterable[str]) -> list[int]:
    """Return for each key how often it has been seen before: ``a b a`` gives ``0 0 1``."""
    seen: Counter[str] = Counter()
    result = []
    for key in keys:
        result.append(seen[key])
        seen[key] += 1
    return result
