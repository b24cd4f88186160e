"""The sdist and the wheel: whole, accepted by the tools that check them, and all that the demo needs, offline."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # builds, installs, and runs the demo
ROOT = Path(__file__).resolve().parents[1]
TOP = {"CHANGELOG.md", "MANIFEST.in", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg", "src"}
MOST_BYTES = 28 * 2**20  # of each; they have some 22 MiB, 20 of them the encoder
NOWHERE = "http://127.0.0.1:9"  # the discard port, where nothing listens
PROXIES = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of a copy of this tree, and the wheel that is made from that sdist."""
    if find_spec("build") is None:
        pytest.skip("the extra 'check' is not installed")
    tree = tmp_path_factory.mktemp("tree")
    for name in TOP - {"PKG-INFO", "setup.cfg", "src"}:
        shutil.copy(ROOT / name, tree)
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", tree / "src", ignore=ignored)
    shutil.copytree(ROOT / "tests" / "cli", tree / "tests", ignore=ignored)  # files that setuptools would take along
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tree / "dist"), str(tree))
    return tree / "dist"


def run(*words: str, **more: object) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, **more)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def test_both_hold_the_package_whole_and_nothing_else(made: Path) -> None:
    package = {
        file.relative_to(ROOT / "src").as_posix()
        for file in (ROOT / "src" / "autokb").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    wheel, sdist = only(made, "*.whl"), only(made, "*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name for name in names if ".dist-info/" not in name} == package
    assert "autokb/py.typed" in names
    with tarfile.open(sdist) as archive:
        files = {one.name.partition("/")[2] for one in archive if one.isfile()}
    assert {name.partition("/")[0] for name in files} == TOP
    assert {name.removeprefix("src/") for name in files if name.startswith("src/autokb/")} == package
    assert max(wheel.stat().st_size, sdist.stat().st_size) < MOST_BYTES


def test_the_tools_that_check_them_accept_both(made: Path) -> None:
    files = [str(only(made, "*.whl")), str(only(made, "*.tar.gz"))]
    assert run(sys.executable, "-m", "twine", "check", "--strict", *files).count("PASSED") == 2
    assert "OK" in run(sys.executable, "-m", "check_wheel_contents", files[0])


def test_the_demo_runs_from_the_wheel_alone_without_a_network(made: Path, tmp_path: Path) -> None:
    """In a fresh environment, which finds the distributions that autokb needs where they are installed already."""
    environment, here = tmp_path / "env", tmp_path / "here"
    here.mkdir()
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-deps",
        "--no-index",
        str(only(made, "*.whl")),
    )
    site = Path(run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # A folder named in a .pth comes last, and its own .pth files, which lead to this tree, are not read.
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    bare = {"PATH": os.defpath, "HOME": str(here), **PROXIES}
    alone = ["unshare", "--map-root-user", "--net"] if _can_unshare() else []
    where = run(*alone, str(python), "-c", "import autokb; print(autokb.__file__)", cwd=here, env=bare)
    assert Path(where.strip()).is_relative_to(site)
    printed = run(*alone, str(environment / "bin" / "autokb"), "demo", cwd=here, env=bare)
    assert re.search(r"^headphones: [1-9]\d* trees, [1-9]\d* solutions$", printed, re.MULTILINE)
    assert "└── " in printed and re.search(r"no-sound\.html .*\n(?:.*\n)?.*  \[\d+:\d+\]", printed)
    assert re.findall(r"^(answered|asks|abstains)\b", printed, re.MULTILINE) == ["answered", "asks", "abstains"]
    assert [one.name for one in here.iterdir()] == ["demo-workspace"]


def _can_unshare() -> bool:
    """Return whether this system lets a process have a network of its own, with nothing in it."""
    program = shutil.which("unshare")
    words = [str(program), "--map-root-user", "--net", "true"]
    return program is not None and subprocess.run(words, capture_output=True).returncode == 0
