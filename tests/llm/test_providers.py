"""What a model needs before anything is sent: a provider that exists, its package, its key."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from autokb.core.errors import BadInputError
from autokb.llm import keys
from autokb.llm.keys import scrubbed
from autokb.llm.providers import check_model, open_sender


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (*(n for names in keys.VARIABLES.values() for n in names), "GROQ_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai:gpt-4o-mini", "OPENAI_API_KEY"),
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("google:gemini-2.5-flash", "GOOGLE_API_KEY"),
        ("bedrock:amazon.nova-lite-v1:0", "AWS_ACCESS_KEY_ID"),
        ("deepseek:deepseek-chat", "DEEPSEEK_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch, model: str, variable: str) -> None:
    with pytest.raises(BadInputError, match=variable):
        check_model(model)
    monkeypatch.setenv(variable, "  ")
    if not model.startswith("deepseek"):
        with pytest.raises(BadInputError, match=variable):
            check_model(model)
    monkeypatch.setenv(variable, "a-key-of-mine")
    check_model(model)


def test_a_server_of_ones_own_needs_a_key_too() -> None:
    with pytest.raises(BadInputError, match="OPENAI_API_KEY"):
        check_model("openai:smollm2", "http://127.0.0.1:1/v1")


@pytest.mark.parametrize("model", ["gpt-4o-mini", "openai:", ":x", ""])
def test_what_is_no_model_is_said(model: str) -> None:
    with pytest.raises(BadInputError, match="PROVIDER:NAME"):
        check_model(model)


def test_an_unknown_provider_is_told_which_there_are() -> None:
    with pytest.raises(BadInputError, match=r"'acme' is no provider.*openai, anthropic, bedrock, google"):
        check_model("acme:best")


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str, package: str | None = None) -> Any:
        return None if name.partition(".")[0] in ("anthropic", "boto3") else found(name, package)

    found = importlib.util.find_spec
    monkeypatch.setattr(keys, "find_spec", without)
    with pytest.raises(BadInputError, match=r"pip install 'autokb\[anthropic\]'"):
        check_model("anthropic:claude-sonnet-4-5")
    with pytest.raises(BadInputError, match=r"pip install 'autokb\[bedrock\]'"):
        open_sender("bedrock:amazon.nova-lite-v1:0")


def test_an_address_must_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-mine")
    with pytest.raises(BadInputError, match="must begin with http"):
        check_model("openai:m", "localhost:8000")


def test_bedrock_needs_a_region(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.delenv("AWS_REGION", raising=False)
    with pytest.raises(BadInputError, match="AWS_DEFAULT_REGION"):
        open_sender("bedrock:amazon.nova-lite-v1:0")


def test_secrets_are_blotted_out_and_other_words_stay() -> None:
    environment = {
        "OPENAI_API_KEY": "sk-1234",
        "AWS_SECRET_ACCESS_KEY": "s3cret/x",
        "HOME": "my-folder",
        "A_KEY": "abc",
    }
    said = scrubbed("sk-1234 and s3cret/x under house with abc", environment)
    assert said == "*** and *** under house with abc"
