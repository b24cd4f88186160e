"""Which addresses may be reached, and for how long a server asks to be left alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from autokb.net.addresses import is_allowed
from autokb.net.fetch import FeedError, Fetcher, Reply, asked_pause, same_origin
from feed_server import LOOPBACK, Answer, FeedServer


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822"])
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_allowed(address, ())


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
        "64:ff9b:1::7f00:1", "::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "fec0::1", "5f00::1", "4000::1",
    ],
)  # fmt: skip
def test_others_are_not_unless_their_network_is(address: str) -> None:
    assert not is_allowed(address, ()) and not is_allowed(address, ("198.18.0.0/15",))
    assert is_allowed("10.1.2.3", ("10.1.0.0/16",)) and not is_allowed("10.2.2.3", ("10.1.0.0/16",))
    assert is_allowed("::ffff:10.1.2.3", ("10.1.0.0/16",))


NOW = "Fri, 02 Jan 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("status", "headers", "seconds"),
    [
        (200, {"retry-after": "5"}, None),
        (429, {"retry-after": "5"}, 5),
        (429, {"retry-after": "Fri, 02 Jan 2026 10:00:30 GMT", "date": NOW}, 30),
        (429, {"retry-after": "Fri, 02 Jan 2026 09:00:30 GMT", "date": NOW}, 0),
        (429, {"retry-after": "²"}, 10),
        (429, {}, 10),
        (503, {}, None),
        (503, {"retry-after": "9"}, 9),
        (403, {}, None),
        (403, {"retry-after": "9"}, 9),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767348060", "date": NOW}, 61),
    ],
)
def test_how_long_a_server_asks_to_be_left_alone(status: int, headers: dict[str, str], seconds: int | None) -> None:
    assert asked_pause(Reply("https://example.com/", status, headers, b"")) == seconds


@pytest.mark.parametrize("year", ["0101", "9999", "99999999999999999999"])
def test_a_date_that_no_clock_shows_is_none(year: str) -> None:
    reply = Reply("https://example.com/", 429, {"date": f"Fri, 02 Jan {year} 10:00:00 +0200"}, b"")
    assert abs((reply.moment() - datetime.now(UTC)).total_seconds()) < 60


@pytest.fixture
def fetcher() -> Iterator[Fetcher]:
    made = Fetcher((LOOPBACK,), sleep=lambda _seconds: None)
    yield made
    made.close()


def test_a_redirect_to_what_is_no_address_is_one_sentence(fetcher: Fetcher) -> None:
    with (
        FeedServer(lambda _asked: Answer(status=302, headers={"Location": "http://[x"})) as server,
        pytest.raises(FeedError, match="is no address"),
    ):
        fetcher.get(server.url)


def test_a_condition_that_cannot_be_sent_is_left_out(fetcher: Fetcher) -> None:
    with FeedServer(lambda _asked: Answer("x")) as server:
        assert fetcher.get(server.url, {"if-none-match": '"\u00e9"', "if-modified-since": "y"}).status == 200
        assert "if-none-match" not in server.asked[0].headers and server.asked[0].headers["if-modified-since"] == "y"


def test_addresses_of_one_server() -> None:
    assert same_origin("https://a.example/x", "https://a.example/y")
    for other in ("http://a.example/", "https://b.example/", "https://a.example:8443/", "//a.example", "http://[x"):
        assert not same_origin("https://a.example/", other)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "http://", "http://no.such.name.invalid/", "http://a b/"])
def test_what_is_no_address_is_one_sentence(url: str) -> None:
    fetcher = Fetcher((LOOPBACK,), sleep=lambda _seconds: None)
    try:
        with pytest.raises(FeedError) as raised:
            fetcher.get(url)
        assert "\n" not in str(raised.value)
    finally:
        fetcher.close()


def test_an_answer_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autokb.net.fetch.MOST_BYTES", 100_000)
    with FeedServer(lambda _asked: Answer(b"x" * 1_000_000)) as server:
        fetcher = Fetcher((LOOPBACK,))
        try:
            with pytest.raises(FeedError, match="more than 100,000 bytes"):
                fetcher.get(server.url)
        finally:
            fetcher.close()
