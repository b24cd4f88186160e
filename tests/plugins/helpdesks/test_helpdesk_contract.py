"""The suite of ``autokb.testing`` for helpdesks: ours hold to it, a plug-in's does, and what breaks a rule fails it."""

from __future__ import annotations

import inspect
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from benchmarks.desk_server import ACCOUNT, ADMIN, USER, DeskServer, hook, signed

import installed_plugins
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import AutokbWarning, BadEntryError
from autokb.core.helpdesk_settings import HelpdeskSettings
from autokb.helpdesks.helpdesk import DeskRequest, hmac_of
from autokb.helpdesks.kinds import helpdesk_of
from autokb.helpdesks.refused import NOT_SIGNED, NotSignedError
from autokb.helpdesks.sending import DeskClient, LaterError
from autokb.plugins.helpdesks import desk as desk_module
from autokb.plugins.helpdesks.settings import HelpdesksSection
from autokb.stores.workspace import Workspace
from autokb.testing import HelpdeskContract
from served_process import wait_until
from served_workspace import served

DECLARED = """
from autokb.plugin import Plugin
plugin = Plugin("bell", helpdesks={"desk": "bell_code:Bell"})
"""
CODE = """
from autokb.helpdesks.helpdesk import DeskRequest, ReceivedMessage, StandingText
from autokb.helpdesks.helpdesk import part_of, text_of, id_of, moment_of, hmac_of, why_wrong, why_late

class Bell:
    account_at = ("shop",)

    def why_unsigned(self, headers, token, body, secret, now):
        at = headers.get("x-bell-at", "")
        wanted = hmac_of(secret, at.encode("utf-8", "replace") + body).hex()
        return why_wrong(headers.get("x-bell", ""), wanted) or why_late(moment_of(at), now)

    def read(self, body):
        role, said = part_of(body, "by"), moment_of(part_of(body, "at"))
        ident, chat = id_of(part_of(body, "id")), id_of(part_of(body, "chat"))
        if role not in ("customer", "agent") or said is None or not (ident and chat):
            return None
        return ReceivedMessage(ident, chat, role, text_of(part_of(body, "text")), said, "9" if role == "agent" else "")

    def write(self, settings, token, conversation, text, *, to_customer):
        sent = {"text": text, "kind": "reply" if to_customer else "note"}
        return DeskRequest("POST", f"/chats/{conversation}", {"token": token}, sent)

    def look(self, settings, token, conversation, after):
        return DeskRequest("GET", f"/chats/{conversation}/texts", {"token": token})

    def standing(self, answer):
        found = part_of(answer, "texts")
        for one in found if isinstance(found, list) else ():
            yield StandingText(text_of(part_of(one, "text")), moment_of(part_of(one, "at")) or 0)

    def look_up(self, settings, token, conversation):
        return DeskRequest("GET", f"/chats/{conversation}", {"token": token})

    def is_led(self, settings, answer):
        return part_of(answer, "led") is not False
"""
QUESTION = "my robot does not charge in the dock"


@pytest.fixture(scope="module")
def bell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    place = tmp_path_factory.mktemp("bell")
    installed_plugins.write(place, "bell", {"bell_plugin.py": DECLARED, "bell_code.py": CODE})
    with installed_plugins.on_path(place):
        yield place


class Ours(HelpdeskContract):
    """What all of ours share: the shapes of the helpdesks on loopback."""

    def sign(self, body: bytes, secret: str, at: float) -> Mapping[str, str]:
        return signed(self.name, body, secret, at)

    def event(self, ident: str, conversation: str, text: str, at: float, *, by_agent: bool = False) -> Any:
        return hook(self.name, ident, text, conversation, agent=by_agent, said=at)

    def shown(self, written: Sequence[DeskRequest], at: float) -> Any:
        with DeskServer() as server:
            for one in written:
                server.write(self.name, "7", one.json)
            return server.shown(self.name, "7")

    def record(self, *, is_led: bool) -> Any:
        with DeskServer() as server:
            if is_led:
                server.assigned[self.name, "7"] = "5"
            return server.shown(self.name, "7") if self.name == "intercom" else server.record(self.name, "7")


class TestChatwoot(Ours):
    name = "chatwoot"
    entries = {"account": ACCOUNT}  # noqa: RUF012


class TestZendesk(Ours):
    name = "zendesk"
    entries = {"user": USER, "account": "1"}  # noqa: RUF012


class TestIntercom(Ours):
    name = "intercom"
    entries = {"admin": ADMIN}  # noqa: RUF012
    signs_moment = False


@pytest.mark.usefixtures("bell")
class TestBell(HelpdeskContract):
    name = "bell.desk"
    entries = {"account": "3"}  # noqa: RUF012

    def sign(self, body: bytes, secret: str, at: float) -> Mapping[str, str]:
        return {"x-bell-at": f"{at:.0f}", "x-bell": hmac_of(secret, f"{at:.0f}".encode() + body).hex()}

    def event(self, ident: str, conversation: str, text: str, at: float, *, by_agent: bool = False) -> Any:
        by = "agent" if by_agent else "customer"
        return {"id": ident, "chat": conversation, "text": text, "at": at, "by": by, "shop": 3}

    def shown(self, written: Sequence[DeskRequest], at: float) -> Any:
        return {"texts": [{"text": one.json["text"], "at": at} for one in written]}

    def record(self, *, is_led: bool) -> Any:
        return {"led": is_led}


# What somebody may get wrong, as a change of the code above, and the test that says so.
WRONG = {
    "not_signed": ("return why_wrong(", "return '' and why_wrong("),
    "whatever": ('ident, chat = id_of(part_of(body, "id")),', 'ident, chat = body["id"],'),
    "are_read": ('"9" if role == "agent" else ""', '"9"'),
    "no_reply": ('"reply" if to_customer else "note"', '"note"'),
    "one_note": ('text_of(part_of(one, "text"))', '"..."'),
}


@pytest.mark.parametrize("test", [None, *WRONG])
def test_a_helpdesk_that_breaks_a_rule_fails_the_suite(
    test: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = CODE if test is None else CODE.replace(*WRONG[test])
    assert test is None or code != CODE
    files = {"gong_plugin.py": DECLARED.replace("bell", "gong"), "gong_code.py": code}
    installed_plugins.write(tmp_path / "installed", "gong", files)
    broken = []
    with installed_plugins.on_path(tmp_path / "installed"):
        suite = TestBell()
        suite.name = "gong.desk"
        for name in (one for one in dir(suite) if one.startswith("test_")):
            inspect.unwrap(HelpdeskContract._open)(suite, tmp_path / name, monkeypatch)
            run = getattr(suite, name)
            try:
                run(**({"monkeypatch": monkeypatch} if inspect.signature(run).parameters else {}))
            except (AssertionError, LaterError, pytest.fail.Exception):
                broken.append(name)
    assert bool(broken) == bool(test) and (test is None or any(test in name for name in broken))


def test_the_service_takes_its_messages_and_writes_one_note_of_each(
    bell: Path, hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AUTOKB_BELL_DESK_SECRET", "of the bell")
    monkeypatch.setenv("AUTOKB_BELL_DESK_TOKEN", "tok")
    sent: list[tuple[str, DeskRequest]] = []

    def send(_client: DeskClient, settings: HelpdeskSettings, request: DeskRequest) -> tuple[Any, float]:
        sent.append((settings.url, request))
        return {}, time.time()

    monkeypatch.setattr(DeskClient, "send", send)
    (hand_made.folder / "settings.yaml").write_text("helpdesks: {bell.desk: {url: 'https://bell.example/api'}}\n")
    suite = TestBell()
    data = json.dumps(suite.event("1", "7", QUESTION, time.time())).encode()
    headers = dict(suite.sign(data, "of the bell", time.time()))
    kb = SupportKB.open(hand_made.folder)
    with served(hand_made.folder) as url:
        hook = f"{url}/v1/hooks/bell.desk"
        assert httpx2.post(hook, content=data, headers={**headers, "x-bell": "0"}).status_code == 401
        assert httpx2.post(f"{url}/v1/hooks/bell.other", content=data, headers=headers).status_code == 401
        said = [httpx2.post(hook, content=data, headers=headers).json()["message"] for _ in range(2)]
        assert said == ["taken", "known"]
        wait_until(lambda: kb.helpdesks.counts() == {"done": 1})
        figures = httpx2.get(f"{url}/metrics").text
        assert 'autokb_helpdesk_messages_total{done="taken",helpdesk="bell.desk"} 1.0' in figures
    ((address, note),) = sent
    assert address == "https://bell.example/api" and note.path == "/chats/7" and note.json["kind"] == "note"
    assert note.json["text"].startswith("Suggested repl") and "(autokb " in note.json["text"]
    assert main(["plugins"]) == 0
    assert "helpdesks    bell.desk" in capsys.readouterr().out


def test_a_helpdesk_that_fails_takes_nothing_writes_nothing_and_is_named(
    tmp_path: Path, hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for entry in ("SECRET", "TOKEN"):
        for name in ("UNSIGNED", "SILENT", "READ", "ODD", "WRITE", "HOST", "STANDING", "GONE"):
            monkeypatch.setenv(f"AUTOKB_BAD_{name}_{entry}", "right")
    cases = {
        "unsigned": "def why_unsigned(self, *_): raise RuntimeError('quokka')",
        "silent": "def why_unsigned(self, *_): pass",
        "read": "def read(self, body): raise KeyError('quokka')",
        "odd": "def read(self, body): return ReceivedMessage('../1', '7', 'customer', 'quokka', 1.0)",
        "write": "def write(self, *_, **__): raise ValueError('quokka')",
        "host": "def write(self, *_, **__): return DeskRequest('POST', '.evil.example/', {})",
        "standing": "def standing(self, answer): raise IndexError('quokka')",
    }
    led = "class Led(Bell):\n    def is_led(self, settings, answer): pass\n"
    classes = "\n".join(f"class {name.title()}(Bell):\n    {body}" for name, body in cases.items())
    named = ", ".join(f"'{name}': 'bad_code:{name.title()}'" for name in cases)
    named += ", 'led': 'bad_code:Led'"
    declared = f"from autokb.plugin import Plugin\nplugin = Plugin('bad', helpdesks={{{named}}})"
    installed_plugins.write(
        tmp_path / "installed", "bad", {"bad_plugin.py": declared, "bad_code.py": f"{CODE}\n{classes}\n{led}"}
    )
    entries = "".join(f"  bad.{name}: {{url: 'https://bad.example'}}\n" for name in (*cases, "gone"))
    (hand_made.folder / "settings.yaml").write_text(f"helpdesks:\n{entries}")
    monkeypatch.setattr(desk_module, "FIRST_PAUSE", 0.0)
    written = []

    def send(_client: DeskClient, _settings: HelpdeskSettings, request: DeskRequest) -> tuple[Any, float]:
        written.append(request.method)
        if request.method == "GET":
            return {}, time.time()
        raise LaterError("Nobody heard it.", is_unsure=True)

    monkeypatch.setattr(DeskClient, "send", send)
    suite, why = TestBell(), {}
    with installed_plugins.on_path(tmp_path / "installed"):
        kb = SupportKB.open(hand_made.folder)
        for name in (*cases, "gone"):
            data = json.dumps(suite.event("1", "7", QUESTION, time.time())).encode()
            try:
                taken = kb.helpdesks.take(f"bad.{name}", suite.sign(data, "right", time.time()), data)
            except NotSignedError as error:
                assert str(error) == NOT_SIGNED
                why[name] = error.why
                continue
            assert taken == "taken"
            why[name] = [kb.helpdesks.work().why for _ in range(3)][-1]
            with kb.workspace.file() as file, file.transaction(), file.reading() as db:
                assert db.execute("SELECT state FROM hook_message").fetchall() == [("open",)]
                db.execute("DELETE FROM hook_message")
        assert {name: re.sub(r":\d+", ":N", one.removeprefix("its plug-in fails: ")) for name, one in why.items()} == {
            "unsigned": "why_unsigned (RuntimeError, bad_code.py:N)",
            "silent": "why_unsigned (TypeError)",
            "read": "read (KeyError, bad_code.py:N)",
            "odd": "read (ValueError, bad_code.py:N)",
            "write": "write (ValueError, bad_code.py:N)",
            "host": "write (ValueError, bad_code.py:N)",
            "standing": "standing (IndexError, bad_code.py:N)",
            "gone": "class (PluginError)",
        }
        with pytest.raises(LaterError, match=r"is_led \(TypeError\)"):  # so that no customer gets a reply
            helpdesk_of("bad.led").is_led(kb.workspace.settings.helpdesks["bad.read"], {})
        assert written == ["POST", "GET", "GET"], "once written, and never again where nobody can look"
        kb.helpdesks._desk._refused._kept_at = 0.0
        kb.helpdesks.work()
        assert main(["doctor", str(hand_made.folder)]) == 1
        said = capsys.readouterr().out
    assert "bad.read, webhooks that were refused: 1" in said and "read (KeyError, bad_code.py:" in said
    assert "autokb plugins" in said
    assert "quokka" not in said
    with pytest.warns(AutokbWarning, match="bad"):
        kb = SupportKB.open(hand_made.folder)
    with pytest.raises(NotSignedError):
        kb.helpdesks.take("bad.write", suite.sign(data, "right", time.time()), data)


def test_its_settings_are_those_of_ours() -> None:
    given: dict[str, Any] = {"url": "https://d.example/api/", "admin": 4, "reply": "customer"}
    desk = HelpdesksSection.model_validate({"bell.desk": given})["bell.desk"]
    assert (desk.url, desk.admin, desk.reply) == ("https://d.example/api", "4", "customer")
    assert (desk.token_env, desk.secret_env) == ("AUTOKB_BELL_DESK_TOKEN", "AUTOKB_BELL_DESK_SECRET")
    for wrong, said in (
        ({}, "needs url"),
        ({"url": "https://a:b@d.example"}, "no user and password"),
        ({"url": "https://d.example", "token": "x"}, "not 'token'"),
        ({"url": "https://d.example", "token_env": "pasted"}, "NAME of an environment variable"),
    ):
        with pytest.raises(BadEntryError, match=said):
            HelpdesksSection.model_validate({"bell.desk": wrong})
