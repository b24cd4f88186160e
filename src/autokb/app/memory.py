"""What one process holds in memory of a workspace: one lock a concern, so that none waits for another."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock, RLock
from typing import TYPE_CHECKING
from weakref import finalize

from autokb.core.errors import NothingPublishedError
from autokb.stores.workspace import Workspace

if TYPE_CHECKING:
    from autokb.app.held_keys import HeldKeys
    from autokb.app.snapshot import Snapshot
    from autokb.pipeline.open_index import OpenIndex
    from autokb.stores.workspace_file import WorkspaceFile
    from autokb.suggesting.beside import Beside
    from autokb.usage.question_log import QuestionLog
    from autokb.views.open_views import OpenViews


class WorkspaceMemory:
    """A workspace with its log, an open connection, the snapshot that answers questions, and what people read.

    What any process publishes is seen by the next question. Who serves calls ``follow``: later builds are loaded
    beside, while the one before answers.
    """

    def __init__(self, workspace: Workspace, *, keep_log: bool) -> None:
        self.workspace = workspace
        self.log: QuestionLog | None = None
        if keep_log:
            from autokb.usage.question_log import QuestionLog

            self.log = QuestionLog(workspace)
            finalize(self, self.log.close)  # of one that nobody closes, and at the end of the process
        self.opening = RLock()  # held while what questions hold in memory is looked at, opened or exchanged
        self._snapshot: Snapshot | None = None
        self._following = Lock()  # held while a later build is loaded beside
        self._is_followed = False  # whether somebody follows builds; else each question looks itself
        self._connection_lock = RLock()  # held while the connection that stays open is read
        self._shared_connection: WorkspaceFile | None = None
        self._files_opened = 0  # how often another file stood in its place, plus one
        self.held_keys: HeldKeys | None = None  # where the store is a server, which no request is to wait for
        self._views_lock = Lock()  # its own, so that no page waits while the snapshot is opened
        self._views: OpenViews | None = None

    def now(self) -> Snapshot:
        """Return what is published, as questions hold it in memory; without anybody who follows builds it is looked at.

        Call it, and open parts of it, under the lock.
        """
        if self._snapshot is None or not self._is_followed:
            self._snapshot = self._later() or self._snapshot
        assert self._snapshot is not None, "the first one is later than nothing"
        return self._snapshot

    def _later(self) -> Snapshot | None:
        """Return what is to take the place of what is in memory, None where nothing was published or decided since."""
        from autokb.app.snapshot import Snapshot, State  # and all that answers questions, which few commands do
        from autokb.stores.ticket_tables import GENERATION

        with self.shared_connection() as file:
            state = State(self._files_opened, file.generation, file.meta(GENERATION))
        if self._snapshot is None:
            return Snapshot(self.workspace, state)
        return None if self._snapshot.state == state else self._snapshot.later(self.workspace, state)

    def open_index(self) -> OpenIndex:
        with self.opening:
            return self.now().index

    @property
    def held_index(self) -> OpenIndex | None:
        """What answers questions already, None where nothing was asked yet."""
        return None if self._snapshot is None else self._snapshot.held_index

    def beside(self, source: str) -> Beside | None:
        """Return what is known beside the knowledge base, in memory until later is published, None where nothing is."""
        with self.opening:
            return self.now().beside.get(source)

    def load(self) -> None:
        """Put what is published into memory, so that no question waits for it (NothingPublishedError).

        Where somebody follows builds, what was loaded last counts: a later one is not waited for.
        """
        with self.opening:
            self.now().open()

    @property
    def is_behind(self) -> bool:
        """Whether ``follow`` would load something."""
        return not self._is_followed or self._later() is not None

    def follow(self) -> bool:
        """Load what was published since the last call, and answer from it from then on.

        It is loaded beside: from the first call on no question looks whether something was published, or waits for it.
        Who serves calls this every second or so. Returns whether there was something new.
        """
        with self._following:
            if not self._is_followed:
                self.load()  # for which questions have to wait
                with self.opening:
                    now, self._is_followed = self.now(), True
                now.warm()
                return True
            if (beside := self._later()) is None:
                return False
            with suppress(NothingPublishedError):  # all of it was taken out; the next question says so
                beside.open()
            beside.warm()
            if self._snapshot is not None and self._snapshot.speaks_languages:
                beside.warm_languages()
            with self.opening:
                self._snapshot = beside
            return True

    def warm_languages(self) -> None:
        """Load what the first question in another language would wait for, where that is installed.

        That takes long, and what is published meanwhile does not wait for it; it is loaded for that, too.
        """
        warm = None
        while (now := self._now_followed()) is not None and now is not warm:
            now.warm_languages()
            warm = now

    def _now_followed(self) -> Snapshot | None:
        with self._following:  # so that one that is loaded beside now is seen, or sees what was warmed
            return self._snapshot

    @contextmanager
    def shared_connection(self) -> Iterator[WorkspaceFile]:
        """Give a connection that stays open, for what is read with every request; do not write through it."""
        from autokb.stores.database import failures_as_sentences

        with self._connection_lock, failures_as_sentences(self.workspace.knowledge_path):
            if self._shared_connection is not None and not self._shared_connection.is_in_place():
                self._shared_connection.close()
                self._shared_connection = None
            if self._shared_connection is None:
                self._shared_connection = self.workspace.open_file()
                self._files_opened += 1
            yield self._shared_connection

    @property
    def views(self) -> OpenViews:
        """What people leaf through, in memory."""
        from autokb.views.open_views import OpenViews

        with self._views_lock:
            self._views = self._views or OpenViews(self.workspace)
            return self._views

    def flush_log(self) -> None:
        """Store the questions that are still to be logged, so that who reads the log finds them."""
        if self.log is not None:
            self.log.flush()

    def reopen(self) -> None:
        """Read the settings and the specification anew, which an import may have changed."""
        self.workspace = self.workspace.reopened()
        if self._views is not None:
            self._views.workspace = self.workspace

    def close(self) -> None:
        """Let go of what questions hold in memory; what a thread still works with is closed when that has ended."""
        with self.opening:
            if self._snapshot is not None:
                self._snapshot.close()
            self._snapshot = None
        if self.log is not None:
            self.log.close()
        with self._connection_lock:
            if self._shared_connection is not None:
                self._shared_connection.close()
                self._shared_connection = None
        if self._views is not None:
            self._views.close()
        self.workspace.let_go()
