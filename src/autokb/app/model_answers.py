"""Tasks answered by a model: what is stored is looked up, the rest is grouped, asked at once, read and kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from autokb.app.estimating import AROUND, CHARACTERS_A_TOKEN
from autokb.app.grouping import Sized, grouped
from autokb.app.models import Models
from autokb.core.errors import BadInputError, StoppedOnPurposeError
from autokb.core.ids import digest
from autokb.core.model_requests import AwaitedError, BudgetReachedError, ModelReply, ModelRequest
from autokb.core.nouns import Failure
from autokb.tasks.asking import Asking, Read, answer, request_for
from autokb.tasks.prompts import render
from autokb.tasks.task import Reply, Task

if TYPE_CHECKING:
    from autokb.app.stages import Stages
    from autokb.llm.limits import Limits

I = TypeVar("I")  # noqa: E741
O = TypeVar("O", bound=Reply)  # noqa: E741
KEPT_AT_ONCE = 64  # groups between two writes of what was read; the replies themselves are on the disk already
KEPT_SECONDS = 1.0


def item_key(task: Task[Any, Any], model: str, turns: tuple[str, str]) -> str:
    """Return the key of an item's answer: the model, the task, and what the model reads of the item alone."""
    return digest("answer", task.name, str(task.version), model, *turns)


def ask_model(
    stages: Stages, models: Models, stage: str, task: Task[I, O], items: Sequence[I], names: Sequence[str], model: str
) -> list[O | None]:
    """Answer a task for every item by a model; what failed or is awaited is None.

    Raises StoppedOnPurposeError when the budget is reached, after keeping everything that arrived.
    """
    asking = task.asking
    if asking is None:
        raise BadInputError(f"The task {task.name} cannot be asked of a model; set tasks: {{{task.name}: offline}}.")
    with stages.timed(stage) as count:
        run = _Run(stages, models, stage, task, asking, items, names, model)
        run.look_up()
        count.reused += run.reused
        stopped = run.ask()
        count.computed += len(run.fresh)
        count.failed += len(run.errors)
        run.report()
        if stopped:
            raise StoppedOnPurposeError(stopped)
        return run.answers()


@dataclass
class _Run:
    """One stage's items on their way through the client."""

    stages: Stages
    models: Models
    stage: str
    task: Task[Any, Any]
    asking: Asking[Any, Any]
    items: Sequence[Any]
    names: Sequence[str]
    model: str
    keys: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    positions: dict[str, int] = field(default_factory=dict)
    sizes: list[Sized] = field(default_factory=list)
    fresh: dict[str, str] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    unsaved: list[tuple[dict[str, str], tuple[str, ...], bool]] = field(default_factory=list)
    saved_at: float = 0.0
    done: int = 0
    reused: int = 0

    def look_up(self) -> None:
        """Find the answers that are stored, and what is missing."""
        turns = [render(self.asking.package, self.asking.values((item,))) for item in self.items]
        self.keys = [item_key(self.task, self.model, turn) for turn in turns]
        self.sizes = [Sized(len(system), len(user)) for system, user in turns]
        self.known = self.stages.file.finished(sorted(set(self.keys)))
        self.reused = sum(key in self.known for key in self.keys)
        requests = {r for said in self.stages.file.origins(sorted(self.known)).values() for r in said.split()}
        self.models.reuse(self.stage, self.task.name, requests)
        for position, key in enumerate(self.keys):
            if key not in self.known:
                self.positions.setdefault(key, position)

    def ask(self) -> str:
        """Ask for what is missing; returns why it stopped early, or nothing."""
        if not self.positions:
            return ""
        before = [g for g in self.models.ledger.open_groups(self.task.name) if set(g) <= set(self.positions)]
        again = list(dict.fromkeys(tuple(self.positions[key] for key in g) for g in before))
        one_each = self.models.mode == "paper"
        limits = self.models.limits(self.model)
        groups = self._groups(again, one_each, limits)
        if self.models.estimate is not None:
            self.models.estimate.count_groups(self.stage, self.task, self.items, groups, self.model)
            self._stand_in()
            return ""
        self.saved_at = started = time.perf_counter()
        try:
            outcomes = self.models.run([partial(self._group, group, limits.output) for group in groups])
        finally:
            self.models.seconds += time.perf_counter() - started
            self._save()
        return self._outcomes(groups, outcomes)

    def _groups(self, again: Sequence[tuple[int, ...]], one_each: bool, limits: Limits) -> list[tuple[int, ...]]:
        """Return the groups that are asked: those of an undisturbed build that are missing whole, then what is left.

        So a build that was killed asks what it would have asked, and ten new issues among a thousand share one request.
        """
        first = list({key: n for n, key in reversed(list(enumerate(self.keys)))}.values())
        missing = set(self.positions.values())
        everything = grouped(self.asking, self.items, sorted(first), self.sizes, one_each, limits)
        kept: list[tuple[int, ...]] = []
        asked: set[int] = set()
        for group in (*again, *everything):
            if missing.issuperset(group) and not asked.intersection(group):
                kept.append(group)
                asked.update(group)
        return [*kept, *grouped(self.asking, self.items, sorted(missing - asked), self.sizes, one_each, limits)]

    def _stand_in(self) -> None:
        """Answer offline, so that a rehearsal can go on."""
        for key, position in self.positions.items():
            try:
                self.fresh[key] = self.task.answer_offline(self.items[position]).model_dump_json()
            except Exception:
                self.errors[position] = "cannot be rehearsed"

    async def _group(self, group: tuple[int, ...], most: int) -> None:
        from autokb.llm.client import Tag

        items = tuple(self.items[n] for n in group)
        request = request_for(self.task.name, self.asking, items, self.model, most)
        tag = Tag(self.stage, self.task.name, tuple(self.keys[n] for n in group))
        used: list[str] = []
        cut: list[bool] = []
        client = self.models.client
        assert client is not None

        async def ask(one: ModelRequest) -> ModelReply:
            attempt = self.models.ledger.unreadable([one.base_key]).get(one.base_key, 0)
            reply = await client.ask(one, tag)
            if not used:
                usual = AROUND + sum(self.asking.tokens(item)[1] for item in items)
                self.models.guessed(f"{self.model} {self.task.name}", usual, reply.output_tokens)
            read = sum(len(m.text) for m in one.messages) / CHARACTERS_A_TOKEN
            self.models.guessed(self.model, read, reply.input_tokens)
            used.append(one.tried_again(attempt).key)
            cut.append(reply.finish == "length")
            return reply

        found = await answer(request, self.asking, items, ask, self.task.check)
        lost = tuple(n for n, read in zip(group, found, strict=True) if read.answer is None)
        if not (any(cut) and lost and len(group) > 1):
            self._take(group, found, tuple(used))
            return
        kept = [(n, read) for n, read in zip(group, found, strict=True) if read.answer is not None]
        self._take([n for n, _ in kept], [read for _, read in kept], tuple(used))
        for part in (lost[: len(lost) // 2], lost[len(lost) // 2 :]):
            if part:  # the reply was too long for the model: fewer items have a shorter one
                await self._group(part, most)

    def _take(self, group: Sequence[int], found: Sequence[Read[Any]], used: tuple[str, ...]) -> None:
        answers = {}
        for position, read in zip(group, found, strict=True):
            if read.answer is None:
                self.errors[position] = read.error
            else:
                answers[self.keys[position]] = read.answer.model_dump_json()
        self.fresh.update(answers)
        self.unsaved.append((answers, used, bool(answers)))
        self.done += len(group)
        self.stages.progress(self.stage, self.reused + self.done, len(self.items))
        if len(self.unsaved) >= KEPT_AT_ONCE or time.perf_counter() - self.saved_at > KEPT_SECONDS:
            self._save()

    def _save(self) -> None:
        """Keep what was read; until then the ledger's open groups say that it must be read again."""
        rows, self.unsaved, self.saved_at = self.unsaved, [], time.perf_counter()
        if not rows:
            return
        answers = {key: text for found, _, _ in rows for key, text in found.items()}
        origins = {key: " ".join(used) for found, used, _ in rows for key in found}
        if answers:
            self.stages.file.finish(self.stage, answers, origins)
        for readable in (True, False):
            self.models.ledger.settle([k for _, used, good in rows if good is readable for k in used], readable)

    def _outcomes(self, groups: Sequence[tuple[int, ...]], outcomes: Sequence[Exception | None]) -> str:
        stopped = ""
        for group, outcome in zip(groups, outcomes, strict=True):
            if isinstance(outcome, AwaitedError):
                self.stages.awaited += 1
            elif isinstance(outcome, BudgetReachedError):
                stopped = str(outcome) or "The budget is used up."
            elif isinstance(outcome, Exception):
                for position in group:
                    if self.keys[position] not in self.fresh:
                        self.errors[position] = str(outcome) or type(outcome).__name__
        return stopped

    def report(self) -> None:
        """List what failed, in the order of the items."""
        for position in sorted(self.errors):
            self.stages.failures.append(Failure(self.stage, self.names[position], self.errors[position]))

    def answers(self) -> list[Any]:
        """Return each item's answer or None; what was left out of one is reported under its name."""
        found = []
        for position, key in enumerate(self.keys):
            text = self.known.get(key) or self.fresh.get(key)
            read = None if text is None else self.task.output.model_validate_json(text)
            for part in getattr(read, "left_out", ()):
                said = f"{part.part}: {part.reason}" if part.part else part.reason
                self.stages.left_out.append(Failure(self.stage, self.names[position], said))
            found.append(read)
        return found
