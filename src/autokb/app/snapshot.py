"""What one publication holds in memory for questions: opened part by part, replaced whole."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from autokb.core.errors import AutokbError, NothingPublishedError
from autokb.core.nouns import CUSTOMER, Message
from autokb.pipeline.embedding import PACKAGED, compares_languages, read_embedder_name
from autokb.pipeline.open_index import OpenIndex, open_served_index
from autokb.stores.workspace import Workspace
from autokb.suggesting.beside import Beside, open_beside
from autokb.suggesting.suggest import suggest
from autokb.text.languages import load_detector

if TYPE_CHECKING:
    from autokb.suggesting.choosing_model import ChoosingModel
    from autokb.suggesting.suggestion_models import SuggestionModels


class State(NamedTuple):
    """What tells one state of a workspace from another: which file, its generation, and that of its tickets."""

    file: int
    generation: str
    tickets: str | None


@dataclass(eq=False)
class Snapshot:
    """A workspace in one state.

    A part is opened when it is first asked for, under the lock of whoever holds the snapshot; what has not changed
    since the ``earlier`` index is taken over from it. One that is replaced is closed when the last question that it
    answers has ended.
    """

    workspace: Workspace
    state: State
    earlier: OpenIndex | None = field(default=None, repr=False)

    def later(self, workspace: Workspace, state: State) -> Snapshot:
        """Return what takes the place of this one; what is beside stays, and of the index what a decision leaves."""
        found = Snapshot(workspace, state, self.held_index or self.earlier)
        same_tickets = (self.state.file, self.state.tickets) == (state.file, state.tickets)
        if same_tickets and workspace is self.workspace and "beside" in self.__dict__:
            found.__dict__["beside"] = self.beside
        return found

    @cached_property
    def index(self) -> OpenIndex:
        """The knowledge base, ready to be asked (NothingPublishedError where there is none)."""
        before, self.earlier = self.earlier, None  # so that it is let go
        return open_served_index(self.workspace, before)

    @cached_property
    def beside(self) -> dict[str, Beside]:
        """What plug-ins know beside the knowledge base, such as past tickets, by the source that suggestions name."""
        return open_beside(self.workspace)

    @cached_property
    def known(self) -> OpenIndex | None:
        """The knowledge base, None for what is beside it alone (NothingPublishedError where there is nothing)."""
        try:
            return self.index
        except NothingPublishedError:
            if not self.beside:
                raise
        return None

    @cached_property
    def suggestion_models(self) -> SuggestionModels:
        """The models that write suggestions, whose sessions stay open."""
        return self.suggestion_models_for(None)

    def suggestion_models_for(self, budget: float | None) -> SuggestionModels:
        """Return models that a budget bounds; they stay open for the one suggestion."""
        from autokb.suggesting.suggestion_models import SuggestionModels

        opened = self.known or next(iter(self.beside.values()))
        return SuggestionModels(self.workspace, opened.file, budget, of=opened)

    @cached_property
    def _choosing_models(self) -> dict[str, ChoosingModel]:
        return {}

    def choosing_model(self, model: str = "") -> ChoosingModel | None:
        """Return the model that chooses among what a question finds, the settings' or another one; None is offline."""
        from autokb.pipeline.model_choice import OFFLINE
        from autokb.suggesting.choosing_model import ChoosingModel

        name = model or self.workspace.settings.ask.model
        if name == OFFLINE:
            return None
        known = self._choosing_models
        if name not in known:
            known[name] = ChoosingModel(self.workspace, self.index.file, name, of=self.index)
        return known[name]

    @property
    def held_index(self) -> OpenIndex | None:
        """The knowledge base where it is open already."""
        return self.__dict__.get("index")

    def open(self) -> None:
        """Open what questions need (NothingPublishedError where there is nothing)."""
        if self.known is not None:
            self.beside  # noqa: B018 (opened here, not by the first question)

    def warm(self) -> None:
        """Ask the knowledge base for one of its own texts, offline: encoder and word lists load with the first one.

        Nothing is asked where an embedder would be paid for it.
        """
        opened = self.held_index
        if opened is not None and not read_embedder_name(self.workspace.settings.embedder).is_paid:
            beside = tuple(self.__dict__.get("beside", {}).values())
            suggest(opened, [Message(CUSTOMER, _own_text(opened))], beside)

    @property
    def speaks_languages(self) -> bool:
        """Whether the second encoder's vectors are in memory."""
        return self.held_index is not None and self.held_index.by_language.multilingual is not None

    def warm_languages(self) -> None:
        """Connect to the model that chooses, and load what the first question in another language would wait for."""
        if (opened := self.held_index) is None:
            return
        with suppress(AutokbError):  # of the model, which the first question says
            if (chooser := self.choosing_model()) is not None:
                chooser.connect()
        if read_embedder_name(self.workspace.settings.embedder).kind == PACKAGED:
            load_detector()
        by_language = opened.by_language
        if by_language.sliced is None and compares_languages(self.workspace.settings, opened.index.spec.language):
            by_language.load_multilingual().embed_questions([_own_text(opened)])

    def close(self) -> None:
        """Close the models' sessions; files are closed when nobody holds this any longer, be it a thread at work."""
        for model in self._choosing_models.values():
            model.close()
        if "suggestion_models" in self.__dict__:
            self.suggestion_models.close()


def _own_text(opened: OpenIndex) -> str:
    rows = opened.index.candidates.rows
    return rows[0].solution.text if rows else opened.index.spec.name
