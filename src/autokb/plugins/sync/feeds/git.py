"""A repository through the ``git`` command: a shallow checkout of one branch, brought up to date where it moved.

Nothing of a repository is run: no hooks, no submodules, no filters of large files, and links are not followed. No
command looks for a repository: each is told which one it is for, so that none other is ever changed.

Nothing is written out before its files are counted: some hundred bytes of a repository can name a billion files, and a
pack can unfold to any size. Each command has bounds of time, memory and room, at which it ends with all it started.
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

import httpx2

from autokb.core.source_settings import SourceSettings
from autokb.net.addresses import allowed_addresses
from autokb.net.fetch import FeedError

LONGEST_COMMAND = 1_800  # seconds of one git command; a large repository over a slow line
LOOK_EVERY = 0.05  # seconds
MOST_FILES = 100_000  # of a checkout
MOST_BYTES = 4_000_000_000  # of a checkout, and of what git holds of a repository
MOST_MEMORY = 4_000_000_000  # bytes of one process of git
MOST_SAID = 50_000_000  # bytes that a command prints: the names of all files
PROTOCOLS = "https:http:ssh:file:git"
_SAFE = ("core.hooksPath=/dev/null", "core.symlinks=false", "http.followRedirects=false", "http.proxy=", "gc.auto=0")
_LIMITED = f'ulimit -v {MOST_MEMORY // 1024}; ulimit -f {MOST_BYTES // 512}; exec "$@"'
_HOST = re.compile(r"[A-Za-z0-9_.:-]+")
_SCP = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!//)")  # user@host:path
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_TOKEN_USER = "x-access-token"  # what GitHub and others take for the user of a token
_SHOWN = 300  # characters of what git says
# What is passed on of git's own variables: how to connect, where git and its settings are. Others name a repository.
_SETTINGS = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_PASSED_ON = ("GIT_SSH", "GIT_SSL_", "GIT_ASKPASS", "GIT_EXEC_PATH", *_SETTINGS)
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")  # they resolve names themselves, past the check
Check = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Checkout:
    """A branch as it is now: its commit, the requests and bytes that it took."""

    commit: str
    requests: int
    bytes: int


def check_out(source: SourceSettings, folder: Path, base: Path, secret: str, check: Check) -> Checkout:
    """Bring a folder to the newest commit of a source's branch (FeedError); paths are relative to ``base``.

    A folder that a killed run left in any state is made again where git cannot go on with it. ``check`` raises where
    the run is over.
    """
    url = _checked_url(source, base)
    git = _Git(_environment(source, url, secret), check)
    wanted = _newest(source, url, git)
    requests, before = 1, _size(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.chmod(0o700)  # a private repository's files
    try:
        if not _stands_at(folder, wanted, git):
            requests = 2
            (folder / ".git" / "index.lock").unlink(missing_ok=True)  # of a run that was killed; we hold the only lock
            git(["fetch", "--depth=1", "--no-tags", "--", url, _reference(source)], folder)
            _write_out(folder, "FETCH_HEAD", git)
    except _TooLargeError:
        raise
    except (FeedError, OSError):
        requests, before = 2, 0
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.lexists(folder):
            raise FeedError(f"{folder} is no checkout of {source.url} and cannot be removed; remove it.") from None
        _clone(source, url, folder, git)
    if requests > 1 and not _stands_at(folder, wanted, git):
        raise FeedError(f"The checkout of {source.url} is not at {wanted[:12]}; the next run reads it again.")
    return Checkout(wanted, requests, max(0, _size(folder) - before) if requests > 1 else 0)


class _TooLargeError(FeedError):
    """A repository is beyond the bounds: it would be so again if it were made anew."""


def _write_out(folder: Path, commit: str, git: _Git) -> None:
    """Write out the files of a commit, whose number and sizes git tells first."""
    files = git(["ls-tree", "-rlz", commit], folder).split("\0")
    size = sum(int(found) for one in files if (found := one.partition("\t")[0].split(" ")[-1]).isdigit())
    if len(files) > MOST_FILES or size > MOST_BYTES:
        raise _TooLargeError(f"Its branch has more than {MOST_FILES:,} files or {MOST_BYTES:,} bytes.")
    git(["reset", "--hard", commit], folder)
    git(["clean", "-ffdx"], folder)


def _stands_at(folder: Path, commit: str, git: _Git) -> bool:
    """Return whether a checkout is of a commit, with no file changed (FeedError where git cannot read it)."""
    if not (folder / ".git").is_dir() or (folder / ".git").is_symlink() or folder.is_symlink():
        raise FeedError(f"{folder} is no checkout.")
    if git(["rev-parse", "--verify", "HEAD"], folder).strip() != commit:
        return False
    return not git(["status", "--porcelain"], folder)


def _clone(source: SourceSettings, url: str, folder: Path, git: _Git) -> None:
    """Make the checkout; it stands at its place when it is whole."""
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    branch = ["--branch", source.branch] if source.branch else []
    options = ["--depth=1", "--no-tags", "--no-checkout", "--single-branch", *branch]
    try:
        git(["clone", *options, "--", url, str(new)], made=new)
        _write_out(new, "HEAD", git)
    except FeedError:
        shutil.rmtree(new, ignore_errors=True)
        raise
    try:
        new.replace(folder)
    except OSError as error:
        raise FeedError(f"{folder} cannot be made ({error.strerror}).") from error


def _checked_url(source: SourceSettings, base: Path) -> str:
    """Return what git is given; a host must be one that may be reached (FeedError)."""
    try:
        parts = urlsplit(source.url)
        host, port = parts.hostname or "", parts.port or 443
    except ValueError:
        raise FeedError(f"{source.url} is no address.") from None
    if parts.scheme in ("http", "https", "ssh", "git"):
        if not _HOST.fullmatch(host):  # git may read another one there
            raise FeedError(f"{source.url} names no host that can be checked.")
    elif found := _SCP.match(source.url):
        host, port = found[1], 22
    else:
        return (base / source.url.removeprefix("file://")).resolve().as_uri()  # as an address, depth counts
    try:
        asyncio.run(allowed_addresses(host, port, source.allow_networks))
    except httpx2.TransportError as error:
        raise FeedError(f"{source.url} is refused: {error}.") from error
    return source.url


def _environment(source: SourceSettings, url: str, secret: str) -> dict[str, str]:
    """Return git's environment; a secret stands there and not among the words of a command, which others can see."""
    found = {
        **{name: value for name, value in os.environ.items() if _is_passed_on(name)},
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": PROTOCOLS,
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
        "LC_ALL": "C",
    }
    if secret and url.startswith(("http://", "https://")):
        packed = base64.b64encode(f"{source.user or _TOKEN_USER}:{secret}".encode()).decode()
        found |= {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "http.extraHeader",
            "GIT_CONFIG_VALUE_0": f"Authorization: Basic {packed}",
        }
    return found


def _is_passed_on(name: str) -> bool:
    return name.startswith(_PASSED_ON) or not (name.startswith("GIT_") or name.casefold() in _PROXIES)


def _reference(source: SourceSettings) -> str:
    return f"refs/heads/{source.branch}" if source.branch else "HEAD"


def _newest(source: SourceSettings, url: str, git: _Git) -> str:
    """Return the newest commit of the branch."""
    listed = git(["ls-remote", "--", url, _reference(source)])
    commit = listed.split("\t")[0].strip() if listed.strip() else ""
    if not _COMMIT.fullmatch(commit):
        raise FeedError(f"{source.url} has no branch {source.branch or 'that is checked out by default'}.")
    return commit


class _Git:
    """Runs git with one environment; ``check`` is asked while it runs, and raises where the run is over."""

    def __init__(self, environment: dict[str, str], check: Check) -> None:
        self._environment = environment
        self._check = check

    def __call__(self, words: list[str], folder: Path | None = None, made: Path | None = None) -> str:
        """Return what git prints, run in the checkout ``folder`` where there is one; ``made`` is what it makes."""
        at = None if folder is None else folder.absolute()
        place = [] if at is None else [f"--git-dir={at / '.git'}", f"--work-tree={at}"]
        safe = [word for setting in _SAFE for word in ("-c", setting)]
        command = ["git", *safe, *place, *words]
        if os.name == "posix":
            command = ["sh", "-c", _LIMITED, "sh", *command]
        if shutil.which("git") is None:
            raise FeedError("The command git is not installed; install it.")
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
            process = subprocess.Popen(command, cwd=folder, env=self._environment, start_new_session=True, **streams)
            try:
                self._wait(process, words[0], made or folder, (out, err))
            finally:
                _kill(process)
            said, errors = (_read(file) for file in (out, err))
        if process.returncode:
            shown = " ".join(errors.split())[-_SHOWN:]
            raise FeedError(f"git {words[0]} failed: {shown or 'it does not say why'}")
        return said

    def _wait(self, process: subprocess.Popen[bytes], word: str, folder: Path | None, said: Iterable[Any]) -> None:
        """Wait for a command within its bounds (FeedError)."""
        ends = time.monotonic() + LONGEST_COMMAND
        while True:
            with suppress(subprocess.TimeoutExpired):
                process.wait(LOOK_EVERY)
                return
            self._check()
            if time.monotonic() > ends:
                raise FeedError(f"git {word} took more than {LONGEST_COMMAND} seconds.")
            if any(os.fstat(file.fileno()).st_size > MOST_SAID for file in said):
                raise _TooLargeError(f"git {word} names more files than can be read.")
            if folder is not None and _size(folder) > MOST_BYTES:
                raise _TooLargeError(f"git {word} wrote more than {MOST_BYTES:,} bytes.")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started, where it did not end by itself."""
    if process.poll() is None:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()


def _read(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(MOST_SAID).decode("utf-8", "replace")


def _size(folder: Path) -> int:
    """Return the bytes of what git holds of a repository."""
    size = 0
    for place, _, names in os.walk(folder / ".git" / "objects"):
        for name in names:
            with suppress(OSError):  # git takes away what it wrote for a time
                size += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 - a Path each is many times slower
    return size
