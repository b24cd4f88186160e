"""Contract suites for what plug-ins bring: subclass one in your tests, and pytest runs it.

    class TestNotes(FormatContract):
        suffix = ".note"
        examples = (b"Title\\n\\nSome words.",)

Each goes through the product's own way, so the plug-in has to be installed where the tests run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from autokb.answering.suggest import Suggested, Suggestion
from autokb.app import SupportKB
from autokb.app.synced import SyncedSource
from autokb.core.errors import WorkspaceBusyError
from autokb.core.helpdesk_settings import HelpdeskSettings
from autokb.core.nouns import AGENT, CUSTOMER
from autokb.helpdesks.helpdesk import DeskRequest, id_of, part_of
from autokb.helpdesks.kinds import helpdesk_of
from autokb.helpdesks.refused import NotSignedError
from autokb.helpdesks.sending import DeskClient, LaterError
from autokb.sources import read_documents
from autokb.sources.reading import Reading
from autokb.stores.moving import move
from autokb.stores.workspace import create_workspace, open_workspace

_SECRET, _TOKEN = "of the webhooks", "of-the-interface"
_TEXT = "<b>Hold</b> the [button](https://a.example) & wait: *2* > 1 ![x](https://b.example/x.png)"


class FormatContract:
    """What a file format must do: ``examples`` are contents of files that can be read."""

    suffix: str
    examples: Sequence[bytes]

    def read(self, folder: Path, data: bytes) -> Reading[Any]:
        """Return what is read of a file with this content."""
        file = folder / f"example{self.suffix}"
        file.write_bytes(data)
        return read_documents([file])

    def test_each_example_is_a_document_with_a_title_and_a_text(self, tmp_path: Path) -> None:
        """No example is skipped, and none is empty."""
        for data in self.examples:
            reading = self.read(tmp_path, data)
            assert not reading.skipped, reading.skipped
            assert all(one.item.title and one.item.text.strip() for one in reading.records)

    def test_the_same_bytes_are_the_same_document(self, tmp_path: Path) -> None:
        """A build computes nothing anew for a file that did not change."""
        for data in self.examples:
            assert self.read(tmp_path, data).records == self.read(tmp_path, data).records

    def test_whatever_the_bytes_it_says_why_it_cannot_read_them(self, tmp_path: Path) -> None:
        """Damaged files are read, or skipped by an UnreadableFileError; no other error is raised."""
        damaged = [data[: len(data) // 2] for data in self.examples] + [b"", b"\xff\xfe\x00" * 99, bytes(range(256))]
        for data in damaged:
            reading = self.read(tmp_path, data)
            assert len(reading.records) + len(reading.skipped) == 1
            failed = ("is damaged", "The plug-in", "makes the plug-in")
            assert not any(one.reason.startswith(failed) for one in reading.skipped), data


class SourceContract:
    """What a source of ``sync`` must do: ``settings`` are its entries in settings.yaml; ``begin`` makes some items.

    ``change`` changes one of them, ``remove`` takes one away; all three get the folder of a new workspace, from which
    relative paths in ``settings`` start.
    """

    settings: Mapping[str, Any]

    def begin(self, folder: Path) -> None:
        """Make at least three items."""
        raise NotImplementedError

    def change(self, folder: Path) -> None:
        """Change one item."""
        raise NotImplementedError

    def remove(self, folder: Path) -> None:
        """Take one item away."""
        raise NotImplementedError

    def test_what_is_new_changed_and_gone_is_told_apart(self, tmp_path: Path) -> None:
        """An item that is gone stays for one listing more, for the source may have been half there."""
        import yaml

        own, wanted = type(self), ("settings", "begin", "change", "remove")
        lacks = [name for name in wanted if getattr(own, name, None) is getattr(SourceContract, name, None)]
        assert not lacks, f"{own.__name__} has to say {', '.join(lacks)}; docs/plugins.md has an example."
        folder = tmp_path / "kb"
        SupportKB.create(folder).close()
        (folder / "settings.yaml").write_text(yaml.safe_dump({"sources": {"it": dict(self.settings)}}), "utf-8")
        kb = SupportKB.open(folder)

        def synced() -> SyncedSource:
            found = kb.sync().sources["it"]
            assert found.error is None, found.error
            return found

        self.begin(folder)
        first, again = synced(), synced()
        assert first.added >= 3 and first.added == again.unchanged
        assert not again.added + again.updated + again.removed, "nothing changed in between"
        self.change(folder)
        assert synced().updated == 1
        self.remove(folder)
        assert [synced().removed, synced().removed] == [0, 1]
        kb.close()


class HelpdeskContract:
    """What a helpdesk must do: ``name`` is its name in settings.yaml, ``entries`` are what stands there but ``url``.

    The first four methods say what the helpdesk itself does. Ids are digits, moments seconds of Unix.
    """

    name: str
    entries: Mapping[str, Any] = {}
    signs_moment = True  # whether a signature is of a moment, so that one of 301 seconds ago is refused

    def sign(self, body: bytes, secret: str, at: float) -> Mapping[str, str]:
        """Return the headers of a webhook that is signed at a moment, names in lower case."""
        raise NotImplementedError

    def event(self, ident: str, conversation: str, text: str, at: float, *, by_agent: bool = False) -> Any:
        """Return the JSON of the webhook for a new message."""
        raise NotImplementedError

    def shown(self, written: Sequence[DeskRequest], at: float) -> Any:
        """Return the JSON that answers ``look`` after these requests of ``write``, which were done at a moment."""
        raise NotImplementedError

    def record(self, *, is_led: bool) -> Any:
        """Return the JSON that answers ``look_up`` where an agent leads the conversation, or nobody does."""
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _open(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make a workspace with the helpdesk, which suggests the same whatever is asked."""
        given = {self.name: {"url": "https://desk.example", **self.entries}}
        SupportKB.create(tmp_path / "kb").close()
        (tmp_path / "kb" / "settings.yaml").write_text(json.dumps({"helpdesks": given}), "utf-8")
        kb, found = SupportKB.open(tmp_path / "kb"), Suggested("answered", (Suggestion(_TEXT, "solution"),), "off")
        monkeypatch.setattr(kb, "suggest", lambda _, conversation: found)
        self.desk, self.settings = kb.helpdesks, kb.workspace.settings.helpdesks[self.name]
        self.own, self.now = helpdesk_of(self.name), time.time()
        monkeypatch.setenv(self.settings.secret_env, _SECRET)
        monkeypatch.setenv(self.settings.token_env, _TOKEN)
        self.body = json.dumps(self.event("41", "7", "It is off", self.now)).encode()
        self.signed = self.sign(self.body, _SECRET, self.now)
        self.note = self.own.write(self.settings, _TOKEN, "7", _TEXT, to_customer=False)

    def test_what_is_not_signed_by_the_secret_is_refused(self) -> None:
        """Nor is what was changed or signed long ago taken."""
        wrong = [{}, self.sign(self.body, "other", self.now), self.sign(self.body + b" ", _SECRET, self.now)]
        wrong += [{**self.signed, name: odd} for name in self.signed for odd in ("", "ä" * 70)]
        wrong += [self.sign(self.body, _SECRET, self.now - 301)] * self.signs_moment
        for headers in wrong:
            with pytest.raises(NotSignedError):
                self.desk.take(self.name, headers, self.body)
        assert self.desk.take(self.name, self.signed, self.body) == "taken"

    def test_messages_of_customers_and_agents_are_read(self) -> None:
        """A message has its ids, its moment and its words; an agent's has who wrote it."""
        for role in (CUSTOMER, AGENT):
            found = self.own.read(self.event("41", "7", "It is off", self.now, by_agent=role == AGENT))
            assert found and (found.id, found.conversation, found.role, found.text) == ("41", "7", role, "It is off")
            assert abs(found.said - self.now) < 2 and bool(found.author) == (role == AGENT)
        assert self.settings.account in ("", id_of(part_of(json.loads(self.body), *self.own.account_at)))

    def test_whatever_comes_nothing_raises(self) -> None:
        """Who leads a conversation is told, and where the answer cannot be read, somebody does."""
        for odd in _odd(json.loads(self.body)):
            self.own.read(odd)
        for odd in _odd(self.shown([self.note], self.now)):
            list(self.own.standing(odd))
        led = [self.record(is_led=True), None, [], {}, "x", 7]
        assert all(self.own.is_led(self.settings, one) for one in led)
        assert all(self.own.is_led(self.settings, odd) in (True, False) for odd in _odd(led[0]))
        assert not self.own.is_led(self.settings, self.record(is_led=False))

    def test_a_note_is_no_reply_and_inert_and_tells_no_token(self) -> None:
        """Markup of a text is read as it was written; a note and a reply are different requests."""
        (found,) = self.own.standing(self.shown([self.note], self.now))
        assert found.text.split() == _TEXT.split() and abs(found.since - self.now) < 2
        assert self.note != self.own.write(self.settings, _TOKEN, "7", _TEXT, to_customer=True)
        assert _TOKEN not in f"{self.note} {json.dumps(self.note.json)}"

    def test_an_event_gets_one_note(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Also where it comes twice, and where nobody heard that the note was written."""
        written: list[DeskRequest] = []

        def send(_client: DeskClient, settings: HelpdeskSettings, request: DeskRequest) -> tuple[Any, float]:
            if request == self.own.look(settings, _TOKEN, "7", "41"):
                return self.shown(written, self.now), self.now
            written.append(request)
            raise LaterError("Nobody heard it.", is_unsure=True, seconds=0.0)

        monkeypatch.setattr(DeskClient, "send", send)
        assert [self.desk.take(self.name, self.signed, self.body) for _ in range(2)] == ["taken", "known"]
        assert [self.desk.work().became for _ in range(3)] == ["postponed", "noted", None] and len(written) == 1
        self.desk.close()


class StoreContract:
    """What a store must do: ``address`` gives that of a new one, as ``store:`` names it, and nothing for a file."""

    def address(self) -> str:
        """Return the address of a store that nothing uses yet."""
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def _make(self, tmp_path: Path) -> None:
        """Make a workspace that is kept there."""
        self.workspace = create_workspace(tmp_path / "kb", "name: any\n", f"store: {json.dumps(self.address())}\n")

    def test_a_change_is_whole_or_not_made_and_others_read_one_state(self) -> None:
        """One writes at a time, and one builds."""
        with self.workspace.file() as one, self.workspace.file() as two:
            with two.snapshot():
                assert two.meta("said") is None
                with one.transaction():
                    one.note("said", "first")
                assert two.meta("said") is None
            two.wait_at_most(0.1)
            with pytest.raises(WorkspaceBusyError), one.transaction():
                one.note("said", "second")
                two.finish("trees", {"key": "of two that write"})
            assert one.meta("said") == two.meta("said") == "first"
        with self.workspace.build_lock(), pytest.raises(WorkspaceBusyError), self.workspace.build_lock():
            raise AssertionError("two build")

    def test_on_a_server_it_tells_of_publications_and_shares_rates(self) -> None:
        """A file is looked at, and has its rates in one process."""
        if self.workspace.is_on_server:
            store = self.workspace.store
            with self.workspace.file() as file, store.notices() as heard:
                with file.transaction():
                    file.count_generation()
                assert heard.wait(10)
            assert 5 < store.share_rates({"key": 9.0})["key"] <= 9 < store.share_rates({"key": 9.0})["key"] <= 18
            assert store.health().is_current and store.health().writable

    def test_from_a_server_it_is_moved_into_a_folder_and_back(self, tmp_path: Path) -> None:
        """Each move compares all that it copied."""
        if self.workspace.is_on_server:
            with self.workspace.file() as file:
                file.finish("trees", {"key": "Hänge es auf 😀"})
            move(self.workspace, str(tmp_path / "moved"))
            move(open_workspace(tmp_path / "moved"), self.address())
            with open_workspace(tmp_path / "moved").file() as file:
                assert file.is_on_server and file.finished(["key"]) == {"key": "Hänge es auf 😀"}


def _odd(value: Any) -> Iterator[Any]:
    """Give a JSON value with each of its parts in turn in the place of what nobody expects there."""
    yield from (None, [], {}, "ä" * 300, -1, 1e300, True)
    if isinstance(value, dict):
        yield from ({**value, name: odd} for name, part in value.items() for odd in _odd(part))
    elif isinstance(value, list):
        yield from ([*value[:n], odd, *value[n + 1 :]] for n, part in enumerate(value) for odd in _odd(part))
