"""Which blocks of a page are boilerplate (menus, notices, links to other pages), and why.

The face for AutoChunker is ``filter_boilerplate``: a page and its blocks in, a verdict with its reason a block out.
Another filter takes its place by giving the same. What many pages of a site have is found by ``site_boilerplate``
and comes with the page.
"""

from autokb.chunking.boilerplate.page_filter import EMPTY_HEADING, NOTHING_KEPT, BlockVerdict, filter_boilerplate

__all__ = ["EMPTY_HEADING", "NOTHING_KEPT", "BlockVerdict", "filter_boilerplate"]
