"""Which items share a request: those that may, as many as the task allows, no more than the model can read or write."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from autokb.core.errors import BadInputError
from autokb.core.ids import digest
from autokb.core.model_requests import CutOffError, effort_in_key
from autokb.heuristics.grouping import grouped
from autokb.tasks.task import In, Task

if TYPE_CHECKING:
    from autokb.llm.caps import Limits

FEWEST_CHARACTERS_A_TOKEN = 3.0  # of ordinary text; a group must fit also where tokens are shorter than usual
MOST_TOKENS_READ = 24_000  # of one request: beyond it models overlook entries, whatever their window holds
TOKENS_AROUND_ENTRIES = 8  # of a usual reply: {"answers": []}
MOST_TOKENS_AROUND = 64  # of a reply at its longest
LEAST_SHARED = 0.25  # of what a group reads, which the request that it joins reads anyway
LONGER_THAN_USUAL = 2  # times that a group's reply may be; entries at their longest are not all in one reply

Group = tuple[int, ...]  # positions of the items that share a request


def item_key(task: Task[Any, Any], model: str, turns: tuple[str, str], effort: str = "") -> str:
    """Return the key of an item's answer: the model, the task, and what the model reads of the item alone.

    A reasoning effort is part of it where a person set one.
    """
    return digest("answer", task.name, str(task.version), model, *turns, *effort_in_key(effort))


def item_keys(task: Task[In, Any], model: str, items: Sequence[In], effort: str = "") -> list[str]:
    """Return the keys of items' answers by a model (BadInputError where the task has no prompt)."""
    if not task.asks_models:
        raise BadInputError(f"The task {task.name} cannot be asked of a model; set tasks: {{{task.name}: offline}}.")
    return [item_key(task, model, task.turns((item,)), effort) for item in items]


def halves(group: Group, error: CutOffError) -> list[Group]:
    """Return the parts to ask about where the reply about a group was too long; none where that is not why."""
    middle = len(group) // 2
    return [group[:middle], group[middle:]] if middle and not error.hidden else []


class _SharedReading:
    """What groups of items read, to find those that share most with the ones that a request has; ``left`` have none."""

    def __init__(self, parts: Sequence[Mapping[Hashable, int]]) -> None:
        self.left = dict.fromkeys(range(len(parts)))
        self._parts = parts
        self._sizes = [max(sum(own.values()), 1) for own in parts]
        self._holders = grouped((part, number) for number, own in enumerate(parts) for part in own)
        self._known: set[Hashable] = set()
        self._characters = 0
        self._shared = Counter[int]()

    def begin(self) -> int:
        """Begin a request with the first group that is left, and return it."""
        self._known.clear()
        self._characters = 0
        self._shared.clear()
        first = min(self.left)
        self.take(first)
        return first

    def take(self, number: int) -> None:
        """Add a group to the request."""
        del self.left[number]
        for part in self._parts[number].keys() - self._known:
            self._known.add(part)
            self._characters += self._parts[number][part]
            for other in self._holders[part]:
                self._shared[other] += self._parts[other][part]

    def nearest(self) -> list[int]:
        """Return the groups that share enough with the request, those that share the largest part of theirs first.

        One that brings more than a request has room for is not among them: to render it would take long.
        """
        of_theirs = {n: self._shared[n] / self._sizes[n] for n in self.left}
        room = MOST_TOKENS_READ * FEWEST_CHARACTERS_A_TOKEN - self._characters
        bring_little = (n for n in self.left if self._sizes[n] - self._shared[n] <= room)
        near = (n for n in bring_little if of_theirs[n] >= LEAST_SHARED)
        return sorted(near, key=lambda n: (-of_theirs[n], n))


@dataclass(frozen=True)
class Batching:
    """Puts a stage's items into requests of a model; ``one_each`` is the paper's way, one item a request."""

    task: Task[Any, Any]
    items: Sequence[Any]
    limits: Limits
    one_each: bool
    _sizes: dict[int, tuple[int, int]] = field(default_factory=dict, compare=False, repr=False)

    def groups(self, keys: Sequence[str], missing: Sequence[int], begun: Sequence[Sequence[str]]) -> list[Group]:
        """Return the groups to ask: those of an undisturbed run that are missing whole, then what is left.

        So a build that was killed asks what it would have asked, and ten new issues among a thousand share one request.
        ``begun`` are the keys of each request whose reply is paid for or awaited: it is formed again as it was.
        """
        if not missing:
            return []
        first = {key: position for position, key in reversed(list(enumerate(keys)))}
        again = [tuple(first[key] for key in group) for group in begun if set(group) <= set(first)]
        left = set(missing)
        kept: list[Group] = []
        for group in (*dict.fromkeys(again), *self._grouped(sorted(first.values()))):
            if left.issuperset(group):
                kept.append(group)
                left.difference_update(group)
        return [*kept, *self._grouped(sorted(left))]

    def _grouped(self, positions: Sequence[int]) -> list[Group]:
        """Return groups of positions; an item too large for the model stands alone: the model's own error says so."""
        together: dict[Hashable, list[list[int]]] = {}
        order: list[list[int]] = []
        for position in positions:
            place = position if self.one_each else self.task.together(self.items[position])
            groups = together.setdefault(place, [])
            if not groups or not self._fits([*groups[-1], position]):
                if groups:
                    order.append(groups[-1])
                groups.append([])
            groups[-1].append(position)
        if self.task.evenly:
            return [group for groups in together.values() for group in self._evened(groups)]
        found = [tuple(group) for group in (*order, *(groups[-1] for groups in together.values()))]
        return self._joined(found)

    def _joined(self, groups: Sequence[Group]) -> list[Group]:
        """Return the groups, those that read the same in one: to the first one left comes what shares most with it."""
        if self.one_each:
            return list(groups)
        reading = _SharedReading(
            [{p: size for n in group for p, size in self.task.parts(self.items[n]).items()} for group in groups]
        )
        found: list[Group] = []
        while reading.left:
            joined = groups[reading.begin()]
            while (near := self._nearest(groups, reading, joined)) is not None:
                joined += groups[near]
                reading.take(near)
            found.append(joined)
        return found

    def _nearest(self, groups: Sequence[Group], reading: _SharedReading, joined: Group) -> int | None:
        return next((n for n in reading.nearest() if self._fits((*joined, *groups[n]))), None)

    def _evened(self, groups: Sequence[Sequence[int]]) -> list[Group]:
        """Return as many groups of about the same size, or the same ones where those would not fit."""
        every = [position for group in groups for position in group]
        ends = [len(every) * n // len(groups) for n in range(len(groups) + 1)]
        even = [tuple(every[start:end]) for start, end in itertools.pairwise(ends)]
        return even if all(map(self._fits, even)) else [tuple(group) for group in groups]

    def _fits(self, group: Sequence[int]) -> bool:
        if self.one_each or len(group) > self.task.most:
            return False
        items = [self.items[n] for n in group]
        written = MOST_TOKENS_AROUND + self._tokens_written(items)
        if written > self.limits.output:
            return False
        most_read = min(self.limits.window, MOST_TOKENS_READ + self.limits.output) - written
        # What the items share (a tree's passages) stands in their request once, so only rendering it tells its size;
        # mostly it fits even if each brought all of it.
        alone = [self._characters(position) for position in group]
        read = alone[0][0] + sum(user for _, user in alone)
        if read / FEWEST_CHARACTERS_A_TOKEN <= most_read:
            return True
        together = sum(map(len, self.task.turns(items)))
        return together / FEWEST_CHARACTERS_A_TOKEN <= most_read

    def _characters(self, position: int) -> tuple[int, int]:
        """Return the characters of the system and user turns that ask about one item alone."""
        if position not in self._sizes:
            system, user = self.task.turns((self.items[position],))
            self._sizes[position] = len(system), len(user)
        return self._sizes[position]

    def _tokens_written(self, items: Sequence[Any]) -> int:
        """Return how many tokens the entries of a group need; a reply that is cut all the same is asked in parts.

        One entry has room for its longest, many for twice the usual: if each had its longest, replies of 4,096 tokens
        would hold one tree's node at a time.
        """
        tokens = [self.task.tokens(item) for item in items]
        longest = [most for most, _ in tokens]
        return min(sum(longest), max(*longest, LONGER_THAN_USUAL * sum(usual for _, usual in tokens)))
