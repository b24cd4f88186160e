"""What is installed is pinned, and by hashes: what the Makefile fetches holds all that pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
ONE = re.compile(r"^(\S.*?) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\\n|\n))+)", re.MULTILINE)
SAYS_SO = "run make lock"


def read_lock(path: Path) -> dict[str, Requirement]:
    """Read the pins of a lock, by name; a line that is no pin with hashes fails the test."""
    text = re.sub(r"^#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert not ONE.sub("", text).strip(), f"{path.name} holds something without a hash: {SAYS_SO}"
    found = [Requirement(line) for line, _ in ONE.findall(text)]
    return {canonicalize_name(one.name): one for one in found}


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    one = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in one}


def asked(*extras: str) -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    optional = project["project"]["optional-dependencies"]
    lines = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    return [Requirement(line) for line in [*lines, *(one for extra in extras for one in optional[extra])]]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_everything_that_is_fetched_has_a_version_of_the_constraints_and_a_hash(path: Path) -> None:
    versions = pinned()
    for name, one in read_lock(path).items():
        (exact,) = one.specifier
        assert exact.operator == "=="
        if one.marker is None or name in versions:  # what another system alone needs is pinned in the lock itself
            assert exact.version == versions.get(name), f"{name}: {SAYS_SO}"


@pytest.mark.parametrize(("name", "extras"), [("core.txt", ()), ("dev.txt", ("test", "check", "bench", "docs"))])
def test_a_lock_holds_what_the_project_asks_for(name: str, extras: tuple[str, ...]) -> None:
    lock = read_lock(ROOT / "requirements" / name)
    for one in asked(*extras):
        locked = lock.get(canonicalize_name(one.name))
        assert locked is not None, f"{one.name} is not in requirements/{name}: {SAYS_SO}"
        (exact,) = locked.specifier
        assert one.specifier.contains(exact.version), f"{one} and {locked} contradict each other: {SAYS_SO}"


def test_every_extra_has_a_lock_of_what_it_adds_to_the_core() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = set(project["project"]["optional-dependencies"]) - {"test", "check", "bench", "docs"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    (listed,) = re.findall(r"^EXTRAS := (.*)$", makefile, re.MULTILINE)
    assert set(listed.split()) == extras
    core = read_lock(ROOT / "requirements" / "core.txt")
    for extra in sorted(extras):
        lock = read_lock(ROOT / "requirements" / f"{extra}.txt")
        for one in map(Requirement, project["project"]["optional-dependencies"][extra]):
            (exact,) = (lock | core)[canonicalize_name(one.name)].specifier
            assert one.specifier.contains(exact.version), f"{one}: {SAYS_SO}"
        twice = lock.keys() & core.keys()
        assert all(lock[name].specifier == core[name].specifier for name in twice), f"{extra}: {SAYS_SO}"
        assert all(core[name].marker for name in twice), f"{extra} repeats the core: {SAYS_SO}"


def test_no_lock_names_a_host() -> None:
    for path in LOCKS:
        assert "://" not in path.read_text(encoding="utf-8"), path.name


def test_the_core_is_part_of_what_the_tests_run_with() -> None:
    core, dev = (read_lock(ROOT / "requirements" / name) for name in ("core.txt", "dev.txt"))
    assert {(name, one.specifier) for name, one in core.items()} <= {(name, one.specifier) for name, one in dev.items()}


def test_the_makefile_fetches_nothing_without_a_hash() -> None:
    """All but autokb itself, which is here, and uv, which writes the locks."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    loose = [line.strip() for line in makefile.splitlines() if "$(INSTALL)" in line and "FETCH :=" not in line]
    assert loose == ["$(INSTALL) --no-deps --no-build-isolation -e .", "$(INSTALL) -c constraints.txt uv"]
    assert "FETCH := $(INSTALL) --require-hashes" in makefile
    assert "$(FETCH) --no-build-isolation -r requirements/dev.txt" in makefile  # rouge-score comes as source alone
