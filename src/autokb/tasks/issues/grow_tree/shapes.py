"""What goes into a tree and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autokb.core.attributes import Attributes
from autokb.core.domain import Attribute
from autokb.tasks.reply import LeftOut, Reply


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
class Child:
    """A node: its text, a value for every attribute, and the raw issues that reported it."""

    text: str
    attributes: Attributes
    raw_issues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A parent and its children, most frequent first."""

    parent: Child
    children: tuple[Child, ...]


@dataclass(frozen=True, slots=True)
class GrowTree:
    """A seed issue, what it says, and what was reported beside it: by its cluster, and near it in its theme."""

    domain: str
    issue: str
    text: str
    attributes: Attributes
    configuration: Mapping[str, Attribute]
    cluster: tuple[Report, ...] = ()
    theme: tuple[Report, ...] = ()


class Node(Reply):
    """An issue's text and its values for every attribute of the configuration."""

    text: str
    attributes: dict[str, list[str]]
    raw_issues: tuple[str, ...] = ()


class GrownTree(Reply):
    """The parent issue and its children; ``left_out`` are children that a model wrote and a check refused."""

    parent: Node
    children: list[Node]
    left_out: tuple[LeftOut, ...] = ()
