"""Suggestions for conversations about a small knowledge base."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from autokb.app import Message, SupportKB
from autokb.core.errors import BadInputError
from autokb.core.reply_rules import count_words
from autokb.heuristics.conversations.reply_excerpt import WORDS_OF_WHOLE


@pytest.fixture(scope="module")
def kb(_built_headphones: Path, tmp_path_factory: pytest.TempPathFactory) -> SupportKB:
    folder = tmp_path_factory.mktemp("suggest") / "kb"
    shutil.copytree(_built_headphones, folder)
    return SupportKB.open(folder)


def customer(*turns: tuple[str, str]) -> list[Message]:
    return [Message("customer" if who == "c" else "agent", text) for who, text in turns]


def test_replies_are_whole_different_and_verbatim(kb: SupportKB) -> None:
    found = kb.suggest("the left earbud of my Lumo Buds is silent")
    assert found.outcome == "answered"
    assert 1 <= len(found.suggestions) <= 3
    assert found.suggestions[0].evidence[0].document == "one-side-silent.md"
    texts = {}
    export = kb.workspace.folder / "export.jsonl"
    kb.export(export)
    for line in export.read_text(encoding="utf-8").split("\n"):
        if line and (record := json.loads(line))["kind"] == "document":
            texts[record["id"]] = record["text"]
    for one in found.suggestions:
        assert count_words(one.text) <= WORDS_OF_WHOLE
        assert all(texts[e.document][e.start : e.end] == e.quote for e in one.evidence)
        assert one.solution_id is not None
    assert len({one.text for one in found.suggestions}) == len(found.suggestions)


def test_what_a_mail_program_or_a_quote_says_is_nothing_that_the_customer_said(kb: SupportKB) -> None:
    problem = "How do I pair my Lumo Buds?"
    for below in ("Sent from my iPhone", "On Mon, 3 Nov 2026 at 10:02, Ann wrote:\n> on my Windows laptop it crackles"):
        asked = kb.ask(f"{problem}\n\n{below}")
        assert asked.attributes == kb.ask(problem).attributes and asked.query.endswith(below)
        found = kb.suggest(f"{problem}\n\n{below}")
        assert [one.text for one in found.suggestions] == [one.text for one in kb.suggest(problem).suggestions]
    assert kb.ask("How do I pair my Lumo Buds with my iPhone?").attributes != kb.ask(problem).attributes


QUOTED = "on my Windows laptop it crackles"
HTML = f'<div>{{}}</div><div class="gmail_attr">On 3 May, Ann wrote:</div><blockquote>{QUOTED}<br>Ann</blockquote>'
NAMES = "Von: Ann\nGesendet: Montag, 3. November 2026\nAn: Kim\nBetreff: AW: Hilfe"


@pytest.mark.parametrize(
    "mail",
    [
        f"{{}}\n\nAm Mo., 3. Nov. 2026 um 10:02 Uhr schrieb Ann <a@b.example>:\n\n> {QUOTED}",
        f"{{}}\n\n{NAMES}\n\n{QUOTED}",
        f"On 3 May, Ann wrote:\n> {QUOTED}\n\n{{}}\n\n> Regards, Ann",
        HTML,
    ],
)
def test_whatever_a_mail_quotes_the_customer_is_answered(kb: SupportKB, mail: str) -> None:
    problem = "How do I pair my Lumo Buds?"
    plain, asked = kb.suggest(problem), kb.suggest(mail.format(problem))
    assert [one.text for one in asked.suggestions] == [one.text for one in plain.suggestions]
    assert kb.ask(mail.format(problem)).attributes == kb.ask(problem).attributes
    talk = customer(("c", "Hello"), ("a", "Hello, what is it?"), ("c", mail.format(problem)))
    assert kb.suggest(talk).suggestions[0].text == plain.suggestions[0].text


def test_a_mail_of_nothing_but_a_disclaimer_is_answered_by_no_manual(kb: SupportKB) -> None:
    for mail in ("Please consider the environment before printing this e-mail.", "Von meinem iPhone gesendet"):
        assert (kb.ask(mail).outcome, kb.suggest(mail).outcome) == ("abstains", "abstains")
        assert kb.ask(mail).query == mail


def test_what_did_not_help_leads_to_another_help_for_the_same_problem(kb: SupportKB) -> None:
    problem = "the left earbud of my Lumo Buds is silent"
    first = kb.suggest(problem).suggestions[0]
    again = kb.suggest(customer(("c", problem), ("a", first.text), ("c", "it still does not work")))
    assert again.question.startswith(problem)
    assert first.text not in {one.text for one in again.suggestions}
    alone = kb.suggest("it still does not work")
    assert {one.solution_id for one in again.suggestions} != {one.solution_id for one in alone.suggestions}


def test_a_correction_counts_more_than_what_it_corrects(kb: SupportKB) -> None:
    chat = customer(
        ("c", "How do I pair my Lumo Buds with my iPhone?"), ("a", "Which iOS is it?"), ("c", "sorry, I meant Android")
    )
    both = kb.ask(kb.suggest(chat).question).attributes
    from autokb.heuristics.conversations.read_turn import read_turn
    from autokb.suggesting.suggest import attributes_of

    stated = attributes_of(read_turn(chat), kb.workspace.spec)
    assert stated["os"] == {"Android"}
    assert both["os"] != {"Android"}


def test_small_talk_gets_a_human_reply_and_off_topic_the_refusal_of_the_domain(kb: SupportKB) -> None:
    (hello,) = kb.suggest("Good morning!").suggestions
    assert (hello.source, hello.evidence, hello.text) == ("small_talk", (), "Hello! What can I help you with?")
    refused = kb.suggest("How do I bake sourdough bread?")
    assert refused.outcome == "abstains"
    assert [one.text for one in refused.suggestions] == [kb.workspace.spec.reply["refusal"]]


def test_a_chat_in_a_file_and_the_last_message_are_one_conversation(kb: SupportKB, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    before = [{"role": "customer", "text": "my earbud is silent"}, {"role": "agent", "text": "Which side?"}]
    path.write_text("\n".join(map(json.dumps, before)), encoding="utf-8")
    assert kb.suggest("the left one", chat=path).question == "my earbud is silent\nthe left one"
    with pytest.raises(BadInputError, match="The last message must be the customer's"):
        kb.suggest(chat=path)
    with pytest.raises(BadInputError, match="The last message must be the customer's"):
        kb.suggest("  ")


def test_a_conversation_of_a_program_is_messages_or_objects_and_its_file_a_path_as_text(
    kb: SupportKB, tmp_path: Path
) -> None:
    said = [{"role": "customer", "text": "my earbud is silent"}, {"role": "assistant", "content": "Which side?"}]
    asked = "my earbud is silent\nthe left one"
    assert kb.suggest([*said, Message("customer", "the left one")]).question == asked
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
    assert kb.suggest([{"role": "customer", "text": "the left one"}], chat=str(path)).question == asked


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (["the left one"], "Message 1 is of the type str."),
        ([Message("customer", "hi"), None], "Message 2 is of the type NoneType."),
        ({"role": "customer", "text": "hi"}, "The messages are of the type dict."),
        (Message("customer", "hi"), "The messages are of the type Message."),
        ([{"text": "hi"}], "Message 1 is wrong: the conversation has a message without a role"),
        ([{"role": "customer"}], "without text"),
        ([{"role": "king", "text": "hi"}], "the role 'king'; it must be customer or agent."),
    ],
)
def test_what_is_no_conversation_is_refused_with_what_to_pass(kb: SupportKB, messages: Any, said: str) -> None:
    with pytest.raises(BadInputError) as refused:
        kb.suggest(messages)
    assert said in str(refused.value) and '{"role": "customer", "text": TEXT}' in str(refused.value)


def test_a_first_reply_begins_at_the_first_step_and_goes_on_behind_advice(kb: SupportKB) -> None:
    problem = "One of my earbuds is silent"
    first = kb.suggest(problem).suggestions[0]
    assert first.text.startswith("Put both earbuds back into the charging case") and not first.steps
    told = "Put both earbuds back into the charging case, close the lid, wait ten seconds and take them out together."
    again = kb.suggest(customer(("c", problem), ("a", told), ("c", "still not working"))).suggestions[0]
    assert again.text.startswith("Check in the Lumo app")


@pytest.mark.parametrize(
    "last", ["I want my money back", "I'd rather talk to a human", "which other headphones do you recommend?"]
)
def test_a_wish_gets_no_steps_even_after_a_problem(kb: SupportKB, last: str) -> None:
    found = kb.suggest(customer(("c", "My left earbud is silent"), ("a", "Close the lid of the case."), ("c", last)))
    assert found.outcome == "abstains" and [one.source for one in found.suggestions] == ["refusal"]


def test_who_will_try_gets_no_further_steps(kb: SupportKB) -> None:
    chat = customer(("c", "My left earbud is silent"), ("a", "Close the lid of the case."), ("c", "ok will try"))
    assert [one.source for one in kb.suggest(chat).suggestions] == ["small_talk"]
