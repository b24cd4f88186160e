"""Earlier versions of what readers see, the candidate, and which of them is published."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.app.namespaces.namespace import Namespace
from autokb.core.changes import Changes
from autokb.core.errors import ChangedMeanwhileError
from autokb.core.in_use import moment
from autokb.core.results import Result
from autokb.pipeline.steps.publish import settle
from autokb.pipeline.versions import Publication, built_in_file, name_forcer, publish_candidate
from autokb.stores.published import read_published
from autokb.stores.version_events import VersionEvent, keep_version_event
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import author_name
from autokb.views.versions import Versions, diff, list_versions


@dataclass(frozen=True, slots=True)
class Discarded(Result):
    """A candidate that is gone."""

    discarded: bool


@dataclass(frozen=True, slots=True)
class Vacuumed(Result):
    """How many bytes the workspace's file had before and has now."""

    bytes_before: int
    bytes_after: int


class VersionsNamespace(Namespace):
    """Earlier versions of what readers see, the candidate, and which of them is published."""

    @property
    def has_candidate(self) -> bool:
        """Whether a candidate waits."""
        with self._memory.shared_connection() as file:
            return file.has_candidate

    def list(self) -> Versions:
        """Return the versions that are kept, from the oldest, and the candidate."""
        return list_versions(self._workspace)

    def diff(self, before: int | str, after: int | str) -> Changes:
        """Return what readers see otherwise in one version (a number, or candidate) than in another (BadInputError)."""
        return diff(self._workspace, str(before), str(after))

    def roll_back(self, number: int, *, author: str = "") -> Publication:
        """Have readers see an earlier version at once, in one transaction (BadInputError where it is not kept).

        Decisions of people stay those of today: they are laid over it as over a build. The next build starts from what
        is added now, and takes its place. Who did it is kept with the versions.
        """
        with self._workspace.build_lock(), self._workspace.file() as file:
            with self._workspace.of(str(number)).file() as earlier:
                built = built_in_file(earlier, {})
            now, before = moment(), file.shown_version
            with file.transaction():
                settle(file, read_published(file), built, now, lambda: file.show_version(number))
                keep_version_event(file, VersionEvent("rolled back", number, before, author_name(author), now))
            return Publication(file.shown_version, True)

    def publish(self, *, author: str = "", force: bool = False, seen: str = "") -> Publication:
        """Have readers see the candidate, as a new version, if it passes the gate (BadInputError where there is none).

        What is refused, or has less than half of what readers see, is not ``published``, and its ``refusal`` says why;
        ``force`` with an author publishes it, which goes on record.
        ``seen`` is the date of the candidate that is meant; ChangedMeanwhileError where another has taken its place.
        """
        author = name_forcer(author) if force else author_name(author)
        with self._workspace.build_lock(), self._workspace.file() as file:
            _check_seen(file, seen)
            return publish_candidate(self._workspace, file, author=author, force=author if force else "")

    def vacuum(self, *, forget_work: bool = False) -> Vacuumed:
        """Write the file anew: what was deleted, and what only forgotten versions had, lies in it until then.

        The finished work of builds has texts too; to ``forget_work`` takes them out, and the next build works it out
        anew, but for what a model was paid for. It needs as much free disk as the file has (AutokbError).
        """
        with self._workspace.build_lock(), self._workspace.file() as file:
            before = file.size
            file.vacuum(forget_work=forget_work)
            return Vacuumed(before, file.size)

    def discard(self, *, author: str = "", seen: str = "") -> Discarded:
        """Forget the candidate (BadInputError where there is none); ``seen`` as in ``publish``.

        Who did it is kept with the versions.
        """
        with self._workspace.build_lock(), self._workspace.file() as file, file.transaction():
            file.candidate()
            _check_seen(file, seen)
            file.drop_candidate()
            number = max((one.number for one in file.versions()), default=0) + 1
            event = VersionEvent("discarded", number, file.shown_version, author_name(author), moment())
            keep_version_event(file, event)
        return Discarded(True)


def _check_seen(file: WorkspaceFile, seen: str) -> None:
    if seen and str(file.candidate().get("date", "")) != seen:
        raise ChangedMeanwhileError("Another candidate is in the place of the one that you saw; look at it first.")
