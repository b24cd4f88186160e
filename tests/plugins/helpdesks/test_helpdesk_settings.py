"""``helpdesks:`` of the settings: what is refused, and that no secret is ever among them."""

from __future__ import annotations

import re
import socket
from contextlib import closing
from typing import Any

import pytest

from autokb.cli import main
from autokb.core.errors import BadInputError
from autokb.core.settings import read_settings
from autokb.stores.workspace import Workspace

CHATWOOT = {"url": "https://desk.example.com/", "account": 7}


def test_a_helpdesk_has_its_address_and_the_usual_names_of_its_secrets() -> None:
    read = read_settings({"helpdesks": {"chatwoot": CHATWOOT, "intercom": {"admin": "9", "reply": "customer"}}})
    chatwoot, intercom = read.helpdesks["chatwoot"], read.helpdesks["intercom"]
    assert (chatwoot.url, chatwoot.account, chatwoot.reply) == ("https://desk.example.com", "7", "note")
    assert (chatwoot.token_env, chatwoot.secret_env) == ("AUTOKB_CHATWOOT_TOKEN", "AUTOKB_CHATWOOT_SECRET")
    assert (intercom.url, intercom.reply, intercom.customer_from) == ("https://api.intercom.io", "customer", 0.9)
    assert read_settings({}).helpdesks == {}
    below = read_settings({"helpdesks": {"chatwoot": {**CHATWOOT, "url": "https://d.example/chat/application/"}}})
    assert below.helpdesks["chatwoot"].url == "https://d.example/chat/application"  # behind somebody's proxy


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"freshdesk": {}}, "chatwoot, zendesk, intercom"),
        ({"chatwoot": []}, "write a mapping"),
        ({"chatwoot": {"url": "https://d.example"}}, "needs account"),
        ({"zendesk": {"url": "https://d.example"}}, "needs user"),
        ({"intercom": {}}, "needs admin"),
        ({"chatwoot": {**CHATWOOT, "token": "x"}}, "not 'token'"),
        ({"chatwoot": {**CHATWOOT, "url": "https://a:b@d.example"}}, "no user and password"),
        ({"chatwoot": {**CHATWOOT, "url": "ftp://a:b@d.example"}}, "no user and password"),
        ({"chatwoot": {**CHATWOOT, "account": "acme"}}, "account must be the number"),
        ({"chatwoot": {**CHATWOOT, "url": "ftp://d.example"}}, "must be an address"),
        ({"chatwoot": {**CHATWOOT, "url": "https://d.example/?x=1"}}, "must be an address"),
        ({"chatwoot": {**CHATWOOT, "url": "https://d.example/app/accounts/7/dashboard"}}, "must end with the name of"),
        ({"chatwoot": {**CHATWOOT, "url": "https://d.example/chat/app"}}, "must end with the name of"),
        ({"chatwoot": {**CHATWOOT, "url": "https://d.example/api/v1"}}, "must end with the name of"),
        ({"zendesk": {"url": "https://d.example/agent/tickets/1", "user": "a"}}, "must end with the name of"),
        ({"intercom": {"url": "https://d.example/a/inbox", "admin": 1}}, "must end with the name of"),
        ({"chatwoot": {**CHATWOOT, "account": "../7"}}, "account must be"),
        ({"chatwoot": {**CHATWOOT, "reply": "both"}}, "note or customer"),
        ({"chatwoot": {**CHATWOOT, "customer_from": 0}}, "more than 0"),
        ({"chatwoot": {**CHATWOOT, "customer_from": "nan"}}, "more than 0"),
    ],
)
def test_what_is_wrong_is_named(given: Any, said: str) -> None:
    with pytest.raises(BadInputError, match=r"settings\.yaml: helpdesks") as refused:
        read_settings({"helpdesks": given})
    assert said in str(refused.value)


@pytest.mark.parametrize("secret", ["a b", "tok-quokka", "xYz7GkTqquokka", "QUOKKA", "quokka_token"])
@pytest.mark.parametrize("entry", ["secret_env", "token_env"])
def test_a_secret_in_the_place_of_its_variables_name_is_refused_and_not_repeated(entry: str, secret: Any) -> None:
    with pytest.raises(BadInputError, match=r"must be the NAME of an environment variable") as refused:
        read_settings({"helpdesks": {"chatwoot": {**CHATWOOT, entry: secret}}})
    assert str(secret) not in str(refused.value)


def test_a_secret_that_is_not_set_is_named_before_serving_and_by_doctor(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (hand_made.folder / "settings.yaml").write_text(
        "helpdesks: {chatwoot: {url: 'https://desk.example.com', account: 7, secret_env: OUR_SECRET}}\n"
    )
    monkeypatch.setenv("AUTOKB_CHATWOOT_TOKEN", "t")
    monkeypatch.delenv("OUR_SECRET", raising=False)
    said = "Helpdesk chatwoot: the variable that secret_env names is not set, so its webhooks are refused."
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:  # so that serving ends where it would begin
        serve = ["--port", str(taken.getsockname()[1])]
        for folder, named in ((hand_made.folder, said), (hand_made.folder.parent, f"kb: {said}")):
            assert main(["serve", str(folder), *serve]) == 2
            assert capsys.readouterr().err.splitlines()[0] == named
        assert main(["doctor", str(hand_made.folder)]) == 0
        here = (
            "is not set here (a service has an environment of its own); where it is not set, its webhooks are refused."
        )
        shown = capsys.readouterr().out  # without the name, which may be a secret that was pasted there
        assert f"note         Helpdesk chatwoot: the variable that secret_env names {here}" in shown.splitlines()
        assert re.search(r"^environment .*\bAUTOKB_CHATWOOT_TOKEN\b", shown, re.M) and "OUR_SECRET" not in shown
        monkeypatch.setenv("OUR_SECRET", "")
        assert main(["serve", str(hand_made.folder), *serve]) == 2
        assert "Helpdesk chatwoot: OUR_SECRET is not set, so" in capsys.readouterr().err
        monkeypatch.setenv("OUR_SECRET", "s")
        assert main(["serve", str(hand_made.folder), *serve]) == 2
        assert "Helpdesk" not in capsys.readouterr().err
        monkeypatch.delenv("AUTOKB_CHATWOOT_TOKEN")
        assert main(["doctor", str(hand_made.folder)]) == 0
        shown = capsys.readouterr().out
        assert re.search(r"^environment .*\bOUR_SECRET\b", shown, re.M)
        assert "AUTOKB_CHATWOOT_TOKEN is not set here" in shown
