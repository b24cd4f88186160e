"""What a run of the sources of the settings did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autokb.core.nouns import Skipped
from autokb.core.results import Result
from autokb.pipeline.build_report import BuildReport


@dataclass(frozen=True, slots=True)
class SyncedSource(Result):
    """What one run of a source did, with the requests and bytes that it took; ``error`` says why it ended early.

    ``kept`` documents have the text that they had, since the source gives something else in their place (``skipped``).
    """

    added: int
    updated: int
    unchanged: int
    removed: int
    skipped: tuple[Skipped, ...]
    requests: int = 0
    bytes: int = 0
    error: str | None = None
    kept: int = 0

    @property
    def changed(self) -> int:
        """How many items are not as they were."""
        return self.added + self.updated + self.removed


@dataclass(frozen=True, slots=True)
class Synced(Result):
    """What a run did, source by source; ``build`` is what was built after it, None where nothing was."""

    sources: Mapping[str, SyncedSource]
    build: BuildReport | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what ``add`` says, by source; the build is there where there was one."""
        by_source = {name: one.as_json() for name, one in self.sources.items()}
        return {**by_source, **({"build": self.build.as_json()} if self.build else {})}

    @property
    def errors(self) -> tuple[str, ...]:
        """A sentence for each source that could not be read to its end."""
        return tuple(f"{name}: {one.error}" for name, one in self.sources.items() if one.error is not None)
