"""Keeping what is asked, beside the answers: a thread of its own masks and writes, and no answer ever waits for it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from threading import Condition, Thread, current_thread
from uuid import uuid4

from autokb.answering.answer import Answer
from autokb.answering.suggest import Suggested
from autokb.core.errors import AutokbError, StoreAwayError, WorkspaceBusyError
from autokb.core.in_use import AskedBy, AssignedArm, LoggedQuestion, hashed_conversation, moment
from autokb.core.storable import without_surrogates
from autokb.stores.outcomes import keep_arms
from autokb.stores.question_log import batch_is_kept, keep_questions, note_batch
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import replace_controls
from autokb.text.languages import find_other_language
from autokb.text.mail_parts import without_mail_parts
from autokb.text.masking import mask_for_people
from autokb.views.theme_names import ThemeNames

MOST_WAITING = 2_000  # questions that wait to be written: some 10 MB; what comes when it is full is lost, and counted
COLLECT_SECONDS, MOST_AT_ONCE = 1.0, 500  # what comes within a second is written together: one sync of the disk
BUSY_SECONDS = 30.0  # that a locked file is tried again before what was to be written is lost
RETRY_SECONDS = 0.2  # that a locked file is waited for at a time
PAUSE_SECONDS = 0.001  # after each entry that was masked, which takes some 0.1 ms
CLOSE_SECONDS = 2.0  # that closing waits for what is not written yet
# Characters of a question that are kept. What is masked is longer, and its end goes: a number may be cut in two there.
KEPT, READ, CUT_END = 2_000, 4_000, 200
MOST_SHOWN = 20  # ids of solutions that a question's entry has


@dataclass(frozen=True, slots=True)
class _AskedQuestion:
    """A question as it was asked, to be masked and written later."""

    question: LoggedQuestion
    vocabulary: Container[str]


class QuestionLog:
    """What is kept of one process; ``lost`` counts the questions and arms that it could not keep."""

    def __init__(self, workspace: Workspace) -> None:
        self.lost = 0
        self._workspace = workspace
        self._keeps_questions = workspace.settings.log_questions
        self._waiting: deque[_AskedQuestion | AssignedArm] = deque()
        self._changed = Condition()
        self._thread: Thread | None = None
        self._writing = self._hurried = False
        self._unreported = 0  # lost, and not yet counted in the file
        self._id, self._batches = uuid4().hex, 0  # by which a batch is told from all others

    def note_answer(self, answer: Answer, language: str, vocabulary: Container[str], asked_by: AskedBy = "ask") -> None:
        """Note a question that was asked; ``vocabulary`` tells its language from that of the documents."""
        if self._keeps_questions:
            issues = tuple(match.issue.id for match in answer.matches)
            shown = (s.id for match in answer.matches for s in match.solutions)
            solutions = (*shown, *(passage.solution.id for passage in answer.passages))
            self._note_asked(
                asked_by=asked_by,
                found=answer,
                text=without_mail_parts(answer.query)[0],
                issues=issues,
                solutions=solutions,
                conversation="",
                language=language,
                vocabulary=vocabulary,
            )

    def note_suggested(
        self, found: Suggested, conversation: str, language: str, vocabulary: Container[str] = frozenset()
    ) -> None:
        """Note what a conversation asked."""
        if self._keeps_questions:
            solutions = tuple(one.solution_id for one in found.suggestions if one.solution_id)
            self._note_asked(
                asked_by="suggest",
                found=found,
                text=found.question,
                issues=(),
                solutions=solutions,
                conversation=conversation,
                language=language,
                vocabulary=vocabulary,
            )

    def note_arm(self, assigned: AssignedArm) -> None:
        """Note the arm of a conversation, whether questions are kept or not."""
        self._note(assigned)

    def _note_asked(
        self,
        asked_by: AskedBy,
        found: Answer | Suggested,
        text: str,
        issues: tuple[str, ...],
        solutions: tuple[str, ...],
        conversation: str,
        language: str,
        vocabulary: Container[str],
    ) -> None:
        self._note(
            _AskedQuestion(
                LoggedQuestion(
                    text=text[: READ + 1],
                    outcome=found.outcome,
                    asked_by=asked_by,
                    date=moment(),
                    reason=(found.reason or "")[:READ],
                    issues=issues,
                    solutions=solutions[:MOST_SHOWN],
                    conversation=conversation,
                    language=language,
                    seconds=found.seconds,
                    reader="" if found.reading is None else found.reading.decided_by,
                    cost=_cost_of(found),
                ),
                vocabulary,
            )
        )

    def _note(self, one: _AskedQuestion | AssignedArm) -> None:
        with self._changed:
            if len(self._waiting) >= MOST_WAITING:
                self.lost += 1
                self._unreported += 1
                return
            self._waiting.append(one)
            if self._thread is None:
                self._thread = Thread(target=self._run, name="autokb-question-log", daemon=True)
                self._thread.start()
            elif len(self._waiting) in (1, MOST_AT_ONCE):  # else it is awake, or sleeps until more have come
                self._changed.notify_all()

    def flush(self, seconds: float = CLOSE_SECONDS) -> bool:
        """Wait until what was noted is written or lost; returns whether it is."""
        with self._changed:
            self._hurried = True
            self._changed.notify_all()
            done = self._changed.wait_for(lambda: not self._waiting and not self._writing, seconds)
            self._hurried = False
            return done

    def close(self, seconds: float = CLOSE_SECONDS) -> None:
        """Write what is not written yet, for a moment at most; what then still waits is lost.

        The thread that writes may find that nobody holds the log any more. It cannot wait for itself, so another does.
        """
        if self._thread is current_thread():
            Thread(target=self.close, args=(seconds,), name="autokb-question-log-end").start()
            return
        self.flush(seconds)
        with self._changed:
            self.lost += len(self._waiting)
            self._waiting.clear()
            thread, self._thread = self._thread, None
            self._changed.notify_all()
        if thread is not None:
            thread.join(2 * RETRY_SECONDS)

    def _run(self) -> None:
        while (batch := self._next_batch()) is not None:
            lost = len(batch)
            try:
                if self._written(batch):
                    lost = 0
            except Exception:  # whatever it is, it is no reason to keep nothing from now on, or to end a process
                pass
            finally:
                with self._changed:
                    self.lost += lost
                    self._unreported += lost
                    self._writing = False
                    self._changed.notify_all()

    def _next_batch(self) -> list[_AskedQuestion | AssignedArm] | None:
        """Wait for what is to be written, and let some more come; None when it is stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_stopped())
            self._changed.wait_for(
                lambda: self._hurried or len(self._waiting) >= MOST_AT_ONCE or self._is_stopped(), COLLECT_SECONDS
            )
            if self._is_stopped():
                return None
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST_AT_ONCE))]
            self._writing = True
            return batch

    def _is_stopped(self) -> bool:
        """Return whether the thread that asks is no longer the one that writes."""
        return self._thread is not current_thread()

    def _written(self, batch: list[_AskedQuestion | AssignedArm]) -> bool:
        """Write a batch in one transaction, once.

        A store that another process has locked is tried again for a while, one that is away until it is back; what is
        asked meanwhile waits, as much of it as there is room for.
        """
        self._batches += 1
        name, unreported = f"{moment()} {self._batches}", self._unreported
        questions: list[LoggedQuestion] | None = None
        end = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                with self._workspace.file() as file:
                    file.wait_at_most(RETRY_SECONDS)
                    questions = self._all_masked(file, batch) if questions is None else questions
                    arms = [one for one in batch if isinstance(one, AssignedArm)]
                    self._keep(file, name, questions, arms, unreported)
                with self._changed:
                    self._unreported -= unreported
                return True
            except StoreAwayError:
                end = time.monotonic() + BUSY_SECONDS
            except WorkspaceBusyError:
                if time.monotonic() > end:
                    return False
            except (AutokbError, OSError):  # a full disk, a folder that cannot be written
                return False
            with self._changed:
                if self._is_stopped():
                    return False
            time.sleep(RETRY_SECONDS / 4)

    def _all_masked(self, file: WorkspaceFile, batch: Sequence[_AskedQuestion | AssignedArm]) -> list[LoggedQuestion]:
        themes, questions = ThemeNames(file), []
        asked = [one for one in batch if isinstance(one, _AskedQuestion)]
        shown = [one.question for one in asked]
        themes.read_ahead([s for one in shown for s in one.solutions], [i for one in shown for i in one.issues])
        for one in asked:
            questions.append(_masked(one, themes))
            if not self._hurried:
                time.sleep(PAUSE_SECONDS)  # an answer that wants the interpreter waits for one entry at most
        return questions

    def _keep(
        self,
        file: WorkspaceFile,
        name: str,
        questions: Sequence[LoggedQuestion],
        arms: Sequence[AssignedArm],
        lost: int,
    ) -> None:
        with file.transaction():
            if batch_is_kept(file, self._id, name):  # its answer was lost with the connection
                return
            if questions or lost:
                keep_questions(file, questions, lost=lost)
            if arms:
                keep_arms(file, arms)
            note_batch(file, self._id, name)


def _cost_of(found: Answer | Suggested) -> float | None:
    """Return the USD that choosing and writing took; None where the model has no price."""
    runs = [found.reading, found.reply.writing if isinstance(found, Answer) and found.reply else None]
    costs = [0.0 if run is None else run.cost for run in runs]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _masked(asked: _AskedQuestion, themes: ThemeNames) -> LoggedQuestion:
    one = asked.question
    issues = one.issues or tuple(dict.fromkeys(filter(None, map(themes.issue_of, one.solutions))))
    language = find_other_language(one.text, one.language, asked.vocabulary) or one.language
    return replace(
        one,
        text=masked_beginning(one.text, language, asked.vocabulary),
        language=language,
        reason=masked_beginning(one.reason, language, asked.vocabulary),
        themes=tuple(dict.fromkeys(filter(None, map(themes.of_issue, issues)))),
        issues=issues,
        conversation=hashed_conversation(one.conversation),
        seconds=round(one.seconds, 4),
    )


def masked_beginning(text: str, language: str, vocabulary: Container[str] = frozenset()) -> str:
    """Return the beginning of a text with private data masked; nothing of it is cut into what no mask would find.

    Names of people are masked too where a greeting, a closing or their like gives them away (``mask_for_people``).
    """
    (masked,) = mask_for_people([replace_controls(without_surrogates(text[:READ])).strip()], language, vocabulary)
    if len(text) > READ:
        masked = masked[: max(0, len(masked) - CUT_END)]
    if len(masked) <= KEPT:
        return masked
    return masked[:KEPT].rsplit("<", 1)[0] if "<" in masked[KEPT - 20 : KEPT] else masked[:KEPT]
