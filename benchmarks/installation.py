"""How much disk the core takes: autokb and all that ``pip install autokb`` brings along, without any extra."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import autokb
from benchmarks.figures import Figure, Result

SHOWN = 10  # megabytes: what takes less is in the stored details


def run(_options: argparse.Namespace) -> Result:
    """Add up the files of this environment's distributions that the core depends on, as ``du`` counts them."""
    sizes = {name: _megabytes(_files(one)) for name, one in sorted(_needed("autokb").items())}
    sizes["autokb"] = _megabytes(Path(autokb.__file__).parent.rglob("*"))  # an editable installation lists no files
    figures = [
        Figure("core", sum(sizes.values()), "MB", at_most=670),
        Figure("distributions", len(sizes)),
        *(Figure(name, size, "MB") for name, size in sorted(sizes.items(), key=lambda one: -one[1]) if size >= SHOWN),
    ]
    return Result("installation", figures, {"megabytes": {name: round(size, 2) for name, size in sizes.items()}})


def _needed(name: str) -> dict[str, Distribution]:
    """Return a distribution and all that it requires here without its extras, by name."""
    found: dict[str, Distribution] = {}
    waiting: list[tuple[str, frozenset[str]]] = [(name, frozenset())]
    seen = set()
    while waiting:
        one, extras = waiting.pop()
        if (one, extras) in seen:
            continue
        seen.add((one, extras))
        found[one] = distribution(one)
        for line in found[one].requires or ():
            requirement = Requirement(line)
            wanted = requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in extras or {""}
            )
            if wanted:
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def _files(one: Distribution) -> Iterator[Path]:
    return (Path(str(file.locate())) for file in one.files or ())


def _megabytes(paths: Iterable[Path]) -> float:
    """Return the disk blocks of files, the compiled modules beside them included, in units of 2**20 bytes."""
    return sum(path.stat().st_blocks for path in set(paths) if path.is_file()) * 512 / 2**20
