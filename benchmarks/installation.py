"""How much disk the core takes, which is autokb and all that comes along, and how much more each of its extras."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import autokb
from benchmarks.figures import Figure, Result

DEVELOPERS = ("test", "check", "bench")  # extras for those who change autokb
SHOWN = 10  # megabytes: what takes less is in the stored details


def run(_options: argparse.Namespace) -> Result:
    """Add up the files of this environment's distributions that the core and each extra need, as ``du`` counts them.

    An extra that is not installed here has no figure.
    """
    core = _needed("autokb")
    sizes = {name: _megabytes(_files(one)) for name, one in sorted(core.items())}
    sizes["autokb"] = _megabytes(Path(autokb.__file__).parent.rglob("*"))  # an editable installation lists no files
    extras = {extra: _added(extra, core) for extra in distribution("autokb").metadata.get_all("Provides-Extra") or ()}
    figures = [
        Figure("core", sum(sizes.values()), "MB", at_most=670),
        Figure("distributions", len(sizes)),
        *(Figure(name, size, "MB") for name, size in sorted(sizes.items(), key=lambda one: -one[1]) if size >= SHOWN),
        *(Figure(f"extra.{extra}", size, "MB") for extra, size in sorted(extras.items()) if extra not in DEVELOPERS),
    ]
    return Result("installation", figures, {"megabytes": {name: round(size, 2) for name, size in sizes.items()}})


def _added(extra: str, core: Mapping[str, Distribution]) -> float | None:
    """Return the megabytes that an extra takes beside the core; None where it is not installed."""
    try:
        needed = _needed("autokb", extra)
    except PackageNotFoundError:
        return None
    return sum(_megabytes(_files(one)) for name, one in needed.items() if name not in core)


def _needed(name: str, *extras: str) -> dict[str, Distribution]:
    """Return a distribution and all that it requires here with these extras of it, by name (PackageNotFoundError)."""
    found: dict[str, Distribution] = {}
    waiting: list[tuple[str, frozenset[str]]] = [(name, frozenset(extras))]
    seen = set()
    while waiting:
        one, wanted_extras = waiting.pop()
        if (one, wanted_extras) in seen:
            continue
        seen.add((one, wanted_extras))
        found[one] = distribution(one)
        for line in found[one].requires or ():
            requirement = Requirement(line)
            wanted = requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in wanted_extras or {""}
            )
            if wanted:
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return found


def _files(one: Distribution) -> Iterator[Path]:
    return (Path(str(file.locate())) for file in one.files or ())


def _megabytes(paths: Iterable[Path]) -> float:
    """Return the disk blocks of files, the compiled modules beside them included, in units of 2**20 bytes."""
    return sum(path.stat().st_blocks for path in set(paths) if path.is_file()) * 512 / 2**20
