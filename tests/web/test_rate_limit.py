"""How many requests a key may send."""

from __future__ import annotations

import json
import logging

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from autokb.web import rate_limit
from autokb.web.app import create_app
from autokb.web.middleware import ServiceLimits
from autokb.web.rate_limit import RateLimit


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_passes_and_then_so_many_a_minute() -> None:
    clock = Clock()
    limit = RateLimit(600, clock)  # one each 0.1 s, 60 at once
    assert [limit.take("a") for _ in range(60)] == [0.0] * 60
    assert limit.take("a") == pytest.approx(0.1) and limit.take("b") == 0.0
    clock.now += 0.1
    assert limit.take("a") == 0.0 and limit.take("a") == pytest.approx(0.1)
    clock.now += 3_600
    assert [bool(limit.take("a")) for _ in range(61)] == [False] * 60 + [True]


def test_a_minute_holds_what_it_says() -> None:
    clock = Clock()
    limit = RateLimit(1_200, clock)
    taken = 0
    for _ in range(6_000):  # a hundred a second
        taken += not limit.take("a")
        clock.now += 0.01
    assert taken == 1_200 + 120 - 1  # the burst is there at the beginning


def test_no_limit_and_a_small_one() -> None:
    assert all(not RateLimit(0).take("a") for _ in range(10))
    small = RateLimit(1, Clock())
    assert [bool(small.take("a")) for _ in range(21)] == [False] * 20 + [True]


def test_full_buckets_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MOST_KEYS", 3)
    clock = Clock()
    limit = RateLimit(60, clock)
    for key in "abc":
        limit.take(key)
    clock.now += 10
    limit.take("d")
    assert set(limit._full_at) == {"d"}


def test_two_processes_that_tell_each_other_share_a_bucket() -> None:
    clock = Clock()
    one, two = (RateLimit(600, clock) for _ in range(2))
    for _ in range(40):
        assert one.take("a") == 0.0 and (two.take("a") == 0.0)  # nobody told yet: together more than 60
    assert (one.counted(), two.counted(), one.counted()) == ({"a": 40}, {"a": 40}, {})
    assert one.take("a") == 0.0  # meanwhile
    for limit in (one, two):
        limit.settle({"a": 8.0})  # 80 requests at 0.1 s each
    assert one.take("a") == pytest.approx(8.0 + 0.2 - 6.0) and two.take("a") == pytest.approx(8.0 + 0.1 - 6.0)
    clock.now += 2.2
    assert one.take("a") == 0.0
    told = one.counted()
    assert told == {"a": 2}  # what was refused counts nothing
    one.count_again(told)
    assert one.counted() == {"a": 2}


def test_a_key_that_sends_too_much_is_told_when_to_go_on(
    hand_made: Workspace, caplog: pytest.LogCaptureFixture
) -> None:
    kb = SupportKB(hand_made)
    client = TestClient(
        create_app(hand_made.folder, limits=ServiceLimits(requests_a_minute=1)),
        base_url="http://127.0.0.1:8000",
        client=("127.0.0.1", 50_000),
    )
    assert {client.get("/v1/health").status_code for _ in range(50)} == {200}  # nobody's
    assert {client.get("/v1/issues").status_code for _ in range(50)} == {200}  # at this machine without a key
    key = kb.keys.create("reader")
    headers = {"authorization": f"Bearer {key.key}"}
    other = {"authorization": f"Bearer {kb.keys.create('reader').key}"}
    caplog.set_level(logging.INFO, logger="autokb.web")
    found = [client.get("/v1/issues", headers=headers) for _ in range(21)]
    assert [one.status_code for one in found] == [200] * 20 + [429]
    refused = found[-1]
    assert json.loads(caplog.messages[-1])["key"] == key.id  # who it is stands in the log
    assert (
        refused.headers["content-type"] == "application/problem+json"
        and "1 requests a minute, 20 at once" in refused.text
    )
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert client.get("/v1/issues", headers=other).status_code == 200
