"""One run over the sources of the settings: side by side, so that one that fails or is slow stops no other."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from autokb.app.synced import Synced, SyncedSource
from autokb.core.errors import AutokbError, BadInputError, UnwritableWorkspaceError, shown_value
from autokb.core.plugins import built_in, implementation, is_of_plugin, use
from autokb.core.source_settings import SourceSettings
from autokb.feeds.items import Feed, Item, Progress, Step
from autokb.net.fetch import FeedError, Fetcher
from autokb.pipeline.build_report import BuildReport
from autokb.plugins.sync.feed_items import SyncedItems
from autokb.plugins.sync.feeds.github import HEADERS
from autokb.plugins.sync.folders import sync_folder
from autokb.plugins.sync.side_by_side import LOOK_EVERY, Run, SideBySide, Sleep, failed, what_failed
from autokb.stores.database import damaged_rows
from autokb.stores.sync_state import UNBUILT, keep_sync_source, read_sync_source
from autokb.stores.workspace import Workspace, one_at_a_time

CHECKOUTS = ".sources"  # the folder in a workspace with what git checks out, and a lock for each source


def sync(
    workspace: Workspace,
    names: Iterable[str] = (),
    *,
    accept: bool = False,
    build: Callable[[], BuildReport] | None = None,
    progress: Callable[[str], None] | None = None,
    sleep: Sleep | None = None,
) -> Synced:
    """Read what is new of the named sources, or of all, and stage it; ``build`` is called where something changed.

    ``accept`` takes what the sources give now, whatever became of a page, and removes all that they no longer list,
    however much it is. What a run has read is kept, also where
    it is killed, and the next one goes on there. Raises BadInputError where the settings name no source, or not this
    one.
    """
    sources = chosen_sources(workspace, names)
    with workspace.file() as file:
        if file.read_only:
            raise UnwritableWorkspaceError(f"{workspace.knowledge_path} cannot be written; make it writable.")
    done: dict[str, SyncedSource] = {}
    with side_by_side(accept=accept, progress=progress, sleep=sleep) as reads:
        for place, source in enumerate(sources.values()):
            reads.start(workspace, source, place)
        while len(done) < len(sources):
            done.update([one] if (one := reads.ended(LOOK_EVERY)) else [])
    return Synced({name: done[name] for name in sources}, build_if_changed(workspace, build))


def side_by_side(
    *,
    accept: bool = False,
    progress: Callable[[str], None] | None = None,
    sleep: Sleep | None = None,
) -> SideBySide:
    """Return what reads sources in threads."""
    return SideBySide(partial(_sync_source, accept=accept, progress=progress), sleep)


def chosen_sources(workspace: Workspace, names: Iterable[str]) -> dict[str, SourceSettings]:
    """Return the sources of these names, of none all (BadInputError)."""
    known = workspace.settings.sources
    if not known:
        raise BadInputError(
            "There are no sources yet: list folders, sites and trackers under sources: in settings.yaml "
            "(docs/sources-in-step.md has an example)."
        )
    wanted = list(names) or list(known)
    if unknown := [name for name in wanted if name not in known]:
        raise BadInputError(f"There is no source {unknown[0]!r} in settings.yaml; its sources are {', '.join(known)}.")
    return {name: known[name] for name in wanted}


def last_run(workspace: Workspace, name: str) -> datetime | None:
    """Return when a source was last read, to its end or not."""
    with workspace.file() as file, damaged_rows("sync_source"):
        date = read_sync_source(file, name).get("date")
        return None if date is None else datetime.fromisoformat(str(date))


def _sync_source(
    workspace: Workspace,
    source: SourceSettings,
    run: Run,
    *,
    accept: bool,
    progress: Callable[[str], None] | None,
) -> SyncedSource:
    """Read one source; what ends it early is its error."""
    tell = (lambda words: progress(f"{source.name}: {words}")) if progress else None
    checkouts = workspace.folder / CHECKOUTS
    checkouts.mkdir(mode=0o700, exist_ok=True)
    checkouts.chmod(0o700)  # what a private repository holds
    try:
        secret, error = _secret(source)
        if error:
            return failed(error)
        with one_at_a_time(checkouts / f"{source.name}.lock", f"Another sync of {source.name} is at work"):
            if source.type in ("folder", "git"):
                return sync_folder(workspace, source, checkouts / source.name, secret, run, tell, accept=accept)
            return _sync_feed(workspace, source, secret, run, tell, accept=accept)
    finally:
        with run.writing(), workspace.file() as file, file.transaction():
            now = datetime.now(UTC).isoformat(timespec="seconds")
            keep_sync_source(file, source.name, {**read_sync_source(file, source.name), "date": now})


def _sync_feed(
    workspace: Workspace,
    source: SourceSettings,
    secret: str,
    run: Run,
    tell: Callable[[str], None] | None,
    *,
    accept: bool,
) -> SyncedSource:
    items = SyncedItems(workspace, source, accept=accept)
    fetcher = Fetcher(source.allow_networks, _authorization(source, secret), run.pause, run.check)
    error = None
    try:
        for step in _feed(workspace, source, fetcher, items.progress):
            with run.writing():
                items.keep(step)
            if tell:
                tell(f"{items.seen:,} items, {fetcher.requests:,} requests")
    except AutokbError as ended:
        error = str(ended)
    except Exception as ended:  # what was kept before it is counted
        error = what_failed(ended, source.type)
    finally:
        fetcher.close()
    return items.done(fetcher.requests, fetcher.bytes, error)


def _feed(workspace: Workspace, source: SourceSettings, fetcher: Fetcher, progress: Progress) -> Feed:
    """Yield the steps of a source (FeedError: a plug-in gives something else)."""
    if is_of_plugin(source.type):
        read = implementation("sources", source.type)
    else:
        read = use(*built_in("sources")[source.type])
    feed = read(workspace, source, fetcher, progress)
    for step in feed if isinstance(feed, Iterable) else [feed]:
        items = step.items if isinstance(step, Step) and isinstance(step.items, Iterable) else [step]
        if wrong := [one for one in items if not isinstance(one, Item)]:
            plugin, _, name = source.type.partition(".")
            raise FeedError(
                f"The plug-in {plugin} fails: its source {name} gives {shown_value(wrong[0])}, which is no Step with "
                "Items. docs/plugins.md has their types."
            )
        yield step


def _secret(source: SourceSettings) -> tuple[str, str]:
    """Return the secret of a source, and why there is none where there should be one."""
    if not source.token_env:
        return "", ""
    secret = os.environ.get(source.token_env, "").strip()
    if source.token_env not in os.environ:  # so the name is not shown: it may be the secret itself
        return "", "The environment variable that token_env names is not set; set it, or leave token_env out."
    if not secret or not secret.isascii() or not secret.isprintable():
        return "", f"The environment variable {source.token_env} holds no secret; set it, or leave token_env out."
    return secret, ""


def _authorization(source: SourceSettings, secret: str) -> Mapping[str, str]:
    """Return the header with the secret, as each interface has it."""
    headers: dict[str, str] = dict(HEADERS) if source.type == "github" else {}
    if secret and source.user:
        user = f"{source.user}/token" if source.type == "zendesk" else source.user
        headers["authorization"] = f"Basic {base64.b64encode(f'{user}:{secret}'.encode()).decode()}"
    elif secret:
        headers["authorization"] = f"Bearer {secret}"
    return headers


def build_if_changed(workspace: Workspace, build: Callable[[], BuildReport] | None) -> BuildReport | None:
    """Build what a run changed, this one or one before that was killed or whose build failed."""
    if build is None:
        return None
    building = f"building {uuid4().hex}"  # what a source changes while it builds notes another word
    with workspace.file() as file, file.transaction():
        if not file.meta(UNBUILT):
            return None
        file.note(UNBUILT, building)
    report = build()
    with workspace.file() as file, file.transaction():
        if file.meta(UNBUILT) == building:
            file.note(UNBUILT, "")
    return report
