"""What a person can see of a text: orders that only a model would read are taken out before it reads them."""

from __future__ import annotations

import re

# Characters without a shape: they turn the direction of writing, or hide orders from people who read the same text.
INVISIBLE_CHARACTER = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def visible(text: str) -> str:
    """Return what a person can see of a text: without invisible characters and comments."""
    return INVISIBLE_CHARACTER.sub("", HTML_COMMENT.sub("", text) if "<!--" in text else text)
