"""What plug-ins do beside the requests begins and ends with the service; what fails stops nothing else."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import installed_plugins
from autokb.core.errors import AutokbWarning
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app
from autokb.web.many import create_many_app

DECLARED = """
from autokb.plugin import Plugin, Route
plugin = Plugin(
    "clock", workers="clock_code:Clock", routes=(Route("/v1/clock", "clock_code:strike", "reader", "POST"),),
)
"""
CODE = """
from fastapi import Request

DONE = []

class Clock:
    def __init__(self, served):
        self.served = served

    def begin(self):
        DONE.append(("begin", self.served.is_shared, sorted(self.served.settings())))

    def wake(self, name):
        with self.served.use(name) as kb:
            DONE.append(("wake", name, kb.workspace.settings.keep_versions))

    def close(self):
        DONE.append(("close",))

async def strike(request: Request) -> dict[str, str]:
    request.state.door.wake()
    return {}
"""
FAILS = """
class Fails:
    def __init__(self, served):
        pass

    def begin(self, *_):
        raise RuntimeError("quokka")

    wake = begin
    close = begin
"""
HERE = ("127.0.0.1", 50_000)


def test_workers_begin_are_woken_and_end_for_one_workspace_and_for_many(
    hand_made: Workspace, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place, many = tmp_path / "installed", tmp_path / "many"
    shutil.copytree(hand_made.folder, many / "lawn")
    for folder in (hand_made.folder, many / "lawn"):
        (folder / "settings.yaml").write_text("keep_versions: 7\n", encoding="utf-8")
    installed_plugins.write(place, "clock", {"clock_plugin.py": DECLARED, "clock_code.py": CODE})
    declared = "from autokb.plugin import Plugin\nplugin = Plugin('{0}', workers='fails_code:{1}')"
    installed_plugins.write(
        place, "fails", {"fails_plugin.py": declared.format("fails", "Fails"), "fails_code.py": FAILS}
    )
    installed_plugins.write(place, "lacks", {"lacks_plugin.py": declared.format("lacks", "Missing")})
    with installed_plugins.on_path(place), caplog.at_level(logging.ERROR, "autokb.web"):
        from clock_code import DONE  # type: ignore[import-not-found]

        with pytest.warns(AutokbWarning, match=r"lacks cannot load fails_code:Missing .* Its workers are left out"):
            one = create_app(hand_made.folder)
        with TestClient(one, base_url="http://127.0.0.1:8000", client=HERE) as client:
            assert client.post("/v1/clock").status_code == 200
        assert DONE == [("begin", True, [""]), ("wake", "", 7), ("close",)]
        failed = [record.getMessage() for record in caplog.records]
        assert len(failed) == 3 and all('"RuntimeError"' in said and "quokka" not in said for said in failed)
        DONE.clear()
        with pytest.warns(AutokbWarning, match="lacks cannot load"):
            several = create_many_app(many)
        with TestClient(several, base_url="http://127.0.0.1:8000", client=HERE) as client:
            assert client.post("/w/lawn/v1/clock").status_code == 200
        assert DONE == [("begin", False, ["lawn"]), ("wake", "lawn", 7), ("close",)]
