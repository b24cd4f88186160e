"""The section ``plugins: notes:`` of settings.yaml."""

from pydantic import BaseModel, ConfigDict, Field


class NotesSettings(BaseModel):
    """How many documents may be pinned: where everything is pinned, nothing is."""

    model_config = ConfigDict(extra="forbid")

    most_pins: int = Field(default=20, ge=1, le=1_000)
