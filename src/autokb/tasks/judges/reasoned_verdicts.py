"""What the tasks that give a verdict with its reason have in common: the reason first, then one word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import Field

from autokb.tasks.prompts import unescaped
from autokb.tasks.task import In, Read, Reply, ReplyError, Task

NOBODY_JUDGES = "Without a model nobody can judge it."


class ReasonedReply(Reply):
    """Why the verdict is what it is; which verdicts there are says the reply of each task."""

    reason: str
    verdict: str


Out = TypeVar("Out", bound=ReasonedReply)


class ReasonedTask(Task[In, Out]):
    """A task that a model answers by one of a few ``verdicts``, none of which it gives without a reason."""

    verdicts: ClassVar[tuple[str, ...]] = ("yes", "no", "unsure")
    most = 6  # items; more of them and a judge begins to repeat itself
    entry_tokens = (182, 60)
    reason_characters = 300

    def check(self, item: In, reply: Out) -> None:
        """Refuse a verdict without a reason."""
        if not reply.reason.strip():
            raise ReplyError(f"The verdict {reply.verdict!r} needs a reason.")

    def entry(self, items: Sequence[In]) -> Mapping[str, Any]:
        """Return the fields of an entry: the reason, and then the verdict."""
        reason = Field(min_length=1, json_schema_extra={"maxLength": self.reason_characters})
        return {"reason": Annotated[str, reason], "verdict": Literal[self.verdicts]}

    def read(self, item: In, entry: Any) -> Read[Out]:
        """Read reason and verdict."""
        reason = unescaped(entry.reason).strip()[: self.reason_characters]
        return Read(self.output(reason=reason, verdict=entry.verdict))
