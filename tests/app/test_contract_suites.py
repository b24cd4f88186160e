"""The suites of ``autokb.testing``: held to by the example and by ourselves, and not by what breaks them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import installed_plugins
from autokb.testing import FormatContract, SourceContract

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "autokb-plugin-notes" / "src"


@pytest.fixture
def notes(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    place = tmp_path_factory.mktemp("notes")
    module = "from autokb_plugin_notes import plugin\n"
    installed_plugins.write(place, "notes", {"notes_plugin.py": module})
    (place / "autokb_plugin_notes").symlink_to(EXAMPLE / "autokb_plugin_notes")
    monkeypatch.setenv("PYTHONPATH", str(place), prepend=":")
    with installed_plugins.on_path(place):
        yield


@pytest.mark.usefixtures("notes")
class TestNotes(FormatContract):
    suffix = ".note"
    examples = (b"Title\nurl: https://a.example\n\nSome words.\n* One.\n* Two.\n", b"Only a title\n\nWords.")


class TestMarkdown(FormatContract):
    suffix = ".md"
    examples = (b"# Title\n\nSome words.\n", b"No title, some words.")


@pytest.mark.usefixtures("notes")
class TestVault(SourceContract):
    settings = {"type": "notes.vault", "path": "vault.jsonl"}  # noqa: RUF012

    def begin(self, folder: Path) -> None:
        self.write(
            folder, [{"id": f"n{n}", "title": f"Note {n}", "text": "Turn it.", "changed": "1"} for n in range(4)]
        )

    def change(self, folder: Path) -> None:
        first, *rest = self.lines(folder)
        self.write(folder, [{**first, "text": "Turn it twice.", "changed": "2"}, *rest])

    def remove(self, folder: Path) -> None:
        self.write(folder, self.lines(folder)[1:])

    @staticmethod
    def lines(folder: Path) -> list[dict[str, str]]:
        return [json.loads(line) for line in (folder / "vault.jsonl").read_text(encoding="utf-8").splitlines()]

    @staticmethod
    def write(folder: Path, lines: list[dict[str, str]]) -> None:
        (folder / "vault.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def test_a_reader_that_raises_anything_else_breaks_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "installed"
    declared = "from autokb.plugin import Plugin\nplugin = Plugin('odd', formats={'.odd': 'odd_code:read'})"
    code = "count = 0\ndef read(data):\n    global count\n    count += 1\n    return f'{data.decode()} {count}'\n"
    installed_plugins.write(place, "odd", {"odd_plugin.py": declared, "odd_code.py": code})
    monkeypatch.setenv("PYTHONPATH", str(place), prepend=":")
    suite = FormatContract()
    suite.suffix, suite.examples = ".odd", (b"words",)
    with installed_plugins.on_path(place):
        suite.test_each_example_is_a_document_with_a_title_and_a_text(tmp_path)
        for broken in (
            suite.test_the_same_bytes_are_the_same_document,
            suite.test_whatever_the_bytes_it_says_why_it_cannot_read_them,
        ):
            with pytest.raises(AssertionError):
                broken(tmp_path)


def test_a_suite_of_which_half_is_missing_says_what(tmp_path: Path) -> None:
    class Half(SourceContract):
        def begin(self, folder: Path) -> None:
            raise AssertionError

    with pytest.raises(AssertionError, match="Half has to say settings, change, remove; "):
        Half().test_what_is_new_changed_and_gone_is_told_apart(tmp_path)
