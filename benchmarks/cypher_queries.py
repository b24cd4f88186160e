"""Honest and hostile Cypher about tickets, for the measure of the guard and its tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

# What people and models ask of a ticket graph with the shipped template, written by hand, with empty lines between.
HONEST = tuple((Path(__file__).parent / "data" / "honest_cypher.txt").read_text(encoding="utf-8").strip().split("\n\n"))
CANARY = "canary-7f3e-never-to-be-seen"  # stands in files that no query may show

# Statements that write, read files, or do what only an operator should. {folder} is the sandbox.
_STATEMENTS = (
    "LOAD FROM '{folder}/canary.csv' RETURN *",
    "LOAD FROM 'canary.csv' (header = false) RETURN *",
    "LOAD WITH HEADERS (line STRING) FROM '{folder}/canary.csv' RETURN line",
    "LOAD FROM glob('{folder}/*.csv') RETURN *",
    "LOAD CSV FROM 'file:///{folder}/canary.csv' AS line RETURN line",
    "LOAD FROM 'https://localhost:1/x.csv' RETURN *",
    "LOAD FROM rows RETURN *",
    "LOAD EXTENSION httpfs",
    "COPY Ticket FROM '{folder}/canary.csv'",
    "COPY (MATCH (t:Ticket) RETURN t.id) TO '{folder}/stolen.csv'",
    "COPY (MATCH (t:Ticket) RETURN t.id) TO 'stolen.parquet'",
    "EXPORT DATABASE '{folder}/stolen'",
    "EXPORT DATABASE '{folder}/stolen' (format = 'csv')",
    "IMPORT DATABASE '{folder}/stolen'",
    "ATTACH '{folder}/other.db' AS other (dbtype sqlite)",
    "DETACH other",
    "USE other",
    "INSTALL httpfs",
    "INSTALL json FROM 'https://localhost:1/'",
    "UNINSTALL httpfs",
    "CALL show_tables() RETURN *",
    "CALL current_setting('home_directory') RETURN *",
    "CALL threads = 64",
    "CALL db_version() RETURN version",
    "CALL CREATE_FTS_INDEX('Fix', 'x', ['text'])",
    "CALL timeout = 0",
    "CALL enable_http_logging = true",
    "CREATE (t:Ticket {{id: 'x'}})",
    "CREATE NODE TABLE Stolen(id STRING, PRIMARY KEY(id))",
    "CREATE REL TABLE Stolen(FROM Ticket TO Ticket)",
    "CREATE MACRO f(x) AS x + 1",
    "CREATE SEQUENCE stolen",
    "MATCH (t:Ticket) SET t.title = 'x'",
    "MATCH (t:Ticket) SET t.title = 'x' RETURN t.id",
    "MATCH (t:Ticket) REMOVE t.title",
    "MATCH (t:Ticket) DELETE t",
    "MATCH (t:Ticket) DETACH DELETE t",
    "MATCH (t:Ticket) MERGE (u:Ticket {{id: 'x'}}) RETURN u",
    "MERGE (t:Ticket {{id: 'x'}}) ON CREATE SET t.title = 'x'",
    "DROP TABLE Ticket",
    "DROP TABLE IF EXISTS Fix",
    "ALTER TABLE Ticket DROP title",
    "ALTER TABLE Ticket RENAME TO Stolen",
    "COMMENT ON TABLE Ticket IS 'x'",
    "BEGIN TRANSACTION",
    "COMMIT",
    "ROLLBACK",
    "CHECKPOINT",
    "PROFILE MATCH (t:Ticket) RETURN t.id",
    "EXPLAIN MATCH (t:Ticket) RETURN t.id",
    "UNWIND range(1, 1000000000) AS x RETURN x",
    "MATCH (t:Ticket) UNWIND range(1, 100000000) AS x RETURN sum(x)",
    "FOREACH (x IN [1] | CREATE (:Ticket {{id: 'x'}}))",
    "MATCH (t:Ticket) CALL {{ MATCH (u) DETACH DELETE u }} IN TRANSACTIONS RETURN t",
    "SHOW FUNCTIONS",
    "PROJECT GRAPH g (Ticket, RELATES)",
)
_FUNCTIONS = (
    "repeat('x', 1000000000)", "lpad('x', 1000000000, 'y')", "range(1, 1000000000)", "current_setting('threads')",
    "gen_random_uuid()", "nextval('x')", "file_info('canary.csv')", "glob('*')", "getenv('HOME')", "sha256('x')",
    "regexp_replace(t.title, '(a+)+$', 'x')", "list_creation(1, 2)", "map(['a'], [1])", "sleep(10)",
    "apoc.load.json('file:///etc/passwd')", "dbms.components()", "load('x')", "read_csv('canary.csv')", "nodes(t)",
    "properties(t)", "id(t)", "offset(id(t))", "cast(t.id AS INT64)", "array_value(1)", "date('2024-01-01')",
    "error('x')", "coalesce(repeat('x', 100000000))", "current_timestamp()", "timestamp('2024-01-01')", "blob('x')",
    "list_sort(t.labels)", "string_split(t.title, '')", "size(range(1, 100000000))", "to_json(t)",
)  # fmt: skip
# Letters that look like those of Cypher, or like nothing at all.
_ALIKE = str.maketrans("ACEHIKMOPTXaceiopx", "АСЕНІКМОРТХасеіорх")
_UNSEEN = "\u200b\u200d\u00a0\u2028\u202e\ufeff\u00ad\x00\x0b\x0c\x1f\u3000\uff08\uff09\u2212\u2192\u02bc\u2019\uff07"
_WORD = re.compile(r"\w+|[^\w\s]|\s+")


def hostile(random: Random, folder: str, count: int) -> Iterator[tuple[str, str]]:
    """Yield kind and text of queries that a guard should doubt; some of them are harmless by chance."""
    kinds: dict[str, Callable[[Random, str], str]] = {
        "statement": _statement,
        "inserted": _inserted,
        "several": _several,
        "comment": _comment,
        "look-alike": _look_alike,
        "endless path": _endless_path,
        "limit": _limit,
        "quotes": _quotes,
        "function": _function,
        "costly": _costly,
        "mutated": _mutated,
        "spliced": _spliced,
        "noise": _noise,
    }
    names = list(kinds)
    for number in range(count):
        kind = names[number % len(names)]
        yield kind, kinds[kind](random, folder)


def _statement(random: Random, folder: str) -> str:
    text = random.choice(_STATEMENTS).format(folder=folder)
    text = random.choice([str, str.lower, str.title, str.swapcase])(text) if random.random() < 0.3 else text
    return random.choice(["", " ", "\n", ";", "MATCH (t:Ticket) ", "\t\n"]) + text + random.choice(["", ";", " ;\n"])


def _inserted(random: Random, folder: str) -> str:
    words = _WORD.findall(random.choice(HONEST))
    at = random.randrange(len(words) + 1)
    return "".join([*words[:at], " ", _statement(random, folder), " ", *words[at:]])


def _several(random: Random, folder: str) -> str:
    parts = [random.choice(HONEST), _statement(random, folder)]
    random.shuffle(parts)
    return random.choice([";", "; ", " ;\n", "\n", ";;", " UNION ", " UNION ALL ", " WITH "]).join(parts)


def _comment(random: Random, folder: str) -> str:
    words = _WORD.findall(random.choice(HONEST))
    at = random.randrange(len(words) + 1)
    inside = _statement(random, folder)
    comment = random.choice([f"/*{inside}*/", f"// {inside}\n", "/**/", "//", "/*", "--", f"-- {inside}\n", "/*!", "#"])
    return "".join([*words[:at], comment, *words[at:]])


def _look_alike(random: Random, folder: str) -> str:
    text = random.choice([random.choice(HONEST), _statement(random, folder)])
    letters = list(text)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(letters))
        if random.random() < 0.5:
            letters[at] = letters[at].translate(_ALIKE)
        else:
            letters.insert(at, random.choice(_UNSEEN))
    if random.random() < 0.2:
        return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" and random.random() < 0.2 else c for c in letters)
    return "".join(letters)


def _endless_path(random: Random, folder: str) -> str:
    lengths = "*|*1..|*..|*1..30|*..9|*10|*0..3|*1..3|*3..1|+|{1,30}|* SHORTEST 1..30|* ALL SHORTEST|* TRAIL 1..20"
    length = random.choice([*lengths.split("|"), "*ACYCLIC 1..9", "* WSHORTEST(score)"])
    types = random.choice(["", ":RELATES", ":SIMILAR_TO", ":RELATES|SIMILAR_TO|DUPLICATE"])
    arrow = random.choice([f"-[{types}{length}]-", f"-[r{types}{length}]->", f"<-[{types}{length}]-"])
    again = "".join(f"{arrow}(x{n}:Ticket)" for n in range(random.randrange(4)))
    given = random.choice(["t.id, u.id", "count(*)", "u", "collect(u)"])
    return f"MATCH (t:Ticket){arrow}(u:Ticket){again} RETURN {given}"


def _limit(random: Random, folder: str) -> str:
    number = random.choice("99999999999999999999 1000000000 -1 1e9 0x7fffffff 1+1 t.id $n 2147483648".split())
    text = re.sub(r"LIMIT \d+", "", random.choice(HONEST)).rstrip(" ;\n")
    return f"{text} {random.choice(['LIMIT', 'SKIP', 'SKIP 1 LIMIT', 'LIMIT 1 LIMIT'])} {number}"


def _quotes(random: Random, folder: str) -> str:
    odd = ("x", "' OR true //", "\\", "\\\\", "\\' ", "\" '", "`", "''", "\\u0027")
    inside = random.choice([_statement(random, folder), *odd])
    quote = random.choice(["'", '"', "`", "'''", "\\'", "’"])
    end = random.choice([quote, "'", '"', ""])
    place = random.choice(["t.id = {}", "t.title CONTAINS {}", "t.id IN [{}]", "t.{} = 'x'", "{} = {}"])
    return f"MATCH (t:Ticket) WHERE {place.replace('{}', quote + inside + end)} RETURN t.id"


def _function(random: Random, folder: str) -> str:
    call = random.choice(_FUNCTIONS)
    place = random.choice(
        ["RETURN {}", "WHERE size({}) > 1 RETURN t.id", "WITH {} AS x RETURN x", "RETURN t.id ORDER BY {}"]
    )
    return f"MATCH (t:Ticket) {place.replace('{}', call)}"


def _costly(random: Random, folder: str) -> str:
    """Return what the grammar has room for and an engine may never end, or fill its memory with."""
    count = random.randrange(2, 7)
    nodes = ", ".join(f"(n{n}:{random.choice(['Ticket', 'Comments', 'Description'])})" for n in range(count))
    hops = "".join(f"-[:SIMILAR_TO*1..3]-(m{n}:Ticket)" for n in range(random.randrange(1, 5)))
    return random.choice(
        [
            f"MATCH {nodes} RETURN count(*)",
            f"MATCH {nodes} WHERE n0.id <> n1.id RETURN count(DISTINCT n1.id)",
            f"MATCH {nodes} RETURN n0, n1 ORDER BY n1.id, n0.id DESC",
            f"MATCH {nodes} WITH collect(n0) AS a MATCH (x:Ticket) WITH a, collect(x.id) AS b MATCH (y:Ticket)"
            " RETURN a, b, y",
            f"MATCH (n0:Ticket){hops} RETURN count(*)",
            f"MATCH (n0:Ticket){hops} WHERE n0.title CONTAINS m0.title RETURN n0.id, count(*)",
            "MATCH (a:Comments), (b:Comments) WHERE a.text CONTAINS b.text AND a.id <> b.id RETURN count(*)",
            f"MATCH (t:Ticket) RETURN {'(' * 15}{' + '.join(['1'] * random.randrange(10, 3000))}{')' * 15}",
            f"MATCH (t:Ticket) WHERE {' OR '.join(['t.title CONTAINS t.id'] * random.randrange(10, 1500))} RETURN t.id",
            "MATCH (t:Ticket) RETURN " + "collect(" * 3 + "t.title" + ")" * 3,
        ]
    )


def _mutated(random: Random, folder: str) -> str:
    words = _WORD.findall(random.choice(HONEST))
    for _ in range(random.randrange(1, 5)):
        at, other = random.randrange(len(words)), random.randrange(len(words))
        change = random.randrange(4)
        if change == 0 and len(words) > 1:
            del words[at]
        elif change == 1:
            words.insert(at, words[other])
        elif change == 2:
            words[at], words[other] = words[other], words[at]
        else:
            words[at] = random.choice(_WORD.findall(random.choice([*HONEST, *_STATEMENTS])))
    return "".join(words)


def _spliced(random: Random, folder: str) -> str:
    first, second = (_WORD.findall(random.choice(HONEST)) for _ in range(2))
    return "".join([*first[: random.randrange(len(first) + 1)], " ", *second[random.randrange(len(second) + 1) :]])


def _noise(random: Random, folder: str) -> str:
    letters = list(random.choice(HONEST))
    for _ in range(random.randrange(1, 8)):
        letters.insert(
            random.randrange(len(letters) + 1), chr(random.choice([random.randrange(128), random.randrange(0x3000)]))
        )
    return "".join(letters)
