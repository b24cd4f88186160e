"""Queries and judgements in every spelling that the interface allows, and what is said about the others."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from autokb.core.errors import BadInputError
from autokb.core.test_sets import read_queries
from autokb.plugins.lab.evaluation.retrieval.datasets import Judgement, read_qrels, resolve_documents


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8"))
    return path


def test_queries_in_both_spellings(tmp_path: Path) -> None:
    lines = [{"id": "a", "text": "no sound"}, {"query_id": 7, "query": "slow start", "created": "2025-01-02"}]
    path = write(tmp_path / "q.jsonl", "\ufeff" + "\r\n".join(map(json.dumps, lines)) + "\n\n")
    first, second = read_queries(path)
    assert (first.id, first.text, dict(first.fields)) == ("a", "no sound", {})
    assert (second.id, second.text, dict(second.fields)) == ("7", "slow start", {"created": "2025-01-02"})


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    path = write(tmp_path / "q.jsonl", '{"id": "a", "text": "one\u2028two\x85three"}\n{"id": "b", "text": "x"}')
    assert [q.text for q in read_queries(path)] == ["one\u2028two\x85three", "x"]


def test_gzip_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "a", "text": "one"}\n'))
    assert read_queries(path)[0].text == "one"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "a", "text": "x"}\n{broken', "line 2 is not valid JSON"),
        ("[1]", "line 1 must be a JSON object"),
        ('{"text": "x"}', "line 1 needs an id"),
        ('{"id": true, "text": "x"}', "line 1 needs an id"),
        ('\n{"id": "a", "text": "  "}', "line 2 needs a text"),
        ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', "line 2: the id 'a' was used before"),
        ("\n", "holds no queries"),
    ],
)
def test_wrong_queries_name_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path / "mine.jsonl", text)
    with pytest.raises(BadInputError, match=r"mine\.jsonl") as error:
        read_queries(path)
    assert said in str(error.value)


def test_missing_file_and_wrong_encoding(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        read_queries(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes('{"id": "a", "text": "é"}'.encode("latin-1"))
    with pytest.raises(BadInputError, match="not UTF-8"):
        read_queries(tmp_path / "latin.jsonl")


@pytest.mark.parametrize(
    "text",
    [
        "query-id\tcorpus-id\tscore\nq1\td 1.md\t1\nq1\td2\t0\n",
        "q1\td 1.md\t1\nq1\td2\t0",
        "q1\t0\td 1.md\t1\r\nq1\t0\td2\t0\r\n",
        "qid\titeration\tdocument\tgrade\nq1\tQ0\td 1.md\t1.0\nq1\tQ0\td2\t0\n",
    ],
)
def test_qrels_in_every_shape(tmp_path: Path, text: str) -> None:
    assert read_qrels(write(tmp_path / "r.tsv", text)) == (Judgement("q1", "d 1.md", 1.0), Judgement("q1", "d2", 0.0))


def test_trec_columns_in_spaces(tmp_path: Path) -> None:
    path = write(tmp_path / "r.txt", "q1 0 d1 2\nq2  0  d2  -1\n")
    assert read_qrels(path) == (Judgement("q1", "d1", 2.0), Judgement("q2", "d2", -1.0))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q1\td1\t1\nq2\td2\tyes\n", "line 2: the grade 'yes' is no number"),
        ("q1\td1\n", "line 1 has 2 columns"),
        ("q1 0 d1 1 more", "line 1 has 5 columns"),
        ("query\tdocument\tgrade\n", "holds no judgements"),
        ("q\td\tnan\nq\td\tinf", "line 2: the grade 'inf'"),
    ],
)
def test_wrong_qrels_name_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path / "mine.tsv", text)
    with pytest.raises(BadInputError, match=r"mine\.tsv") as error:
        read_qrels(path)
    assert said in str(error.value)


def test_documents_are_resolved_and_missing_ones_stay_relevant(tmp_path: Path) -> None:
    names = {"guide": "guide.md", "https://x.org/guide": "guide.md", "other.md": "other.md"}
    judged = [
        Judgement("q1", "https://x.org/guide", 1),
        Judgement("q1", "guide", 2),
        Judgement("q1", "gone", 1),
        Judgement("q2", "other.md", 0),
        Judgement("q9", "other.md", 1),
    ]
    qrels = resolve_documents(judged, names.get)
    assert qrels.grades["q1"] == {"guide.md": 2, "gone": 1}
    assert qrels.unresolved == ("gone",)
    queries = read_queries(write(tmp_path / "q", '{"id":"q2","text":"x"}\n{"id":"q1","text":"x"}'))
    assert qrels.relevant(queries) == {"q1": {"gone": 1, "guide.md": 2}}


def test_files_that_do_not_fit_are_said(tmp_path: Path) -> None:
    queries = read_queries(write(tmp_path / "q", '{"id":"q2","text":"x"}'))
    with pytest.raises(BadInputError, match="same query ids"):
        resolve_documents([Judgement("Q2", "d", 1)], {"d": "d"}.get).relevant(queries)
