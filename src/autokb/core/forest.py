"""Nodes under nodes: child issues under parents, chunks under headings, sections under tickets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Generic, Protocol, TypeVar


class ForestNode(Protocol):
    """What a forest is made of."""

    @property
    def id(self) -> str:
        """Return what no other node of the forest is called."""
        ...

    @property
    def parent_id(self) -> str | None:
        """Return the id of its parent; None for a root."""
        ...


N = TypeVar("N", bound=ForestNode)


class Forest(Generic[N]):
    """Trees of nodes, read up (``ancestors``, ``root``) and down (``children``, ``subtree``).

    Every answer is in the order in which the nodes were given. A node whose parent is not in the forest is a root. Of
    nodes that lead round in a circle the first that was given is the root, so that every walk ends; ``circling`` names
    them for whoever refuses such input. An id that is not in the forest is a KeyError.
    """

    def __init__(self, nodes: Iterable[N]) -> None:
        self.nodes: Mapping[str, N] = {node.id: node for node in nodes}
        self._parents = {node.id: node.parent_id for node in self.nodes.values() if node.parent_id in self.nodes}
        self.circling = self._cut_circles()
        self._roots: dict[str, str] = {}  # of nodes under others, as far as they were asked for

    def _cut_circles(self) -> tuple[str, ...]:
        """Make a root of the first node of each circle; returns every node that was on one."""
        order = {node_id: n for n, node_id in enumerate(self.nodes)}
        done: set[str] = set()
        circling: set[str] = set()
        for start in self.nodes:
            path: dict[str, None] = {}
            here: str | None = start
            while here is not None and here not in done and here not in path:
                path[here] = None
                here = self._parents.get(here)
            if here in path:
                walked = list(path)
                circle = set(walked[walked.index(str(here)) :])
                circling |= circle
                del self._parents[min(circle, key=order.__getitem__)]
            done.update(path)
        return tuple(i for i in self.nodes if i in circling)

    def ancestors(self, node_id: str) -> Iterator[N]:
        """Yield the node's parent, that one's parent, and so on up to the root."""
        here = self._parents.get(self.nodes[node_id].id)
        while here is not None:
            yield self.nodes[here]
            here = self._parents.get(here)

    def root(self, node_id: str) -> N:
        """Return the topmost ancestor of a node: the node itself where it has no parent. KeyError for an unknown id."""
        path = []
        here = self.nodes[node_id].id
        while here in self._parents and here not in self._roots:
            path.append(here)
            here = self._parents[here]
        found = self._roots.get(here, here)
        self._roots.update(dict.fromkeys(path, found))  # else the roots of a chain would take its length squared
        return self.nodes[found]

    def children(self, node_id: str) -> tuple[N, ...]:
        """Return the nodes directly under a node."""
        return self._children_by_parent.get(self.nodes[node_id].id, ())

    def subtree(self, node_id: str) -> Iterator[N]:
        """Yield a node and everything under it, each node before its descendants."""
        waiting = [self.nodes[node_id]]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(self._children_by_parent.get(node.id, ())))

    @cached_property
    def roots(self) -> tuple[N, ...]:
        """The nodes without a parent in the forest."""
        return tuple(node for node in self.nodes.values() if node.id not in self._parents)

    @cached_property
    def _children_by_parent(self) -> Mapping[str, tuple[N, ...]]:
        found: dict[str, list[N]] = {}
        for child, parent in self._parents.items():
            found.setdefault(parent, []).append(self.nodes[child])
        return {parent: tuple(children) for parent, children in found.items()}
