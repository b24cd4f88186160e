"""The plug-in is a part of the product: its faults are of autokb, and pages of other plug-ins stand beside its own."""

from __future__ import annotations

from pathlib import Path

import pytest

import installed_plugins
from autokb.cli import main
from autokb.plugins.lab.namespace import EvaluateNamespace
from autokb.stores.workspace import Workspace
from autokb.web.pages.rendering import navigation

PAGES = """
from autokb.plugin import Page, Plugin

plugin = Plugin(
    "{name}", pages=(Page("/{name}", "a:b", "reader", menu="{name}", after="{after}"),)
)
"""


def test_an_entry_of_the_menu_may_stand_behind_evaluation_whatever_its_plugin_is_called(tmp_path: Path) -> None:
    for name, after in (("aa", "/evaluation"), ("bb", "/in-use")):
        installed_plugins.write(tmp_path, name, {f"{name}_plugin.py": PAGES.format(name=name, after=after)})
    with installed_plugins.on_path(tmp_path):
        paths = [path for path, _name, _role in navigation()]
    start = paths.index("/in-use")
    assert paths[start : start + 5] == ["/in-use", "/bb", "/evaluation", "/aa", "/settings"]


def test_a_fault_of_an_evaluation_is_a_fault_in_autokb(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(EvaluateNamespace, "quality", lambda *_, **_named: {}["nothing"])
    assert main(["evaluate", "quality", str(hand_made.folder)]) == 1
    assert "This is a fault in autokb (KeyError: 'nothing'); please report it." in capsys.readouterr().err
