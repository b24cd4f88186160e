"""A plug-in's model task: counted in the ledger, capped by the budget, never paid twice, chosen in the settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

import installed_plugins
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import AutokbWarning, StoppedOnPurposeError
from autokb.core.plugins import PluginError
from autokb.stores.workspace import Workspace
from stub_server import StubServer

DECLARED = """
from autokb.plugin import Plugin
plugin = Plugin("mood", tasks={"tone": "mood_tone.task:TASK", "other": "mood_tone.task:TASK", "broken": "mood_tone:x"})
"""
TASK = """
from dataclasses import dataclass
from typing import Literal

from autokb.tasks.task import Reply, Task

@dataclass(frozen=True, slots=True)
class Message:
    text: str

class Tone(Reply):
    tone: Literal["calm", "angry"]

class ToneTask(Task[Message, Tone]):
    name = "mood.tone"
    input = Message
    output = Tone
    most = 2
    entry_tokens = (20, 10)

    def offline(self, item):
        return Tone(tone="angry" if "!" in item.text else "calm")

    def values(self, items):
        return {"texts": [item.text for item in items]}

    def entry(self, items):
        return {"tone": Literal["calm", "angry"]}

TASK = ToneTask()
"""
PROMPT = """You say how a customer feels.
<!-- user -->
{% for text in texts %}
[{{ loop.index }}] {{ text }}
{% endfor %}
"""
TEXTS = ("It is broken!", "How do I clean it", "Help!")


@pytest.fixture
def mood(tmp_path: Path) -> Iterator[None]:
    files = {"mood_plugin.py": DECLARED, "mood_tone/__init__.py": "", "mood_tone/task.py": TASK}
    files |= {"mood_tone/prompt.md": PROMPT, "mood_tone/examples.yaml": "[]\n"}
    installed_plugins.write(tmp_path / "installed", "mood", files)
    with installed_plugins.on_path(tmp_path / "installed"):
        yield


def messages(texts: tuple[str, ...] = TEXTS) -> list[Any]:
    from mood_tone.task import Message  # type: ignore[import-not-found]

    return [Message(text) for text in texts]


def settings(workspace: Workspace, **given: Any) -> SupportKB:
    (workspace.folder / "settings.yaml").write_text(yaml.safe_dump(given), encoding="utf-8")
    return SupportKB.open(workspace.folder)


@pytest.mark.usefixtures("mood")
def test_offline_it_is_answered_by_its_own_function(hand_made: Workspace) -> None:
    found = SupportKB(hand_made).run_task("mood.tone", messages())
    assert [one.tone for one in found.answers] == ["angry", "calm", "angry"]
    assert (found.spent.calls, found.spent.cost, found.failures) == (0, 0.0, ())


@pytest.mark.usefixtures("mood")
def test_a_model_is_asked_once_within_the_budget_and_the_ledger_has_it(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    asked: list[str] = []

    def reply(body: Mapping[str, Any]) -> Any:
        asked.append(body["messages"][1]["content"])
        assert body["response_format"]["json_schema"]["name"] == "mood_tone"
        return {"answers": [{"number": n, "tone": "calm"} for n in range(1, asked[-1].count("[") + 1)]}

    with StubServer(reply) as server:
        given = {
            "base_url": server.url,
            "retries": 1,
            "tasks": {"mood.tone": "openai:scripted"},
            "prices": {"scripted": {"input": 1_000.0, "output": 2_000.0}},
        }
        kb = settings(hand_made, **given)
        with pytest.raises(StoppedOnPurposeError):
            kb.run_task("mood.tone", messages(), budget=0.000001)
        assert not asked
        first = kb.run_task("mood.tone", messages(), budget=1_000.0)
        assert [one.tone for one in first.answers] == ["calm"] * 3
        assert first.spent.calls == len(asked) == 2 and first.spent.cost and first.spent.cost > 0
        again = settings(hand_made, **given).run_task("mood.tone", messages())
        assert again.answers == first.answers and again.spent.calls == 0 and len(asked) == 2
        costs = json.dumps(SupportKB.open(hand_made.folder).costs().as_json())
        assert '"mood.tone"' in costs and "It is broken" not in costs
        assert main(["costs", str(hand_made.folder)]) == 0
        assert "mood.tone" in capsys.readouterr().out


@pytest.mark.usefixtures("mood")
def test_what_is_no_task_is_named(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    for name, said in (("other", "must say so"), ("none", "among its tasks"), ("broken", "cannot load mood_tone:x")):
        with pytest.raises(PluginError, match=said):
            kb.run_task(f"mood.{name}", messages())


def test_settings_that_name_its_task_are_read_without_it(hand_made: Workspace) -> None:
    with pytest.warns(AutokbWarning, match="mood"):
        kb = settings(hand_made, tasks={"mood.tone": "openai:scripted"})
    assert kb.ask("the battery does not charge in the dock").outcome == "answered"
    kb.close()
