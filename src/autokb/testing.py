"""Contract suites for what plug-ins bring: subclass one in your tests, and pytest runs it.

    class TestNotes(FormatContract):
        suffix = ".note"
        examples = (b"Title\\n\\nSome words.",)

Each goes through the product's own way, so the plug-in has to be installed where the tests run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from autokb.app import SupportKB
from autokb.core.results import SyncedSource
from autokb.sources import read_documents
from autokb.sources.reading import Reading


class FormatContract:
    """What a file format must do: ``examples`` are contents of files that can be read."""

    suffix: str
    examples: Sequence[bytes]

    def read(self, folder: Path, data: bytes) -> Reading[Any]:
        """Return what is read of a file with this content."""
        file = folder / f"example{self.suffix}"
        file.write_bytes(data)
        return read_documents([file])

    def test_each_example_is_a_document_with_a_title_and_a_text(self, tmp_path: Path) -> None:
        """No example is skipped, and none is empty."""
        for data in self.examples:
            reading = self.read(tmp_path, data)
            assert not reading.skipped, reading.skipped
            assert all(one.item.title and one.item.text.strip() for one in reading.records)

    def test_the_same_bytes_are_the_same_document(self, tmp_path: Path) -> None:
        """A build computes nothing anew for a file that did not change."""
        for data in self.examples:
            assert self.read(tmp_path, data).records == self.read(tmp_path, data).records

    def test_whatever_the_bytes_it_says_why_it_cannot_read_them(self, tmp_path: Path) -> None:
        """Damaged files are read, or skipped by an UnreadableFileError; no other error is raised."""
        damaged = [data[: len(data) // 2] for data in self.examples] + [b"", b"\xff\xfe\x00" * 99, bytes(range(256))]
        for data in damaged:
            reading = self.read(tmp_path, data)
            assert len(reading.records) + len(reading.skipped) == 1
            assert not any(one.reason.startswith(("is damaged", "The plug-in")) for one in reading.skipped), data


class SourceContract:
    """What a source of ``sync`` must do: ``settings`` are its entries in settings.yaml; ``begin`` makes some items.

    ``change`` changes one of them, ``remove`` takes one away; all work in the folder of a new workspace.
    """

    settings: Mapping[str, Any]

    def begin(self, folder: Path) -> None:
        """Make at least three items."""
        raise NotImplementedError

    def change(self, folder: Path) -> None:
        """Change one item."""
        raise NotImplementedError

    def remove(self, folder: Path) -> None:
        """Take one item away."""
        raise NotImplementedError

    def test_what_is_new_changed_and_gone_is_told_apart(self, tmp_path: Path) -> None:
        """An item that is gone stays for one listing more, for the source may have been half there."""
        import yaml

        folder = tmp_path / "kb"
        SupportKB.create(folder).close()
        (folder / "settings.yaml").write_text(yaml.safe_dump({"sources": {"it": dict(self.settings)}}), "utf-8")
        kb = SupportKB.open(folder)

        def synced() -> SyncedSource:
            found = kb.sync().sources["it"]
            assert found.error is None, found.error
            return found

        self.begin(folder)
        first, again = synced(), synced()
        assert first.added >= 3 and first.added == again.unchanged
        assert not again.added + again.updated + again.removed, "nothing changed in between"
        self.change(folder)
        assert synced().updated == 1
        self.remove(folder)
        assert [synced().removed, synced().removed] == [0, 1]
        kb.close()
