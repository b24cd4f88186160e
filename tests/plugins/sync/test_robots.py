"""What robots.txt of a site closes, and how hostile ones end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from autokb.net.fetch import FeedError, Fetcher
from autokb.plugins.sync.feeds.robots import Robots, Rules
from feed_server import LOOPBACK, Answer, FeedServer

RULES = """\
# of a shop
User-agent: other
User-agent: *
Disallow: /basket
Allow: /basket/help
Disallow: /*?sort=
Disallow: /*.pdf$
Disallow: /caf%C3%A9
Crawl-delay: 1e9

Sitemap: https://example.com/sitemap.xml
User-agent: bad
Disallow: /
"""


@pytest.mark.parametrize(
    ("path", "is_open"),
    [
        ("", True), ("/help", True), ("/basket", False), ("/basket/1", False), ("/basket/help", True),
        ("/list?sort=a", False), ("/a.pdf", False), ("/a.pdf?x", True), ("/a.pdfs", True), ("/café/x", False),
        ("/robots.txt", True),
    ],
)  # fmt: skip
def test_the_longest_rule_that_fits_counts(path: str, is_open: bool) -> None:
    rules = Rules(RULES)
    assert rules.may_read(f"https://example.com{path}") == is_open and rules.delay == 60


def test_a_group_of_our_name_counts_alone() -> None:
    rules = Rules("User-agent: *\nDisallow: /\n\nUser-Agent: AutoKB/1.0\nDisallow:\nCrawl-delay: x")
    assert rules.may_read("https://example.com/a") and rules.delay == 0
    assert Rules("\0\xff: nonsense\nDisallow: /").may_read("https://example.com/a")
    assert not Rules("User-agent: autokb\nDisallow: /").may_read("https://example.com/")


def test_hostile_patterns_end() -> None:
    script = (
        "from autokb.plugins.sync.feeds.robots import Rules\n"
        "rules = Rules('User-agent: *\\nDisallow: /' + '*a' * 5_000 + 'b$')\n"
        "assert rules.may_read('https://example.com/' + 'a' * 20_000)"  # a search that goes back would not end
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


@pytest.fixture
def fetcher() -> Iterator[Fetcher]:
    made = Fetcher((LOOPBACK,), sleep=lambda _seconds: None)
    yield made
    made.close()


@pytest.mark.parametrize("status", [500, 501, 520])
def test_rules_that_a_server_fails_to_give_close_it(status: int, fetcher: Fetcher) -> None:
    with (
        FeedServer(lambda _asked: Answer(status=status)) as server,
        pytest.raises(FeedError, match=r"robots\.txt answers with status"),
    ):
        Robots(fetcher).may_read(f"{server.url}/a")


def test_rules_with_a_byte_order_mark_are_read(fetcher: Fetcher) -> None:
    with FeedServer(lambda _asked: Answer(b"\xef\xbb\xbfUser-agent: *\nDisallow: /a")) as server:
        assert not Robots(fetcher).may_read(f"{server.url}/a")
