"""The chunkers' names, as ``settings.yaml`` and ``--method`` take them; importing this loads no chunker."""

from __future__ import annotations

from autokb.core.errors import BadInputError
from autokb.core.plugins import code_of, is_of_plugin

AUTO_CHUNKER = "auto_chunker"
SEMANTIC = "semantic"
LLM_SEMANTIC = "llm_semantic"
LUMBER_CHUNKER = "lumber_chunker"
METHODS = (
    AUTO_CHUNKER,
    "fixed",
    "headings",
    LLM_SEMANTIC,
    LUMBER_CHUNKER,
    "recursive",
    "recursive_html",
    "recursive_markdown",
    "recursive_text",
    SEMANTIC,
)


def check_method(method: str) -> None:
    """Refuse a name that no chunker has (BadInputError)."""
    if is_of_plugin(method):
        code_of("chunkers", method)
    elif method not in METHODS:
        raise BadInputError(f"There is no chunker {method!r}; choose one of: {', '.join(METHODS)}.")
