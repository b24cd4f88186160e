"""Pages between two passes over them: on the disk, so that any number of them takes the memory of one."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import IO

from autokb.pipeline.reading_pages import SourcePage


class PageSpool:
    """A file that only this process knows; it is gone when the block ends.

    ``places`` says which file each document came from, by its id.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="autokb-pages-")  # noqa: SIM115
        self.places: dict[str, str] = {}

    @property
    def count(self) -> int:
        """Return how many pages there are."""
        return len(self.places)

    def __enter__(self) -> PageSpool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def add(self, page: SourcePage) -> None:
        """Keep a page behind the others; its id must be one of its own."""
        pickle.dump(page, self._file, pickle.HIGHEST_PROTOCOL)
        self.places[page.document.id] = page.file

    def __iter__(self) -> Iterator[SourcePage]:
        """Give the pages in the order in which they came."""
        self._file.seek(0)
        for _ in range(self.count):
            page: SourcePage = pickle.load(self._file)
            yield page
