"""A task answers one question, offline by a function or by a model from ``prompt.md``; both answers are checked."""

from __future__ import annotations

import importlib.resources
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from autokb.core.ids import canonical_json, digest, key_json, outside_key
from autokb.core.reply import LeftOut, Reply, ReplyError
from autokb.tasks.prompts import examples, render, spelled_reply

__all__ = ["LeftOut", "Read", "Reply", "ReplyError", "Task", "outside_key"]

NEEDS_MODEL = "{what} needs a model; name one with --model, or in settings.yaml as model: openai:NAME."
In = TypeVar("In")
Out = TypeVar("Out", bound=Reply)


@dataclass(frozen=True)
class Read(Generic[Out]):
    """What was read for one item: its answer, or the error; ``complaints`` are worth one repair but no failure.

    An error is ``final`` where it is not the reply's, so that no repair can mend it.
    """

    answer: Out | None
    error: str = ""
    complaints: tuple[str, ...] = ()
    final: bool = False


class Task(Generic[In, Out]):
    """One question: the types of its input and answer, its limits, and its two ways to an answer.

    A task is a subclass in ``tasks/GROUP/NAME/task.py`` with one instance there, ``TASK``. It declares ``input`` (a
    frozen dataclass with all that a prompt needs) and ``output`` (a ``Reply``), and answers ``offline``. With a
    ``prompt.md`` beside it a model can be asked: ``values`` fill the prompt, ``entry`` is the type of what the model
    writes about an item, ``read`` turns that into the answer.

    Stored answers of an old version are not used again: raise ``version`` when the same reply of a model is read
    otherwise, which has replies read anew, and ``offline_revision`` when the offline answer to the same input changes.
    """

    package: ClassVar[str]  # where prompt.md and examples.yaml lie
    name: ClassVar[str]  # GROUP/NAME, a plug-in's says PLUGIN.NAME; keys of stored and paid answers hold it
    version: ClassVar[int] = 1
    offline_revision: ClassVar[int] = 0
    input: type[In]
    output: type[Out]

    most: ClassVar[int] = 1  # items in one request to a model
    evenly: ClassVar[bool] = False  # whether requests have about the same number of items, in place of a small last one
    masks: ClassVar[bool] = False  # whether personal data and secrets are placeholders in what a model is shown
    grouped_by: ClassVar[tuple[str, ...]] = ()  # fields that the items of one request have in common
    entry_tokens: ClassVar[tuple[int, int]]  # of an item's entry: the most it can sensibly need, and the usual number

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.package = cls.__module__.rpartition(".")[0]
        cls.name = vars(cls).get("name", "/".join(cls.package.split(".")[-2:]))

    def key(self, item: In) -> str:
        """Return the hash of everything that can change the offline answer."""
        return digest(self.name, self.offline_version, canonical_json(key_json(item)))

    @property
    def offline_version(self) -> str:
        """What the keys of offline answers hold in the place of the version."""
        return f"{self.version}.{self.offline_revision}" if self.offline_revision else str(self.version)

    # -- without a model

    def offline(self, item: In) -> Out:
        """Answer without a model; a task without such an answer raises ReplyError, which says what to do."""
        raise ReplyError(NEEDS_MODEL.format(what=self.name))

    @property
    def answers_offline(self) -> bool:
        """Whether there is an answer without a model."""
        return type(self).offline is not Task.offline

    def check(self, item: In, reply: Out) -> None:
        """Raise ReplyError when an answer is wrong for its input, whoever gave it; the message says what."""

    def answer_offline(self, item: In) -> Out:
        """Answer without a model; raises ReplyError when the answer does not fit its input."""
        reply = self.offline(item)
        self.check(item, reply)
        return reply

    # -- by a model

    @cached_property
    def asks_models(self) -> bool:
        """Whether a model can be asked: the task has a ``prompt.md``."""
        return importlib.resources.files(self.package).joinpath("prompt.md").is_file()

    def together(self, item: In) -> Hashable:
        """Return what the items of one request have in common, by default their fields ``grouped_by``."""
        return tuple(getattr(item, name) for name in self.grouped_by)

    def parts(self, item: In) -> Mapping[Hashable, int]:
        """Return what of an item's question others may ask about too, with its characters; by default nothing.

        A request says it once, so groups that have much of it in common are one request.
        """
        return {}

    def tokens(self, item: In) -> tuple[int, int]:
        """Return the most tokens that an item's entry can sensibly need, and the usual number."""
        return self.entry_tokens

    def tokens_written(self, items: Sequence[In], answers: Sequence[Out | None]) -> float:
        """Return the tokens of a request's entries where these are the answers; None is one that nobody knows.

        By default the usual number of each item's.
        """
        return sum(self.tokens(item)[1] for item in items)

    def values(self, items: Sequence[In]) -> Mapping[str, Any]:
        """Return the variables of ``prompt.md`` for the items of one request, but for ``examples``."""
        raise NotImplementedError(f"{self.name} asks no model.")

    def examples(self, items: Sequence[In]) -> Sequence[Mapping[str, Any]]:
        """Return the prompt's examples: entries of ``examples.yaml``, each ``reply`` as a model is to write it."""
        return [{**example, "reply": spelled_reply(example["reply"])} for example in examples(self.package)]

    def variables(self, items: Sequence[In]) -> Mapping[str, Any]:
        """Return all variables of ``prompt.md`` for the items of one request."""
        return {**self.values(items), "examples": self.examples(items)}

    def turns(self, items: Sequence[In]) -> tuple[str, str]:
        """Return the system and the user turn that ask about the items of one request."""
        return render(self.package, self.variables(items))

    def published(self, items: Sequence[In]) -> Iterable[str]:
        """Return the texts of a request that customers may read anyway: what looks private in them is not masked."""
        return ()

    def entry(self, items: Sequence[In]) -> Mapping[str, Any]:
        """Return the fields of one entry of a reply, name to type, but for ``number``, which says which item it is of.

        Bound every list, string and number and enumerate what can be enumerated: the JSON schema then says all it can.
        """
        raise NotImplementedError(f"{self.name} asks no model.")

    def form(self, items: Sequence[In]) -> Hashable:
        """Return all that ``entry`` and ``reply_fields`` make of the items; what has the same one shares its types.

        By default None: the types of each request are its own. It pays where a reply is waited for.
        """
        return None

    def read(self, item: In, entry: Any) -> Read[Out]:
        """Turn an item's entry into the answer and what of it is worth a repair; raise ReplyError when it is wrong.

        By default the answer has the fields of the entry.
        """
        fields = {name: getattr(entry, name) for name in type(entry).model_fields if name != "number"}
        return Read(self.output(**fields))

    # -- by a model, where items share more than a request

    def reply_fields(self, items: Sequence[In]) -> Mapping[str, Any]:
        """Return further fields of the whole reply, name to type; they come before ``answers``."""
        return {}

    def read_among(self, items: Sequence[In], position: int, entry: Any, fields: Mapping[str, Any]) -> Read[Out]:
        """Read the entry of the item at a position; only a task whose replies have ``reply_fields`` needs more."""
        return self.read(items[position], entry)
