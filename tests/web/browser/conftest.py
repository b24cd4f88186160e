"""One browser for a module: while it is open, playwright's event loop runs in the thread of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    pytest.importorskip("playwright", reason="the extra test is not installed whole: no playwright")
    import chromium

    if not chromium.PROGRAM.exists():
        pytest.skip(f"{chromium.PROGRAM} is not installed: apt-get install chromium")
    with chromium.launched() as found:
        yield found
