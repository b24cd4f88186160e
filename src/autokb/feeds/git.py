"""A repository through the ``git`` command: a shallow checkout of one branch, brought up to date where it moved.

Nothing of a repository is run: no hooks, no submodules, no filters of large files, and links are not followed. No
command looks for a repository: each is told which one it is for, so that none other is ever changed.
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from autokb.core.source_settings import SourceSettings
from autokb.feeds.addresses import allowed_addresses
from autokb.feeds.fetch import FeedError

LONGEST_COMMAND = 1_800  # seconds of one git command; a large repository over a slow line
PROTOCOLS = "https:http:ssh:file:git"
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "http.followRedirects=false")
_SCP = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!//)")  # user@host:path
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_TOKEN_USER = "x-access-token"  # what GitHub and others take for the user of a token
_SHOWN = 300  # characters of what git says
# What is passed on of git's own variables: how to connect, where git and its settings are. Others name a repository.
_SETTINGS = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_PASSED_ON = ("GIT_SSH", "GIT_SSL_", "GIT_ASKPASS", "GIT_EXEC_PATH", *_SETTINGS)


@dataclass(frozen=True, slots=True)
class Checkout:
    """A branch as it is now: its commit, the requests and bytes that it took."""

    commit: str
    requests: int
    bytes: int


def check_out(source: SourceSettings, folder: Path, base: Path, secret: str) -> Checkout:
    """Bring a folder to the newest commit of a source's branch (FeedError); paths are relative to ``base``.

    A folder that a killed run left in any state is made again where git cannot go on with it.
    """
    url = _checked_url(source, base)
    environment = _environment(source, url, secret)
    wanted = _newest(source, url, environment)
    requests, before = 1, _size(folder)
    try:
        if not _stands_at(folder, wanted, environment):
            requests = 2
            (folder / ".git" / "index.lock").unlink(missing_ok=True)  # of a run that was killed; we hold the only lock
            _git(["fetch", "--depth=1", "--no-tags", "--", url, _reference(source)], environment, folder)
            _git(["reset", "--hard", "FETCH_HEAD"], environment, folder)
            _git(["clean", "-ffdx"], environment, folder)
    except (FeedError, OSError):
        requests, before = 2, 0
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.lexists(folder):
            raise FeedError(f"{folder} is no checkout of {source.url} and cannot be removed; remove it.") from None
        _clone(source, url, folder, environment)
    if requests > 1 and not _stands_at(folder, wanted, environment):
        raise FeedError(f"The checkout of {source.url} is not at {wanted[:12]}; the next run reads it again.")
    return Checkout(wanted, requests, max(0, _size(folder) - before) if requests > 1 else 0)


def _stands_at(folder: Path, commit: str, environment: dict[str, str]) -> bool:
    """Return whether a checkout is of a commit, with no file changed (FeedError where git cannot read it)."""
    if not (folder / ".git").is_dir() or (folder / ".git").is_symlink() or folder.is_symlink():
        raise FeedError(f"{folder} is no checkout.")
    if _git(["rev-parse", "--verify", "HEAD"], environment, folder).strip() != commit:
        return False
    return not _git(["status", "--porcelain"], environment, folder)


def _clone(source: SourceSettings, url: str, folder: Path, environment: dict[str, str]) -> None:
    """Make the checkout; it stands at its place when it is whole."""
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    branch = ["--branch", source.branch] if source.branch else []
    _git(["clone", "--depth=1", "--no-tags", "--single-branch", *branch, "--", url, str(new)], environment)
    try:
        new.replace(folder)
    except OSError as error:
        raise FeedError(f"{folder} cannot be made ({error.strerror}).") from error


def _checked_url(source: SourceSettings, base: Path) -> str:
    """Return what git is given; a host must be one that may be reached (FeedError)."""
    parts = urlsplit(source.url)
    if parts.scheme in ("http", "https", "ssh", "git"):
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
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
    return not name.startswith("GIT_") or name.startswith(_PASSED_ON)


def _reference(source: SourceSettings) -> str:
    return f"refs/heads/{source.branch}" if source.branch else "HEAD"


def _newest(source: SourceSettings, url: str, environment: dict[str, str]) -> str:
    """Return the newest commit of the branch."""
    listed = _git(["ls-remote", "--", url, _reference(source)], environment)
    commit = listed.split("\t")[0].strip() if listed.strip() else ""
    if not _COMMIT.fullmatch(commit):
        raise FeedError(f"{source.url} has no branch {source.branch or 'that is checked out by default'}.")
    return commit


def _git(words: list[str], environment: dict[str, str], folder: Path | None = None) -> str:
    """Run git, in the checkout that is a folder where it is given, and return what it prints (FeedError)."""
    place = [] if folder is None else [f"--git-dir={folder.absolute() / '.git'}", f"--work-tree={folder.absolute()}"]
    try:
        done = subprocess.run(
            ["git", *_SAFE, *place, *words],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_COMMAND,
            check=False,
        )
    except FileNotFoundError:
        raise FeedError("The command git is not installed; install it.") from None
    except subprocess.TimeoutExpired:
        raise FeedError(f"git {words[0]} took more than {LONGEST_COMMAND} seconds.") from None
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[-_SHOWN:]
        raise FeedError(f"git {words[0]} failed: {said or 'it does not say why'}")
    return done.stdout.decode("utf-8", "replace")


def _size(folder: Path) -> int:
    """Return the bytes of what git holds of a repository."""
    objects = folder / ".git" / "objects"
    return sum(path.stat().st_size for path in objects.rglob("*") if path.is_file()) if objects.is_dir() else 0
