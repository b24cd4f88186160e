"""Workspaces and their two YAML files."""

from __future__ import annotations

import datetime
import math
from pathlib import Path

import pytest

from autokb.core.errors import BadInputError, WorkspaceBusyError
from autokb.core.settings import read_settings
from autokb.core.yaml_text import parse_yaml
from autokb.stores.workspace import create_workspace, open_workspace, settings_from

DOMAIN = "name: d\nattributes:\n  os: {kind: closed, values: [Android, iOS]}\n"


def test_a_new_workspace_opens_again(tmp_path: Path) -> None:
    create_workspace(tmp_path / "kb", DOMAIN)
    workspace = open_workspace(tmp_path / "kb")
    assert workspace.spec.attributes["os"].values == ("Android", "iOS")
    assert workspace.settings.model == "offline"


def test_an_existing_workspace_is_refused_and_kept(tmp_path: Path) -> None:
    create_workspace(tmp_path, DOMAIN)
    with pytest.raises(BadInputError, match="already"):
        create_workspace(tmp_path, "name: other\n")
    assert open_workspace(tmp_path).spec.name == "d"


def test_a_wrong_domain_makes_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="needs its values"):
        create_workspace(tmp_path / "kb", "attributes: {os: {kind: closed}}")
    assert not (tmp_path / "kb").exists()


@pytest.mark.parametrize(("text", "values"), [("[Yes, No]", ("Yes", "No")), ("[1.10, on]", ("1.10", "on"))])
def test_words_stay_words(text: str, values: tuple[str, ...]) -> None:
    assert tuple(map(str, parse_yaml(f"v: {text}", "x")["v"])) == values


def test_broken_yaml_names_its_line() -> None:
    with pytest.raises(BadInputError, match=r"domain\.yaml is not valid YAML in line 3"):
        parse_yaml("a: 1\nb: [\n", "domain.yaml")


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# all of it\n# a comment\n", "---\n", "{}", "name:\n", "name: ''\nrules: []\n", "nam"]
)
def test_a_domain_that_was_emptied_or_cut_off_is_refused(text: str, tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path / "kb", DOMAIN)
    (workspace.folder / "domain.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match=r"domain\.yaml (is empty or cut off|must be a mapping)"):
        open_workspace(workspace.folder)
    with pytest.raises(BadInputError, match=r"domain\.yaml"):
        create_workspace(tmp_path / "new", text)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("text", ["name: fresh", "attributes: {}\n", "name: d\nrules:\n# none yet\n"])
def test_a_short_domain_is_one(text: str, tmp_path: Path) -> None:
    assert create_workspace(tmp_path / "kb", text).spec.rules == ()


def test_a_second_build_is_refused_with_a_sentence(tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path, DOMAIN)
    with workspace.build_lock(), pytest.raises(WorkspaceBusyError, match="Another build"), workspace.build_lock():
        raise AssertionError("two builds at once")
    with workspace.build_lock():
        assert True  # free again


def test_the_environment_overrides_the_file() -> None:
    assert read_settings({"chunker": "fixed"}, {"AUTOKB_CHUNKER": "headings"}).chunker == "headings"


DAY = datetime.date(2026, 1, 1)
ODD_NUMBERS = (math.inf, math.nan, -1, 0, 1.5, True, "1e9", "²", "٣", 10**12, 10**5000, "9" * 5000, [1], {}, DAY)
ODD_WORDS = (1, 10**5000, math.nan, ["offline"], {"a": 1}, DAY)
ODD_PRICES = (math.inf, "nan", "-inf", "1e400", -1, 10**400, 1e7, True, None, "dear", [1], DAY)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"modell": "x"}, "'modell' is not a setting"),
        ({"concurrency": 0}, "at least 1"),
        ({"prices": {"m": {"input": 1}}}, "needs input and output"),
        ([], "must be a mapping"),
        *(
            ({name: odd}, f"{name} must be a whole number of at least {least} and at most 1000000000, not ")
            for name, least in {"timeout": 1, "retries": 0, "max_size": 1, "max_reply_bytes": 1}.items()
            for odd in ODD_NUMBERS
            if least or type(odd) is not int or odd != 0
        ),
        *(({name: odd}, f"{name} must be a word, not ") for name in ("model", "base_url") for odd in ODD_WORDS),
        *(({"tasks": {"grow_tree": odd}}, "the model of grow_tree must be a word") for odd in ODD_WORDS),
        *(
            ({"prices": {"m": {"input": 1, "output": odd}}}, "price of m: output must be a number from 0 to 1000000")
            for odd in ODD_PRICES
        ),
        ({"prices": {None: {"input": 1, "output": 1}}}, "must be a word, not None"),
        ({10**5000: 1}, "a number of more than 60 digits is not a setting"),
    ],
)
def test_wrong_settings_are_named(data: object, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence) as refused:
        read_settings(data)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    "text",
    [
        "timeout: " + "9" * 5000,
        "timeout: !!float .nan",
        "timeout: !!timestamp 2026-01-01",
        "timeout: !!timestamp nonsense",
        "model: !!bool nonsense",
        "model: !!set {a, b}",
        "timeout: 0_",
        "timeout: 99999999999999999999",
        "prices: {m: {input: .inf, output: 1}}",
        "prices: {m: {input: 1e400, output: 1}}",
        "prices: {m: {input: -1, output: 1}}",
        "prices: {m: {input: [1], output: 1}}",
    ],
)
def test_an_odd_value_in_the_file_is_bad_input(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.yaml").write_text(text)
    with pytest.raises(BadInputError) as refused:
        settings_from(tmp_path / "settings.yaml")
    assert len(str(refused.value)) < 500


def test_half_a_character_in_the_file_or_the_environment_can_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.yaml").write_text(r'model: "openai:m\ud83d"')
    assert settings_from(tmp_path / "settings.yaml").model == "openai:m\ufffd"
    monkeypatch.setenv("AUTOKB_MODEL", "openai:m\udcff")
    assert settings_from(None).model == "openai:m\ufffd"


def test_a_number_may_be_written_in_any_usual_way() -> None:
    assert parse_yaml("[1, 0x10, 1_000, -9223372036854775807, 007]", "x") == [1, 16, 1000, -(2**63 - 1), 7]
    assert read_settings({"timeout": "30"}, {"AUTOKB_RETRIES": "3"}).retries == 3


def test_settings_that_are_not_there_are_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"s\.yaml cannot be read \(No such file or directory\)"):
        settings_from(tmp_path / "s.yaml")
    (tmp_path / "s.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match=r"s\.yaml is no UTF-8 text; save it as such\."):
        settings_from(tmp_path / "s.yaml")
