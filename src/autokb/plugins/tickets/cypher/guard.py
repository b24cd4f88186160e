"""The guard: Cypher that a person or a model wrote runs only if a small grammar of what reads tickets has room for it.

What is not in the grammar is refused, so nothing has to be known of what an engine can do beside it. The query that
runs is the text that was read here, letter by letter; only its row caps are put in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NoReturn

from autokb.core.errors import BadInputError
from autokb.core.property_graph import (
    FILTERED,
    KEYWORDS,
    LINK_PROPERTIES,
    MOST_HOPS,
    MOST_ROWS,
    SECTION_PROPERTIES,
    TICKET_LABEL,
    CheckedCypher,
    GraphNames,
)

LONGEST = 50_000  # characters: a plan with 50 tickets and all sections has some 30,000
MOST_PARTS = 25  # queries joined by UNION; a plan has one for each section
MOST_RELATIONS = 12  # of one of these parts, its subqueries included, each hop of a path counted
MOST_LISTED = 200  # values in a list
DEEPEST = 20  # brackets inside of each other
LARGEST_INTEGER = 1_000_000  # of SKIP and LIMIT
FUNCTIONS = frozenset(
    "abs avg ceil coalesce collect count floor label labels lower max min round size substring sum tolower toupper"
    " trim type upper".split()
)
PROPERTIES = frozenset({*FILTERED, *SECTION_PROPERTIES, *LINK_PROPERTIES})
NAMES_TOO = frozenset(  # words of Cypher that every engine takes for the name of a variable
    "COMMENT COUNT KEY LIST MAP NODE NODES PATH PATHS PROPERTY RELATIONSHIP ROW ROWS TYPE USER".split()
)
_QUANTIFIERS = ("ALL", "ANY", "NONE", "SINGLE")
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_ALLOWED = "MATCH, OPTIONAL MATCH, WHERE, WITH, RETURN, ORDER BY, SKIP, LIMIT and UNION"

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    | (?P<text>'(?:[^'\\\r\n]|\\['"\\nrt])*' | "(?:[^"\\\r\n]|\\['"\\nrt])*")
    | (?P<quoted>`[A-Za-z0-9_]+`)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<number>(?:\d+\.\d+|\d+)(?![A-Za-z0-9_]))
    | (?P<sign><>|<=|>=|\.\.|[()\[\]{}:,.|*+\-/%<>=;])""",
    re.VERBOSE,
)


class RefusedCypherError(BadInputError):
    """Cypher that does not pass the guard; its text is one sentence that says why."""


def check_cypher(text: str, names: GraphNames, most: int = MOST_ROWS) -> CheckedCypher:
    """Return a query that only reads what is known of tickets, capped at ``most`` rows (RefusedCypherError)."""
    if len(text) > LONGEST:
        _refuse(f"it has more than {LONGEST} characters")
    reader = _Reader(_tokens(text), names, most)
    reader.read_query()
    return CheckedCypher(reader.capped(text), most)


def _refuse(why: str) -> NoReturn:
    raise RefusedCypherError(f"The Cypher was refused: {why}.")


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # text, quoted, name, number, sign or end
    text: str
    start: int

    @property
    def upper(self) -> str:
        """A word of the language, or a sign."""
        return "" if self.kind in ("text", "quoted") else self.text.upper()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            _refuse(_what_is_wrong(text[at : at + 2]))
        if text[at : at + 2] in ("//", "/*"):
            _refuse("it has a comment")
        kind = match.lastgroup
        if kind == "text" and not match.group().isprintable():
            _refuse("a text in quotes has a character that cannot be seen")
        if kind in ("text", "quoted", "name", "number", "sign"):
            found.append(_Token(kind, match.group(), at))
        at = match.end()
    return [*found, _Token("end", "", len(text))]


def _what_is_wrong(ahead: str) -> str:
    letter = ahead[0]
    if letter in "'\"":
        return (
            "a text in quotes does not end, or has in it a line break or an escape beyond quotes, \\\\, \\n, \\r, \\t"
        )
    if letter == "`":
        return "a name in backticks is not of letters, digits and _"
    if letter == "$":
        return "it has a parameter; write the value itself"
    if letter == "~":
        return "regular expressions are not allowed"
    if letter.isascii() and letter.isprintable():
        return f"it has {ahead.strip()!r} where nothing allowed begins so"
    name = unicodedata.name(letter, "a control character").lower()
    return f"it has {name} (U+{ord(letter):04X}) outside of a text in quotes"


@dataclass
class _Reader:
    """Reads tokens by the grammar; each method reads one thing of it and refuses what is none."""

    tokens: list[_Token]
    names: GraphNames
    most: int
    at: int = 0
    depth: int = 0
    relations: int = 0
    variables: dict[str, str] = field(default_factory=dict)  # folded name: node, relation or value
    caps: list[tuple[int, int, str]] = field(default_factory=list)  # what is replaced: start, end, by what

    def __post_init__(self) -> None:
        """Index the names of the graph."""
        self.labels = {TICKET_LABEL, *self.names.labels.values()}
        self.types = {*self.names.relations.values(), *self.names.links.values()}

    # -- tokens ------------------------------------------------------------------------------------

    @property
    def next(self) -> _Token:
        """The token that comes."""
        return self.tokens[self.at]

    def ahead(self, *words: str) -> bool:
        """Return whether these words or signs come."""
        coming = self.tokens[self.at : self.at + len(words)]
        return len(coming) == len(words) and all(t.upper == w for t, w in zip(coming, words, strict=True))

    def take(self, *words: str) -> bool:
        """Read these words or signs if they come."""
        if self.ahead(*words):
            self.at += len(words)
            return True
        return False

    def need(self, *words: str) -> None:
        """Read these words or signs."""
        if not self.take(*words):
            _refuse(f"{' '.join(words)} was expected {self.where()}")

    def where(self) -> str:
        """Say what comes."""
        token = self.next
        if token.kind == "end":
            return "at its end"
        return f"before {token.text[:40]!r}"

    def inside(self, read: Callable[[], None]) -> None:
        """Read something that may hold itself."""
        self.depth += 1
        if self.depth > DEEPEST:
            _refuse(f"brackets lie more than {DEEPEST} deep")
        read()
        self.depth -= 1

    # -- clauses -----------------------------------------------------------------------------------

    def read_query(self) -> None:
        """One statement: parts with UNION between them."""
        if self.next.kind == "end":
            _refuse("it is empty")
        for _ in range(MOST_PARTS):
            self.variables, self.relations = {}, 0
            self.read_part()
            if not self.take("UNION"):
                break
            self.take("ALL")
        else:
            _refuse(f"it has more than {MOST_PARTS} parts")
        if self.ahead(";"):
            self.caps.append((self.next.start, self.next.start + 1, ""))
            self.at += 1
        if self.next.kind != "end":
            _refuse(f"one statement is allowed, and another thing comes {self.where()}")

    def read_part(self) -> None:
        """MATCH and WITH clauses, then RETURN."""
        matched = False
        while True:
            if self.ahead("OPTIONAL", "MATCH") or self.ahead("MATCH"):
                self.take("OPTIONAL")
                self.need("MATCH")
                self.read_match()
                matched = True
            elif matched and self.take("WITH"):
                self.read_projection(is_last=False)
                if self.take("WHERE"):
                    self.read_expression()
            elif matched and self.take("RETURN"):
                self.read_projection(is_last=True)
                return
            else:
                self.refuse_clause(matched)

    def refuse_clause(self, matched: bool) -> NoReturn:
        """Name what is no clause that is allowed."""
        token = self.next
        if token.kind == "name" and token.upper not in _ALLOWED:
            _refuse(f"{token.upper[:40]} is not allowed; what is: {_ALLOWED}")
        _refuse(f"{'a clause' if matched else 'MATCH'} was expected {self.where()}; allowed are {_ALLOWED}")

    def read_match(self) -> None:
        """Patterns and a condition."""
        self.read_pattern()
        while self.take(","):
            self.read_pattern()
        if self.take("WHERE"):
            self.read_expression()

    def read_projection(self, *, is_last: bool) -> None:
        """What WITH and RETURN give on."""
        self.take("DISTINCT")
        given: dict[str, str] = {}
        self.read_item(given, is_last)
        while self.take(","):
            self.read_item(given, is_last)
        before = self.variables
        self.variables = {**before, **given}
        if self.take("ORDER", "BY"):
            self.read_sorting()
            while self.take(","):
                self.read_sorting()
        self.variables = given
        if self.take("SKIP"):
            self.read_integer("SKIP", 0, LARGEST_INTEGER)
        limited = self.next
        if self.take("LIMIT"):
            number = self.next
            value = self.read_integer("LIMIT", 0, None if is_last else LARGEST_INTEGER)
            if is_last and value > self.most:
                self.caps.append((number.start, number.start + len(number.text), str(self.most)))
        elif is_last:
            self.caps.append((limited.start, limited.start, f" LIMIT {self.most} "))

    def read_item(self, given: dict[str, str], is_last: bool) -> None:
        """An expression and its name."""
        if self.ahead("*"):
            _refuse("a * names nothing; name what is to be returned")
        first = self.next
        self.read_expression()
        is_variable = self.tokens[self.at - 1] is first and first.text.lower() in self.variables
        if self.take("AS"):
            alias = self.read_name("a name")
            given[alias] = self.variables.get(first.text.lower(), "value") if is_variable else "value"
        elif is_variable:
            given[first.text.lower()] = self.variables[first.text.lower()]
        elif not is_last:
            _refuse("what WITH gives on needs a name (AS name)")

    def read_sorting(self) -> None:
        """An expression and a direction."""
        self.read_expression()
        for word in ("ASC", "ASCENDING", "DESC", "DESCENDING"):
            if self.take(word):
                return

    def read_integer(self, what: str, least: int, most: int | None) -> int:
        """A number as it stands in the text."""
        token = self.next
        if token.kind != "number" or "." in token.text:
            _refuse(f"{what} needs a whole number")
        self.at += 1
        value = int(token.text[:20])
        if value < least or (most is not None and value > most):
            _refuse(f"{what} must be {least} to {most}, not {token.text[:20]}")
        return value

    def read_name(self, what: str) -> str:
        """A variable's name, in small letters, as engines compare it."""
        token = self.next
        if token.kind != "name" or token.upper in KEYWORDS - NAMES_TOO or len(token.text) > 60:
            _refuse(f"{what} was expected {self.where()}")
        self.at += 1
        return token.text.lower()

    # -- patterns ----------------------------------------------------------------------------------

    def read_pattern(self) -> None:
        """Nodes with relations between them."""
        bare = self.read_node()
        first = True
        while self.ahead("-") or self.ahead("<"):
            self.read_relation()
            self.read_node()
            first = False
        if first and bare:
            _refuse("a node by itself needs a label, such as (t:Ticket)")

    def read_node(self) -> bool:
        """Return whether it is one that nothing is known of."""
        self.need("(")
        is_new = True
        if self.next.kind == "name" and not self.ahead(":"):
            is_new = self.bind("node")
        labelled = False
        if self.take(":"):
            labelled = True
            self.read_known(self.labels, "label")
            while self.take("|"):
                self.take(":")
                self.read_known(self.labels, "label")
        self.read_map()
        self.need(")")
        return is_new and not labelled

    def read_relation(self) -> None:
        """An arrow, what is in its brackets included."""
        inward = self.take("<")
        self.need("-")
        hops = 1
        if self.take("["):
            named = self.next.kind == "name"
            if named:
                self.bind("relation")
            if self.take(":"):
                self.read_known(self.types, "relation")
                while self.take("|"):
                    self.take(":")
                    self.read_known(self.types, "relation")
            if self.take("*"):
                if named:
                    _refuse("a path of several relations cannot have a name")
                hops = self.read_length()
            self.read_map()
            self.need("]")
        self.need("-")
        outward = self.take(">")
        if inward and outward:
            _refuse("a relation has two heads")
        self.relations += hops
        if self.relations > MOST_RELATIONS:
            _refuse(f"its patterns go along more than {MOST_RELATIONS} relations")

    def read_length(self) -> int:
        """Return the most hops of a path."""
        bounds = f"a path needs a bound of at most {MOST_HOPS} relations, such as *1..{MOST_HOPS}"
        least = None
        if self.next.kind == "number":
            least = self.read_integer("a path's length", 1, MOST_HOPS)
        if not self.take(".."):
            if least is None:
                _refuse(bounds)
            return least
        if self.next.kind != "number":
            _refuse(bounds)
        return self.read_integer("a path's length", least or 1, MOST_HOPS)

    def read_map(self) -> None:
        """Properties with literal values."""
        if not self.take("{"):
            return
        while True:
            self.read_known(PROPERTIES, "property")
            self.need(":")
            self.take("-")
            if self.next.kind not in ("text", "number") and self.next.upper not in ("TRUE", "FALSE"):
                _refuse(f"a text or number was expected {self.where()}")
            self.check_number()
            self.at += 1
            if not self.take(","):
                break
        self.need("}")

    def read_known(self, known: Iterable[str], what: str) -> None:
        """A name of the graph, exactly as it has it."""
        token = self.next
        if token.kind not in ("name", "quoted"):
            _refuse(f"a {what} was expected {self.where()}")
        name = token.text.strip("`")
        if name not in known:
            _refuse(f"{name[:60]!r} is no {what} of this graph")
        if token.kind == "name" and token.upper in KEYWORDS and what != "property":
            _refuse(f"{name[:60]!r} is a word of Cypher too: write it in backticks")
        self.at += 1

    def bind(self, kind: str) -> bool:
        """Read a variable; return whether it is new."""
        name = self.read_name("a variable")
        known = self.variables.setdefault(name, "new")
        if known == "new":
            self.variables[name] = kind
        elif known != kind:
            _refuse(f"{name!r} is no {kind}")
        return known == "new"

    # -- expressions -------------------------------------------------------------------------------

    def read_expression(self) -> None:
        """Conditions with OR, XOR and AND between them; their order of binding is the engine's."""
        self.inside(self._read_conditions)

    def _read_conditions(self) -> None:
        while True:
            if self.take("NOT") and self.ahead("NOT"):
                _refuse("two NOT follow each other")
            self.read_comparison()
            if not any(self.take(word) for word in ("OR", "XOR", "AND")):
                return

    def read_comparison(self) -> None:
        """Values compared with each other."""
        self.read_sum()
        while True:
            if self.take("IS"):
                self.take("NOT")
                self.need("NULL")
            elif any(self.take(sign) for sign in _COMPARISONS) or any(
                self.take(*words) for words in (("IN",), ("CONTAINS",), ("STARTS", "WITH"), ("ENDS", "WITH"))
            ):
                self.read_sum()
            else:
                return

    def read_sum(self) -> None:
        """Values with signs between them."""
        while True:
            if self.take("-") and self.ahead("-"):
                _refuse("two signs follow each other")
            self.read_value()
            if not any(self.take(sign) for sign in "+-*/%"):
                return

    # Complex: one branch for each form that the grammar gives a value, tried in its order.
    def read_value(self) -> None:
        """A literal, a variable or its property, a function, a list, brackets, a CASE, a subquery."""
        token = self.next
        if token.kind in ("text", "number"):
            self.check_number()
            self.at += 1
        elif self.take("["):
            self.read_list()
        elif self.ahead("("):
            self.read_brackets()
        elif token.upper in ("TRUE", "FALSE", "NULL"):
            self.at += 1
        elif self.take("CASE"):
            self.inside(self._read_case)
        elif self.ahead("EXISTS", "{") or self.ahead("COUNT", "{"):
            self.at += 2
            self.inside(self._read_subquery)
        elif token.upper in _QUANTIFIERS and self.tokens[self.at + 1].text == "(":
            self.at += 2
            self.inside(self._read_quantifier)
        elif token.kind == "name" and self.tokens[self.at + 1].text == "(":
            self.inside(self._read_function)
        else:
            self._read_variable()

    def check_number(self) -> None:
        """Refuse numbers that no ticket has."""
        token = self.next
        if token.kind == "number" and float(token.text[:30]) > LARGEST_INTEGER:
            _refuse(f"the number {token.text[:20]} is larger than {LARGEST_INTEGER}")

    def read_list(self) -> None:
        """Values in square brackets."""
        count = 0
        while not self.take("]"):
            if count:
                self.need(",")
            self.read_expression()
            count += 1
            if count > MOST_LISTED:
                _refuse(f"a list has more than {MOST_LISTED} values")

    def read_brackets(self) -> None:
        """A pattern that must be there, or an expression."""
        after = self.tokens[self.at + 1 : self.at + 3]
        is_node = after[0].text in (")", ":", "{") or (after[0].kind == "name" and after[1].text in (":", "{"))
        if not is_node and after[0].kind == "name" and after[1].text == ")":
            beyond = self.tokens[self.at + 3 : self.at + 5]  # (t)-[ or (t)-- or (t)<-
            is_node = [t.text for t in beyond] in (["-", "["], ["-", "-"], ["<", "-"])
        if is_node:
            known = dict(self.variables)
            self.read_pattern()
            if self.variables != known:
                _refuse("a pattern in a condition cannot name anything new; write EXISTS { MATCH ... }")
            return
        self.need("(")
        self.read_expression()
        self.need(")")

    def _read_case(self) -> None:
        if not self.ahead("WHEN"):
            self.read_expression()
        self.need("WHEN")
        while True:
            self.read_expression()
            self.need("THEN")
            self.read_expression()
            if not self.take("WHEN"):
                break
        if self.take("ELSE"):
            self.read_expression()
        self.need("END")

    def _read_subquery(self) -> None:
        outer = dict(self.variables)
        self.need("MATCH")
        self.read_match()
        self.need("}")
        self.variables = outer

    def _read_quantifier(self) -> None:
        outer = dict(self.variables)
        name = self.read_name("a variable")
        self.need("IN")
        self.read_expression()
        self.variables[name] = "value"
        self.need("WHERE")
        self.read_expression()
        self.need(")")
        self.variables = outer

    def _read_function(self) -> None:
        token = self.next
        if token.text.lower() not in FUNCTIONS:
            names = ", ".join(sorted(FUNCTIONS))
            _refuse(f"the function {token.text[:40]} is not allowed ({names} are)")
        self.at += 2
        if token.upper == "COUNT" and self.take("*"):
            self.need(")")
            return
        self.take("DISTINCT")
        self.read_expression()
        while self.take(","):
            self.read_expression()
        self.need(")")

    def _read_variable(self) -> None:
        name = self.read_name("a value")
        kind = self.variables.get(name)
        if kind is None:
            _refuse(f"{name!r} stands for nothing: no MATCH names it")
        if self.take("."):
            if kind == "value":
                _refuse(f"{name!r} is a value and has no properties")
            self.read_known(PROPERTIES, "property")

    # -- the result --------------------------------------------------------------------------------

    def capped(self, text: str) -> str:
        """Return the text with its row caps."""
        for start, end, cap in sorted(self.caps, reverse=True):
            text = text[:start] + cap + text[end:]
        return text.strip()
