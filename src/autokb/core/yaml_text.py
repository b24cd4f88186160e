"""YAML as people write it in settings and domains: words stay words, and what no person writes is refused by name."""

from __future__ import annotations

import re
from typing import Any

from autokb.core.errors import BadEntryError, BadInputError, as_value, shown_value
from autokb.core.storable import without_surrogates

MOST_CHARACTERS = 500_000  # fifty times the longest domain we ship; this many take five seconds to read
# Values, counted again wherever an alias repeats them: a few lines of aliases of aliases can stand for 10^9 of them.
MOST_VALUES = 100_000
DEEPEST_NESTING = 50  # levels of a YAML file
_READ_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("str", "int", "null", "seq", "map", "merge"))
LARGEST_WHOLE = 2**63 - 1  # the largest whole number of SQLite, and of most readers of JSON
# Beyond it Python itself refuses to turn digits into a number.
_MOST_DIGITS = 1_000
# What to do about what the parser of YAML says, by words of it; the first that fits counts.
_REMEDIES = (
    ("mapping values are not allowed", "put a text with a colon in it into quotes, and indent entries alike"),
    ("but got ':'", "put a text with a colon in it into quotes"),
    ("expected ',' or", "close the bracket, and put a text with a comma or a bracket in it into quotes"),
    (r"'\t'", "indent with spaces, not with tabs"),
    ("undefined alias", "put a text that begins with * into quotes"),
    ("expected alphabetic or numeric character", "put a text that begins with & or * into quotes"),
    ("cannot start any token", "put a text that begins with a sign such as @, % or ` into quotes"),
    ("unexpected end of stream", "close the quotes"),
    (
        "sequence entries are not allowed",
        "begin a list in a line of its own, and put a text that begins with - into quotes",
    ),
    ("could not find expected ':'", "write a colon and a space behind each name, and indent what belongs to a text"),
    ("expected <block end>", "indent entries alike, and put the whole of a text into quotes where any of it is"),
    ("expected chomping", "put a text that begins with | or > into quotes"),
    ("special characters", "take out characters that cannot be seen"),
    ("another document", "it holds two documents; take out the line ---"),
)


# Complex: the loader, its limits and the sentences for what it raises belong to one attempt to read.
def parse_yaml(text: str, name: str) -> Any:
    """Parse YAML in which Yes, No, On and 1.10 stay the words they are, as attribute values must.

    Raises BadInputError, with the line and the entry, for what is no YAML and for YAML that no person writes: one that
    is too long, too deep or repeats itself without bound, tags such as !!binary, the same name twice in one mapping,
    and names that are no text.
    """
    import yaml

    class LiteralLoader(yaml.SafeLoader):
        """A safe loader that resolves whole numbers and null only."""

        def construct_scalar(self, node: Any) -> Any:
            """Return a scalar's text without halves of characters, which a quoted one may escape."""
            return without_surrogates(super().construct_scalar(node))

    kept = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:null", "tag:yaml.org,2002:merge")
    LiteralLoader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag in kept]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    if len(text) > MOST_CHARACTERS:
        raise BadInputError(f"{name} has {len(text):,} characters, and {MOST_CHARACTERS:,} can be read; shorten it.")
    try:
        loader = LiteralLoader(text.lstrip("\ufeff"))
        node = loader.get_single_node()
        if node is None:
            return None
        _Check(name, loader).values(node, ())
        return loader.construct_document(node)
    except RecursionError as error:
        raise BadInputError(f"{name} is nested too deeply; flatten it.") from error
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        where = f" in line {place.line + 1}" if place else ""
        problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or type(error).__name__)
        problem = next((remedy for words, remedy in _REMEDIES if words in problem), problem)
        said = re.sub(r"""['"].*['"]""", lambda quoted: as_value(quoted[0]), " ".join(problem.split()))
        raise BadEntryError(f"{name} is not valid YAML{where}: {said}.") from error


class _Check:
    """Goes through the nodes of a document once, each alias counted as what it repeats."""

    def __init__(self, name: str, loader: Any) -> None:
        self._name = name
        self._loader = loader
        self._values: dict[int, int] = {}  # by a node's id; 0 while it is gone through
        self._depths: dict[int, int] = {}

    def values(self, node: Any, path: tuple[str, ...]) -> int:
        """Return how many values a node stands for; BadInputError names what must not be there."""
        import yaml

        known = self._values.get(id(node))
        if known == 0:
            raise self._error(node, path, "refers to itself; write out what is meant")
        if known is not None:
            self._check_depth(node, path)
            return known
        self._values[id(node)] = 0
        if node.tag not in _READ_TAGS:
            tag = node.tag.replace("tag:yaml.org,2002:", "!!")
            reason = f"has the tag {as_value(tag)}, which is not read; leave the tag out and write text"
            raise self._error(node, path, reason)
        below: list[Any] = []
        found = 1
        if isinstance(node, yaml.MappingNode):
            self._check_names(node, path)
            for key, value in node.value:
                found += 1 + self.values(value, (*path, key.value))
                below.append(value)
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value, 1):
                found += self.values(value, (*path, str(number)))
                below.append(value)
        elif node.tag.endswith(":int"):
            self._check_number(node, path)
        self._depths[id(node)] = 1 + max((self._depths[id(value)] for value in below), default=0)
        self._check_depth(node, path)
        if found > MOST_VALUES:
            reason = f"stands for more than {MOST_VALUES:,} values, those that aliases repeat among them"
            raise self._error(node, path, f"{reason}; write out what is meant")
        self._values[id(node)] = found
        return found

    def _check_depth(self, node: Any, path: tuple[str, ...]) -> None:
        if len(path) + self._depths[id(node)] > DEEPEST_NESTING:
            raise self._error(node, path[:3], f"nests more than {DEEPEST_NESTING} levels; flatten it")

    def _check_number(self, node: Any, path: tuple[str, ...]) -> None:
        if len(node.value) > _MOST_DIGITS:
            raise self._error(node, path, f"is a number of {len(node.value):,} digits; put it in quotes if it is text")
        try:
            number = self._loader.construct_object(node)
        except (ValueError, IndexError) as error:
            raise self._error(node, path, f"is no number that can be read, not {shown_value(node.value)}") from error
        if abs(number) > LARGEST_WHOLE:
            raise self._error(node, path, "is a number of more than 64 bits; put it in quotes if it is text")

    def _check_names(self, node: Any, path: tuple[str, ...]) -> None:
        """Refuse a mapping whose names are no text, are empty or stand twice."""
        import yaml

        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._error(key, path, "has a list or a mapping for a name; write text before the colon")
            self.values(key, path)
            if key.tag.endswith(":merge"):
                continue
            if key.tag.endswith(":null") or not key.value.strip():
                raise self._error(key, path, "has an entry without a name; write one, in quotes if it is null or ~")
            if key.value in seen:
                raise self._error(key, (*path, key.value), "stands twice; put both into one entry")
            seen.add(key.value)

    def _error(self, node: Any, path: tuple[str, ...], reason: str) -> BadEntryError:
        line = node.start_mark.line + 1
        entry = ": ".join(part if len(part) <= 40 else part[:40] + "…" for part in path) or "the document"
        return BadEntryError(f"{self._name}, line {line}: {as_value(entry)} {reason}.")
