"""Past conversations as they are stored: no build makes anything of them, so what was added is what there is."""

from __future__ import annotations

from autokb.core.nouns import Conversation
from autokb.stores.codecs import Codec
from autokb.stores.staged import staged_nouns
from autokb.stores.workspace_file import WorkspaceFile

CONVERSATION_CODEC = Codec(Conversation, "id")


def staged_conversations(file: WorkspaceFile) -> list[Conversation]:
    """Return the added conversations, ordered by id."""
    return staged_nouns(file, "chats", CONVERSATION_CODEC)
