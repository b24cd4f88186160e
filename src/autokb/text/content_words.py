"""``content_words`` under the name by which the engines of tasks still import it; ``words`` holds it."""

from autokb.text.words import content_words

__all__ = ["content_words"]
