"""Workspaces and their two YAML files."""

from __future__ import annotations

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
    with pytest.raises(BadInputError, match=r"domain\.yaml is no valid YAML in line 3"):
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


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"modell": "x"}, "'modell' is not a setting"),
        ({"concurrency": 0}, "at least 1"),
        ({"prices": {"m": {"input": 1}}}, "needs input and output"),
        ([], "must be a mapping"),
    ],
)
def test_wrong_settings_are_named(data: object, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_settings(data)


def test_settings_that_are_not_there_are_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"s\.yaml cannot be read \(No such file or directory\)"):
        settings_from(tmp_path / "s.yaml")
    (tmp_path / "s.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInputError, match=r"s\.yaml is no UTF-8 text; save it as such\."):
        settings_from(tmp_path / "s.yaml")
