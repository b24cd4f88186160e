"""A repository through the ``git`` command: a shallow checkout of one branch, brought up to date where it moved.

Nothing of a repository is run: no hooks, no submodules, no filters of large files, and links are not followed.
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
    if _head(folder, environment) == wanted and not _git(["status", "--porcelain"], environment, folder, check=False):
        return Checkout(wanted, 1, 0)
    before = _size(folder)
    if folder.exists():
        try:
            (folder / ".git" / "index.lock").unlink(missing_ok=True)  # of a run that was killed; we hold the only lock
            _git(["fetch", "--depth=1", "--no-tags", "--", url, source.branch or "HEAD"], environment, folder)
            _git(["reset", "--hard", "FETCH_HEAD"], environment, folder)
            _git(["clean", "-ffdx"], environment, folder)
        except FeedError:
            shutil.rmtree(folder, ignore_errors=True)
            before = 0
    if not folder.exists():
        _clone(source, url, folder, environment)
    return Checkout(_head(folder, environment), 2, max(0, _size(folder) - before))


def _clone(source: SourceSettings, url: str, folder: Path, environment: dict[str, str]) -> None:
    """Make the checkout; it stands at its place when it is whole."""
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    branch = ["--branch", source.branch] if source.branch else []
    _git(["clone", "--depth=1", "--no-tags", "--single-branch", *branch, "--", url, str(new)], environment)
    new.replace(folder)


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
        **os.environ,
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


def _newest(source: SourceSettings, url: str, environment: dict[str, str]) -> str:
    """Return the newest commit of the branch."""
    reference = f"refs/heads/{source.branch}" if source.branch else "HEAD"
    listed = _git(["ls-remote", "--", url, reference], environment)
    commit = listed.split("\t")[0].strip() if listed.strip() else ""
    if not _COMMIT.fullmatch(commit):
        raise FeedError(f"{source.url} has no branch {source.branch or 'that is checked out by default'}.")
    return commit


def _head(folder: Path, environment: dict[str, str]) -> str:
    if not (folder / ".git").is_dir():
        return ""
    return _git(["rev-parse", "HEAD"], environment, folder, check=False).strip()


def _git(words: list[str], environment: dict[str, str], folder: Path | None = None, *, check: bool = True) -> str:
    """Run git and return what it prints; without ``check`` one that fails prints what nobody reads."""
    try:
        done = subprocess.run(
            ["git", *_SAFE, *words],
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
    if check and done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[-_SHOWN:]
        raise FeedError(f"git {words[0]} failed: {said or 'it does not say why'}")
    return done.stdout.decode("utf-8", "replace")


def _size(folder: Path) -> int:
    """Return the bytes of what git holds of a repository."""
    objects = folder / ".git" / "objects"
    return sum(path.stat().st_size for path in objects.rglob("*") if path.is_file()) if objects.is_dir() else 0
