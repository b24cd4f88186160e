"""What several floors' tests share; its place also lets tests import the modules beside it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

import hand_made_kb
import made_once
from autokb.app import SupportKB
from autokb.app.create import create
from autokb.core import plugins as found_plugins
from autokb.exchange.import_kb import import_file
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from benchmarks import postgres_server

# The core alone: no plug-in of ours is found, neither here nor in any process that a test starts.
WITHOUT_PLUGINS = bool(os.environ.get("AUTOKB_TESTS_WITHOUT_PLUGINS"))
if WITHOUT_PLUGINS:
    found_plugins.BUILT_IN = ()
    sys.path.insert(0, str(Path(__file__).parent / "without_plugins"))
    os.environ["PYTHONPATH"] = os.pathsep.join([sys.path[0], *filter(None, [os.environ.get("PYTHONPATH")])])

made_once.share()
# No test may depend on how fast the machine is.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as scripts do in what they start with &: tests send Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder in which the workers of a run keep what the encoder has read, until the run ends."""
    if made_once.KEPT not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="autokb-tests-")
        os.environ[made_once.KEPT] = folder.name
        config.add_cleanup(lambda: os.environ.pop(made_once.KEPT, None))
        config.add_cleanup(folder.cleanup)


if WITHOUT_PLUGINS:
    OUT_OF_REACH = re.compile(
        r"[Nn]o plug-in that is installed|is not installed, or does not load|No such command|is out of reach"
    )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Skip a test that asked for what a plug-in brings and was told so."""
        report = yield
        said = "".join((report.longreprtext, *(text for _, text in report.sections)))
        if report.failed and (told := OUT_OF_REACH.search(said)):
            report.outcome = "skipped"
            report.longrepr = (str(item.path), 0, f"needs a plug-in: {told[0]}")
        return report


TURNS = 5  # commits after which CI has run every slow test: all of them take more than half of its time


def pytest_report_header() -> str:
    """Say which slow tests run."""
    which = "all" if _slow() == "all" else f"turn {_turn() + 1} of {TURNS}" if _slow() else "none"
    return f"slow tests: {which}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked ``slow``: all of it without SLOW, by SLOW=1 what another commit's turn has, none by SLOW=all.

    Turns follow from the commit, so that the same commit has the same tests.
    """
    for item in items if WITHOUT_PLUGINS else ():
        if item.get_closest_marker("with_plugins"):
            item.add_marker(pytest.mark.skip(reason="is about what our plug-ins bring"))
    if _slow() == "all":
        return
    turn = _turn() if _slow() else -1
    reason = "slow: SLOW=all make test runs it" + (", or the turn of another commit" if _slow() else "")
    for item in items:
        if item.get_closest_marker("slow") and crc32(item.nodeid.encode()) % TURNS != turn:
            item.add_marker(pytest.mark.skip(reason=reason))


def _slow() -> str:
    return os.environ.get("SLOW", "").removeprefix("0")


@cache
def _turn() -> int:
    """Return whose turn it is: by the commit that is checked out, the first where there is none."""
    asked = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout, 16) % TURNS
    except (OSError, subprocess.CalledProcessError):
        return 0


def _made_once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a workspace's folder that the first worker of a run makes and the others find; tests copy it."""
    here = tmp_path_factory.getbasetemp()
    made = (here.parent if "PYTEST_XDIST_WORKER" in os.environ else here) / name
    with FileLock(made.with_suffix(".lock")):
        if not made.exists():
            begun = tmp_path_factory.mktemp(name) / "kb"
            make(begun)
            begun.rename(made)
    return made


@pytest.fixture(scope="session")
def postgres() -> Iterator[postgres_server.PostgresServer]:
    """A Postgres server for a whole run of a worker; each test has a schema of its own."""
    with postgres_server.postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def _imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        done = import_file(create_workspace(folder, "name: fresh\n"), hand_made_kb.write(folder.parent / "kb.jsonl"))
        assert done.skipped == ()

    return _made_once(tmp_path_factory, "hand-made", make)


@pytest.fixture
def hand_made(_imported: Path, tmp_path: Path) -> Workspace:
    """A workspace of one's own with the hand-made knowledge base in it."""
    shutil.copytree(_imported, tmp_path / "kb")
    return open_workspace(tmp_path / "kb")


@pytest.fixture(scope="session")
def _headphones(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        created = create(folder, "headphones", examples=True)
        assert (created.documents, created.issues) == (18, 203)

    return _made_once(tmp_path_factory, "headphones", make)


@pytest.fixture
def headphones(_headphones: Path, tmp_path: Path) -> Workspace:
    """A workspace of one's own to which the examples of the headphones were added; it is not built."""
    shutil.copytree(_headphones, tmp_path / "kb")
    return open_workspace(tmp_path / "kb")


@pytest.fixture(scope="session")
def _built_headphones(_headphones: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        SupportKB.open(shutil.copytree(_headphones, folder)).build()

    return _made_once(tmp_path_factory, "built-headphones", make)
