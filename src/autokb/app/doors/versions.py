"""What readers saw before, what waits to be seen, and which of it they see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autokb.app.doors.memory_door import MemoryDoor

if TYPE_CHECKING:
    from autokb.core.changes import Changes
    from autokb.core.results import Discarded, Publication, Vacuumed, Versions


class VersionsDoor(MemoryDoor):
    """What readers saw before, what waits to be seen, and which of it they see."""

    @property
    def has_candidate(self) -> bool:
        """Whether a candidate waits."""
        with self._memory.shared_connection() as file:
            return file.has_candidate

    def list(self) -> Versions:
        """Return the versions that are kept, from the oldest, and the candidate."""
        from autokb.views.versions import list_versions

        return list_versions(self._memory.workspace)

    def diff(self, before: int | str, after: int | str) -> Changes:
        """Return what readers see otherwise in one version (a number, or candidate) than in another (BadInputError)."""
        from autokb.views.versions import diff

        return diff(self._memory.workspace, str(before), str(after))

    def roll_back(self, number: int, *, author: str = "") -> Publication:
        """Have readers see an earlier version at once; decisions of people stay those of today (BadInputError).

        The next build starts from what is added now, and takes its place. Who did it is kept with the versions.
        """
        from autokb.pipeline.versions import roll_back

        return roll_back(self._memory.workspace, number, author=author)

    def publish(self, *, author: str = "", force: bool = False, seen: str = "") -> Publication:
        """Have readers see the candidate if it passes the gate (BadInputError where there is none).

        What is refused, or has less than half of what readers see, is not ``published``, and its ``refusal`` says why;
        ``force`` with an author publishes it.
        ``seen`` is the date of the candidate that is meant; ChangedMeanwhileError where another has taken its place.
        """
        from autokb.pipeline.versions import publish

        return publish(self._memory.workspace, author=author, force=force, seen=seen)

    def vacuum(self, *, forget_work: bool = False) -> Vacuumed:
        """Write the file anew: what was deleted, and what only forgotten versions had, lies in it until then.

        The finished work of builds has texts too; to ``forget_work`` takes them out, and the next build works it out
        anew, but for what a model was paid for. It needs as much free disk as the file has (AutokbError).
        """
        from autokb.pipeline.versions import vacuum

        return vacuum(self._memory.workspace, forget_work=forget_work)

    def discard(self, *, author: str = "", seen: str = "") -> Discarded:
        """Forget the candidate (BadInputError where there is none); ``seen`` as in ``publish``.

        Who did it is kept with the versions.
        """
        from autokb.pipeline.versions import discard_candidate

        return discard_candidate(self._memory.workspace, author=author, seen=seen)
