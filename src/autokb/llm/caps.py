"""How many tokens a reply may have: what its task declares, and room for the hidden reasoning of models that reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from autokb.core.ledger import CutReply, HiddenReasoning, Ledger
from autokb.core.model_requests import CutOffError, EmbeddingReply, ModelReply, ModelRequest
from autokb.core.settings import Settings
from autokb.llm.effort import USUAL_EFFORT, always_reasons, usual_effort
from autokb.text.strict_json import find_json_object

WINDOW_UNKNOWN = 32_000  # tokens; most models of today have at least as many


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens: ``window`` is what fits into one request and its reply together, ``output`` the most of a reply."""

    window: int
    output: int


def limits(model: str, window: int, max_output: int) -> Limits:
    """Return the limits of ``provider:NAME``: the setting ``window``, else what is known of it, else 32,000."""
    found = window or known_window(model) or WINDOW_UNKNOWN
    return Limits(found, min(max_output, found // 2))


def usual_limits(model: str) -> Limits:
    """Return the limits of ``provider:NAME`` where nobody set any."""
    return limits(model, 0, Settings().max_output)


def known_window(model: str) -> int | None:
    """Return the context window that genai-prices has of a model."""
    from autokb.llm.prices import known_model

    provider, _, name = model.partition(":")
    known = known_model(provider, name)
    return None if known is None or known.context_window is None else int(known.context_window)


# Tokens that a reply has for hidden reasoning before a model's own replies tell: pydantic-ai's budgets for Claude.
HEADROOM = {"minimal": 1024, "low": 2048, "medium": 10_000, "high": 16_384, "xhigh": 32_768, "max": 32_768}
USUAL_SHARE = 0.25  # of the headroom that replies use, before they tell; a plan counts it
OVER_THE_MOST = 2  # times what the reply that reasoned most used
RAISE = 4  # times the headroom, for the one retry of a reply that was cut off
CHARACTERS_A_TOKEN = 3  # at the least, of ordinary text: a prompt and its cap must fit into the window together


class Caps:
    """Gives each request its cap, and knows which requests no cap was enough for."""

    def __init__(self, ledger: Ledger, limits_of: Callable[[str], Limits]) -> None:
        self._ledger = ledger
        self._limits_of = limits_of
        self._limits: dict[str, Limits] = {}
        self._read: dict[str, dict[str, CutReply]] | None = None  # what the ledger has of cut replies
        self._cut: dict[str, dict[str, CutReply]] = {}  # and this run
        self._used: dict[str, dict[str, HiddenReasoning]] = {}
        self._reasons: set[str] = set()  # models whose replies of this run had hidden reasoning

    def with_cap(self, request: ModelRequest, task: str) -> ModelRequest:
        """Return the request with the cap to send; CutOffError where its reply was cut off at the largest already.

        What was cut off once has the raised cap. What that did not help is asked again only at a larger ``max_output``.
        """
        cut = {**self._of_ledger().get(request.base_key, {}), **self._cut.get(request.base_key, {})}
        last = max(cut.values(), key=lambda one: one.cap, default=CutReply(0, 0))
        most = self._limits_for(request.model).output
        headroom = self._headroom(request.model, request.effort, last.hidden)
        cap = request.max_tokens + headroom
        if len(cut) == 1:
            cap = max(most, request.max_tokens + RAISE * headroom)
        elif cut:
            cap = most
        cap = max(request.max_tokens, min(cap, self._room(request))) if cap > request.max_tokens else cap
        if cut and cap <= last.cap:
            hidden = last.cap - last.hidden < request.max_tokens  # else the reply had all the room that it declared
            raise CutOffError(_sentence(request, task, last), hidden=hidden)
        return replace(request, cap=cap)

    def note(self, request: ModelRequest, reply: ModelReply | EmbeddingReply) -> None:
        """Remember that a reply had hidden reasoning, and where it was cut off."""
        assert isinstance(reply, ModelReply)
        if reply.reasoning_tokens:
            self._reasons.add(request.model)
        if was_cut(reply):
            cut = CutReply(request.most_output, reply.reasoning_tokens)
            self._cut.setdefault(request.base_key, {})[request.key] = cut

    def read_again(self) -> None:
        """Look again at what the ledger has of cut replies."""
        self._read = None

    def usual_reasoning(self, model: str, task: str, effort: str) -> float:
        """Return the tokens of hidden reasoning of a reply, as this model's earlier ones tell, else as is usual."""
        used = self._used_by(model)
        if task in used:
            return used[task].mean
        if used:
            return sum(one.mean for one in used.values()) / len(used)
        return self._headroom(model, effort, 0) * USUAL_SHARE

    @property
    def any_was_cut(self) -> bool:
        """Whether any reply was ever cut off."""
        return bool(self._cut or self._of_ledger())

    def _headroom(self, model: str, effort: str, hidden: int) -> int:
        """Return the room for hidden reasoning: 0 for a model that never showed any and is not known to reason."""
        used = self._used_by(model)
        asked = effort if effort in HEADROOM else usual_effort(model) if effort != "none" else ""
        reasons = asked in HEADROOM or always_reasons(model) or bool(used) or hidden or model in self._reasons
        if not reasons:
            return 0
        most = max((one.most for one in used.values()), default=0)
        return max(HEADROOM.get(asked, HEADROOM[USUAL_EFFORT]), OVER_THE_MOST * most)

    def _room(self, request: ModelRequest) -> int:
        """Return how many tokens the model's window has left for the reply."""
        return self._limits_for(request.model).window - request.size // CHARACTERS_A_TOKEN

    def _used_by(self, model: str) -> dict[str, HiddenReasoning]:
        if model not in self._used:
            self._used[model] = self._ledger.reasoning(model)
        return self._used[model]

    def _limits_for(self, model: str) -> Limits:
        if model not in self._limits:
            self._limits[model] = self._limits_of(model)
        return self._limits[model]

    def _of_ledger(self) -> dict[str, dict[str, CutReply]]:
        if self._read is None:
            self._read = self._ledger.cut_replies()
        return self._read


def was_cut(reply: ModelReply) -> bool:
    """Return whether a reply reached its cap before it was whole."""
    if reply.finish != "length":
        return False
    try:
        find_json_object(reply.text)
        return False
    except (ValueError, RecursionError):
        return True


def _sentence(request: ModelRequest, task: str, last: CutReply) -> str:
    why = f", {last.hidden:,} of them hidden reasoning" if last.hidden else ""
    less = f"a lower reasoning_effort for {request.model}, " if last.hidden else ""
    return (
        f"The reply of {request.model} to {task} was cut off at {last.cap:,} tokens{why}; the task itself allows for "
        f"{request.max_tokens:,}. It is not asked again as it is: set {less}a max_output of more than {last.cap} or "
        "another model for the task in settings.yaml."
    )
