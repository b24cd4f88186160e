"""Items between two passes over them: on the disk, so that any number of them takes the memory of one."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import IO, Generic, TypeVar

T = TypeVar("T")


class DiskQueue(Generic[T]):
    """A file that only this process knows; it is gone when the block ends."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="autokb-queue-")  # noqa: SIM115
        self._count = 0

    def __enter__(self) -> DiskQueue[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def __len__(self) -> int:
        return self._count

    def add(self, item: T) -> None:
        """Put an item behind the others."""
        pickle.dump(item, self._file, pickle.HIGHEST_PROTOCOL)
        self._count += 1

    def __iter__(self) -> Iterator[T]:
        """Yield the items in the order in which they came."""
        self._file.seek(0)
        for _ in range(self._count):
            item: T = pickle.load(self._file)
            yield item
