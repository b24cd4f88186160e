"""What a tree grows from and what it consists of."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.attributes import Attributes


@dataclass(frozen=True, slots=True)
class Report:
    """One raw issue: its headline and the attribute values it says; a name that is missing is unknown.

    ``sentence`` says the same in other words, where the customer did.
    """

    raw_issue: str
    headline: str
    attributes: Attributes
    sentence: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that say what it is about."""
        return (self.headline, self.sentence) if self.sentence else (self.headline,)


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A parent or child: its text, a value for every attribute, and the raw issues that reported it."""

    text: str
    attributes: Attributes
    raw_issues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A parent and its children, most frequent first."""

    parent: TreeNode
    children: tuple[TreeNode, ...]
