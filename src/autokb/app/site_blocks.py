"""Blocks that stand on many pages of one site, counted page by page so that no page has to stay in memory."""

from __future__ import annotations

from autokb.app.reading_pages import SourcePage


class SiteBlocks:
    """What was counted so far."""

    def add(self, page: SourcePage) -> None:
        """Count the blocks of a page to its site."""

    def repeated_in(self, page: SourcePage) -> frozenset[str]:
        """Return which of a page's blocks stand on many pages of its site."""
        return frozenset()
