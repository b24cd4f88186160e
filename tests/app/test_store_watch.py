"""The thread that follows a server: it hears what is published, and looks at once after the server was lost."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.postgres_server import postgres_server

import hand_made_kb
from autokb.app import SupportKB
from autokb.exchange.import_kb import import_file
from autokb.stores.workspace import open_workspace
from autokb.web.rate_limit import RateLimit
from real_postgres import needs_postgres

SECONDS = 60  # that anything here may take before it is given up


@pytest.mark.slow
@needs_postgres
def test_it_looks_when_told_and_again_as_soon_as_a_server_that_was_lost_is_back(tmp_path: Path) -> None:
    woken = threading.Event()

    def is_woken() -> bool:
        found = woken.wait(SECONDS)
        woken.clear()
        return found

    with postgres_server() as server:
        place = tmp_path / "kb"
        place.mkdir()
        (place / "domain.yaml").write_text("name: fresh\n", encoding="utf-8")
        (place / "settings.yaml").write_text(f"store: {server.url('watched')}\n", encoding="utf-8")
        assert import_file(open_workspace(place), hand_made_kb.write(tmp_path / "kb.jsonl")).skipped == ()
        watching, elsewhere = SupportKB.open(place), SupportKB.open(place)
        watch = watching.watch_store(woken.set, RateLimit(60))
        assert watch is not None
        with closing(watch):
            assert is_woken()  # at its start
            elsewhere.curation.hide(["s-contacts"])
            assert is_woken()
            server.stop(kill=True)
            server.start()
            assert is_woken()  # nothing was published: it looks for what it may have missed
            elsewhere.curation.approve(["s-contacts"])
            assert is_woken()
        watching.close()
        elsewhere.close()
