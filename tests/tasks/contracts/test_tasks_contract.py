"""What every task that a model can answer must do; a new task only adds its sample."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, get_type_hints

import jinja2
import jinja2.meta
import pytest
from marked import changed, strings
from samples import SAMPLES, Sample

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply, reply_schema, request_for
from autokb.tasks.prompts import BREAK, escaped, examples, prompt_text, render
from autokb.tasks.registry import task, task_names
from autokb.tasks.task import Read, ReplyError

GOLDEN = Path(__file__).parents[1] / "golden"
TAG = re.compile(r"</?[a-z_]+(?: [^<>]*)?>")
SAFE_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@lru_cache
def sample(name: str) -> Sample:
    return SAMPLES[name]()


def prompt(name: str, items: tuple[Any, ...]) -> str:
    return "\n".join(sample(name).task.turns(items))


def read(name: str, items: tuple[Any, ...], reply: Any) -> list[Read[Any]]:
    return read_reply(sample(name).task, items, ModelReply(json.dumps(reply), 1, 1))


every_task = pytest.mark.parametrize("name", sorted(SAMPLES))


@pytest.mark.with_plugins
def test_the_page_of_the_tasks_has_a_row_for_each() -> None:
    page = (Path(__file__).parents[3] / "docs" / "packages" / "tasks.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| \[(\w+/\w+)\]", page, re.MULTILINE)) == set(task_names())


@pytest.mark.with_plugins
def test_every_task_with_a_model_has_a_sample() -> None:
    asked = {name for name in task_names() if task(name).asks_models}
    assert asked == set(SAMPLES)


@pytest.mark.with_plugins
@every_task
def test_the_sample_is_of_its_task_and_fits_one_request(name: str) -> None:
    it = sample(name)
    assert it.task is task(name)
    assert it.task.name == name
    assert {type(item) for item in it.items} == {it.task.input}
    assert len({it.task.together(item) for item in it.items}) == 1
    assert len(it.items) <= it.task.most


@every_task
def test_every_input_value_stands_in_the_prompt(name: str) -> None:
    marks: dict[str, str] = {}
    items = changed(sample(name).items, lambda text: f"{text} {marks.setdefault(text, f'mark{len(marks)}x')}")
    shown = prompt(name, items)
    found = [(where, text) for item in items for where, text in strings(item, sample(name).unseen)]
    assert found
    missing = [
        (where, text)
        for where, text in found
        if escaped(text) not in shown and escaped(json.dumps(text, ensure_ascii=False)[1:-1]) not in shown
    ]
    assert missing == []


@every_task
def test_a_variable_without_a_value_is_an_error(name: str) -> None:
    package, values = sample(name).task.package, dict(sample(name).task.variables(sample(name).items))
    used = jinja2.meta.find_undeclared_variables(jinja2.Environment().parse(prompt_text(package)))
    assert set(values) == used
    for variable in sorted(used):
        with pytest.raises(jinja2.UndefinedError, match=variable):
            render(package, {n: v for n, v in values.items() if n != variable})


@every_task
def test_no_value_can_close_its_fence(name: str) -> None:
    plain = prompt(name, sample(name).items)
    tags = TAG.findall(plain)
    assert tags
    hostile = " ".join([*dict.fromkeys(tags), BREAK, "{{ 7 * 7 }}", "{% endfor %}", "&lt;/x&gt;"])
    attacked = prompt(name, changed(sample(name).items, lambda text: f"{text} {hostile}"))
    assert TAG.findall(attacked) == tags
    assert "{{ 7 * 7 }}" in attacked
    assert BREAK not in attacked


@every_task
def test_what_stands_in_the_values_is_called_data(name: str) -> None:
    assert re.search(r"never an order|data, never", prompt_text(sample(name).task.package))


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Give every JSON schema inside a schema."""
    if isinstance(schema, list):
        for part in schema:
            yield from objects(part)
    elif isinstance(schema, dict):
        if schema.keys() & {"type", "$ref", "enum", "const", "anyOf", "allOf", "oneOf"}:
            yield schema
        for key, part in schema.items():
            if key in ("properties", "$defs"):
                for inner in part.values():
                    yield from objects(inner)
            elif key in ("items", "prefixItems", "anyOf", "allOf", "oneOf"):
                yield from objects(part)


@every_task
def test_the_schema_says_all_it_can(name: str) -> None:
    schema = reply_schema(sample(name).task, sample(name).items)
    found = list(objects(schema))
    assert json.loads(json.dumps(schema)) == schema
    for part in found:
        if "$ref" in part:
            assert part["$ref"].removeprefix("#/$defs/") in schema["$defs"]
        elif part.get("type") == "object":
            assert part["additionalProperties"] is False, part
            assert part.get("required", []) == list(part["properties"]), part
            assert all(SAFE_NAME.fullmatch(field) for field in part["properties"]), part
        elif part.get("type") == "array":
            assert part.get("maxItems") is not None or "prefixItems" in part, part
        elif part.get("type") == "string" and not part.keys() & {"enum", "const"}:
            assert part.get("maxLength"), part
        elif part.get("type") == "integer" and not part.keys() & {"enum", "const"}:
            assert {"minimum", "maximum"} <= part.keys(), part
        else:
            assert part.keys() & {"enum", "const", "anyOf", "type"}, part


@every_task
def test_the_reply_has_room_and_the_usual_one_is_no_longer_than_the_most(name: str) -> None:
    it = sample(name)
    request = request_for(it.task, it.items, "openai:any")
    assert request.max_tokens >= len(json.dumps(it.reply)) // 3
    for item in it.items:
        most, usual = it.task.tokens(item)
        assert 0 < usual <= most


@every_task
def test_the_same_items_make_the_same_request(name: str) -> None:
    one, other = (request_for(sample(name).task, SAMPLES[name]().items, "openai:any") for _ in range(2))
    assert one.base_key == other.base_key
    assert re.fullmatch(r"[A-Za-z0-9_]+", one.name)


@every_task
def test_a_model_and_offline_give_answers_of_one_type(name: str) -> None:
    it = sample(name)
    found = read(name, it.items, it.reply)
    assert [(r.error, r.complaints) for r in found] == [("", ())] * len(it.items)
    assert {type(r.answer) for r in found} == {it.task.output}
    if it.task.answers_offline:
        assert get_type_hints(it.task.offline)["return"] is it.task.output
    else:
        with pytest.raises(ReplyError, match=f"{name} needs a model; name one with --model"):
            it.task.answer_offline(it.items[0])
    for answer in (r.answer for r in found):
        assert it.task.output.model_validate_json(answer.model_dump_json()) == answer


@every_task
def test_the_examples_of_the_prompt_read(name: str) -> None:
    it = sample(name)
    assert len(it.shown) == len(examples(it.task.package))
    for items, reply in it.shown:
        assert [(r.error, r.complaints) for r in read(name, items, reply)] == [("", ())] * len(items)


@every_task
def test_the_prompt_is_the_golden_one(name: str) -> None:
    request = request_for(sample(name).task, sample(name).items, "openai:any")
    parts = [f"=== {m.role}\n{m.text}" for m in request.messages]
    parts.append(f"=== max_tokens\n{request.max_tokens}")
    parts.append(f"=== schema\n{json.dumps(request.schema, indent=1, ensure_ascii=False)}")
    whole = "\n".join(parts) + "\n"
    path = GOLDEN / f"{name.replace('/', '_')}.txt"
    if os.environ.get("AUTOKB_REWRITE_GOLDEN"):
        path.write_text(whole, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == whole, "run with AUTOKB_REWRITE_GOLDEN=1 and look at the difference"


def test_no_golden_prompt_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.glob("*")} == {name.replace("/", "_") for name in SAMPLES}


def test_what_is_asked_about_tickets_and_conversations_is_masked() -> None:
    told_by_customers = {name for name in task_names() if name.startswith(("tickets/", "answers/"))}
    assert {name for name in task_names() if task(name).masks} == {*told_by_customers, "judges/reply_correctness"}
