"""What a model needs before anything is sent: a provider that exists, its package, its key."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.llm import keys
from autokb.llm.embedders.endpoint import EndpointEmbedder
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


def test_a_server_of_ones_own_needs_no_key() -> None:
    check_model("openai:mine", "http://127.0.0.1:9/v1")
    assert open_sender("openai:mine", "http://127.0.0.1:9/v1")
    assert EndpointEmbedder("mine", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(BadInputError, match="OPENAI_API_KEY"):
        check_model("openai:mine", "https://api.openai.com/v1/")


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


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost:1", "[::1]:1", "gateway.localhost:1", "127.9.9.9"])
def test_a_key_may_go_to_this_machine_in_the_open(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, host: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234")
    check_model("openai:m", f"http://{host}/v1")
    assert caplog.messages == []


@pytest.mark.parametrize("host", ["gateway.example:8000", "10.0.0.7", "localhost.example", "[2001:db8::1]"])
def test_a_key_that_goes_elsewhere_in_the_open_is_warned_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, host: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1234")
    for _ in range(3):
        check_model("openai:m", f"http://{host}/v1")
        EndpointEmbedder("vec", base_url=f"http://{host}/v1")
    check_model("openai:m", f"https://{host}/v1")
    (warning,) = caplog.messages
    assert "unencrypted" in warning and "sk-1234" not in warning
    assert host.partition(":")[0].strip("[") in warning


@pytest.mark.slow
def test_the_warning_goes_to_standard_error_alone(tmp_path: Path) -> None:
    kb = SupportKB.create(tmp_path / "kb", "headphones", examples=True)
    settings = "model: openai:m\nbase_url: http://192.0.2.1:9/v1\ntasks: {grow_tree: offline}\n"
    (kb.workspace.folder / "settings.yaml").write_text(settings)
    done = subprocess.run(
        [sys.executable, "-m", "autokb", "build", str(kb.workspace.folder), "--budget", "1", "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENAI_API_KEY": "sk-1234"},
    )
    assert "error" in json.loads(done.stdout)  # the price is not known, so nothing was sent
    assert done.stderr.count("unencrypted") == 1
    assert "unencrypted" not in done.stdout
