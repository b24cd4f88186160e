"""How long a token is where nobody counted."""

from __future__ import annotations

CHARACTERS_A_TOKEN = 4  # of English prose, the usual rule of thumb; a workspace that has asked before knows its own
