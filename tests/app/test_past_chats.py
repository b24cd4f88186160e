"""Past conversations: added, listed, removed, exported, and made into cases for a test set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.app.sources import ListedSource, Removed
from autokb.core.errors import BadInputError
from autokb.core.nouns import Conversation
from autokb.sources import Fields
from autokb.stores.chats import staged_conversations

BUD = "The left earbud is silent since yesterday evening."
CLEAN = "Clean the mesh with a dry brush, please."
PAIRING = "How do I connect the case to my laptop over Bluetooth?"
HOLD = "Hold its button for ten seconds and choose Lumo on the laptop."


def chat(name: str, *texts: str) -> dict[str, Any]:
    """Return a line of a conversation in which the two take turns, the customer first."""
    roles = ("customer", "agent")
    return {"id": name, "messages": [{"role": roles[n % 2], "text": text} for n, text in enumerate(texts)]}


def write(path: Path, *lines: dict[str, Any]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def kb(tmp_path: Path) -> SupportKB:
    """A knowledge base with two conversations from a file."""
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    write(tmp_path / "chats" / "a.jsonl", chat("1", BUD, CLEAN), chat("2", PAIRING, HOLD))
    done = kb.add([tmp_path / "chats"], "chats")
    assert (done.added, done.skipped) == (2, ())
    return kb


def staged(kb: SupportKB) -> dict[str, Conversation]:
    with kb.workspace.file() as file:
        return {one.id: one for one in staged_conversations(file)}


def counts(done: Any) -> tuple[int, int, int, int]:
    return done.added, done.updated, done.unchanged, done.removed


def test_adding_again_updates_and_sync_removes(kb: SupportKB, tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    assert counts(kb.add([folder], "chats")) == (0, 0, 2, 0)
    write(folder / "a.jsonl", chat("1", BUD, CLEAN, "Thanks!"), chat("3", PAIRING, HOLD))
    again = kb.add([folder], "chats")
    assert (*counts(again), again.gone) == (1, 1, 0, 0, 1)
    assert len(staged(kb)["1"].messages) == 3 and set(staged(kb)) == {"1", "2", "3"}
    assert counts(kb.add([folder], "chats", sync=True)) == (0, 0, 2, 1)
    (folder / "a.jsonl").unlink()
    with pytest.raises(BadInputError, match="--yes"):
        kb.add([folder], "chats", sync=True)
    assert counts(kb.add([folder], "chats", sync=True, yes=True)) == (0, 0, 0, 2)


@pytest.mark.parametrize("name", ["1", "raw-1"])
def test_an_id_of_another_file_is_refused_without_update(kb: SupportKB, tmp_path: Path, name: str) -> None:
    write(tmp_path / "chats" / "a.jsonl", chat(name, BUD, CLEAN))
    kb.add([tmp_path / "chats"], "chats")
    other = write(tmp_path / "b.jsonl", chat(name, PAIRING, HOLD))
    with pytest.raises(BadInputError, match=f"The id '{name}' in .*b.jsonl belongs to another record.*--update"):
        kb.add([other], "chats")
    assert staged(kb)[name].messages[0].text == BUD
    assert kb.add([other], "chats", update=True).updated == 1
    assert staged(kb)[name].messages[0].text == PAIRING


def test_a_file_read_by_other_fields_gives_what_it_gives_now(kb: SupportKB, tmp_path: Path) -> None:
    line = {"case": "A", **chat("1", BUD, CLEAN)}
    path = write(tmp_path / "chats" / "a.jsonl", line)
    done = kb.add([path], "chats", Fields(id="case"))
    assert set(staged(kb)) == {"A"} and done.removed == 2
    with pytest.raises(BadInputError, match=r"'cesa' that --id-field names.*Nothing was added"):
        kb.add([path], "chats", Fields(id="cesa"))


def test_chats_are_listed_and_removed(kb: SupportKB, tmp_path: Path) -> None:
    assert kb.sources().sources == (ListedSource("folder", str(tmp_path / "chats"), 0, 0, 0, 2),)
    assert kb.remove(["2"]) == Removed(1, 0, 0, 0, 1)
    assert kb.remove([tmp_path / "chats" / "a.jsonl"]) == Removed(1, 0, 0, 0, 1)
    assert not staged(kb) and not kb.sources().sources


def test_an_export_holds_them_and_an_import_brings_them_back(kb: SupportKB, tmp_path: Path) -> None:
    kb.export(tmp_path / "one.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "one.jsonl").read_text(encoding="utf-8").splitlines()]
    chats = [line for line in lines if line["kind"] == "chat"]
    assert [line["id"] for line in chats] == ["1", "2"]
    assert chats[0]["messages"][1] == {"role": "agent", "text": CLEAN, "date": ""}
    copy = SupportKB.create(tmp_path / "copy")
    done = copy.import_(tmp_path / "one.jsonl")
    assert (done.taken, done.skipped) == (len(lines), ())
    assert staged(copy) == staged(kb)
    assert copy.sources().sources == (ListedSource("import", "one.jsonl", 0, 0, 0, 2),)
    copy.export(tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    again = copy.import_(tmp_path / "one.jsonl")
    assert (again.taken, again.unchanged, again.skipped) == (0, len(lines), ())


def test_a_whole_import_takes_the_place_of_the_chats_that_were_there(kb: SupportKB, tmp_path: Path) -> None:
    kb.export(tmp_path / "one.jsonl")
    kb.remove(["1"])
    kb.add([write(tmp_path / "b.jsonl", chat("9", BUD, CLEAN))], "chats")
    done = kb.import_(tmp_path / "one.jsonl", replace=True)
    assert set(staged(kb)) == {"1", "2"}
    assert done.notes == ("The file took the place of all that was here: 2 conversations.",)
    (tmp_path / "one.jsonl").write_text('{"kind": "theme", "id": "t", "name": "sound"}\n', encoding="utf-8")
    kb.import_(tmp_path / "one.jsonl", replace=True)
    assert not staged(kb)


@pytest.mark.parametrize("messages", [None, [], ["hi"], [{"role": "robot", "text": "x"}], [{"role": "agent"}]])
def test_a_line_that_is_no_conversation_is_skipped_with_its_reason(tmp_path: Path, messages: Any) -> None:
    good = {"kind": "chat", **chat("1", BUD, CLEAN)}
    path = write(tmp_path / "in.jsonl", good, {"kind": "chat", "id": "2", "messages": messages})
    kb = SupportKB.create(tmp_path / "kb")
    (skipped,) = kb.import_(path).skipped
    assert skipped.path == "line 2" and skipped.reason.startswith("chat '2': messages must be a list of 1 to 5,000")
    assert set(staged(kb)) == {"1"}


def test_a_build_makes_nothing_of_chats(kb: SupportKB, tmp_path: Path) -> None:
    built = kb.build()
    assert (built.parents, built.solutions, built.failures) == (0, 0, ())
    kb.remove(["1", "2"])
    kb.export(tmp_path / "without.jsonl")
    assert '"chat"' not in (tmp_path / "without.jsonl").read_text(encoding="utf-8")


# -- cases for a test set -------------------------------------------------------------------------------------


def cases(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_cases_are_questions_with_the_messages_before_and_the_reply(kb: SupportKB, tmp_path: Path) -> None:
    path = write(tmp_path / "b.jsonl", chat("3", BUD, "Which colour is it?", "the black one", HOLD, "Thanks!", CLEAN))
    kb.add([path], "chats")
    done = kb.evaluate.draft_cases(tmp_path / "cases.jsonl")
    first, second, third = cases(tmp_path / "cases.jsonl")
    assert first == {
        "id": "1:1",
        "messages": [{"role": "customer", "text": BUD}],
        "question": BUD,
        "reply": CLEAN,
        "documents": [],
    }
    assert (second["id"], second["question"], second["reply"]) == ("2:1", PAIRING, HOLD)
    assert (third["id"], third["question"], third["reply"]) == ("3:3", f"{BUD}\nthe black one", HOLD)
    assert [m["role"] for m in third["messages"]] == ["customer", "agent", "customer"]
    assert (done.file, done.conversations, done.cases, done.masked) == (str(tmp_path / "cases.jsonl"), 3, 3, 0)
    assert (done.question_words, done.reply_words) == ((8 + 11 + 11) / 3, round((8 + 12 + 12) / 3, 2))
    assert (tmp_path / "cases.jsonl").stat().st_mode & 0o777 == 0o600


def test_private_data_is_masked_everywhere_in_the_file_and_nowhere_else(tmp_path: Path) -> None:
    kb = SupportKB.create(tmp_path / "kb", "headphones")
    address, phone = "ann.smith@example.com", "+49 170 1234567"
    texts = (f"The order for {address} never arrived here.", f"We wrote to {address}; call {phone} from Monday on.")
    more = (f"{address} is the right address, and still nothing has come.", "Then we send another parcel tomorrow.")
    kb.add([write(tmp_path / "a.jsonl", chat(address, *texts, *more), chat("2", *texts))], "chats")
    done = kb.evaluate.draft_cases(tmp_path / "cases.jsonl")
    written = (tmp_path / "cases.jsonl").read_text(encoding="utf-8")
    assert address not in written and phone not in written and "example.com" not in written
    found = {case["id"]: case for case in cases(tmp_path / "cases.jsonl")}
    assert len(found) == 3 and done.masked == 4
    assert found["2:1"]["reply"] == "We wrote to <email-1>; call <phone-1> from Monday on."
    assert all("<email-1>" in case["question"] for case in found.values())  # one address, one placeholder
    assert address in staged(kb)["2"].messages[0].text


def test_a_file_that_is_there_and_one_that_is_no_jsonl_are_left_alone(kb: SupportKB, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInputError, match="is there already"):
        kb.evaluate.draft_cases(tmp_path / "cases.jsonl")
    assert (tmp_path / "cases.jsonl").read_text(encoding="utf-8") == "mine"
    with pytest.raises(BadInputError, match=r"ends in \.jsonl"):
        kb.evaluate.draft_cases(tmp_path / "cases.csv")


def test_without_chats_or_replies_nothing_is_written(kb: SupportKB, tmp_path: Path) -> None:
    kb.remove(["1", "2"])
    with pytest.raises(BadInputError, match=r"autokb add .* --as chats"):
        kb.evaluate.draft_cases(tmp_path / "cases.jsonl")
    kb.add([write(tmp_path / "b.jsonl", chat("3", "Hello!", "Hello!"))], "chats")
    with pytest.raises(BadInputError, match="In the conversations that were added no agent replies"):
        kb.evaluate.draft_cases(tmp_path / "cases.jsonl")
    assert not (tmp_path / "cases.jsonl").exists()
