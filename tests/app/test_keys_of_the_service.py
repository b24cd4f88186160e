"""Keys of the service: shown once, kept as hashes, in no export."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.app.api_keys import hash_of
from autokb.core.errors import BadInputError
from autokb.core.roles import ROLES, may
from autokb.stores.workspace import Workspace


def test_a_key_is_found_by_what_it_is_and_stands_nowhere(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    made = [kb.keys.create(role) for role in ROLES]
    for one in made:
        assert re.fullmatch(r"akb_[\w-]{43}", one.key) and len(base64.urlsafe_b64decode(one.key[4:] + "=")) == 32
        found = kb.keys.find(one.key)
        assert found is not None and (found.id, found.role, found.revoked) == (one.id, one.role, None)
    assert [key.id for key in kb.keys.list().keys] == [one.id for one in made]
    assert len({one.key for one in made} | {one.id for one in made}) == 8
    held = b"".join(path.read_bytes() for path in hand_made.folder.iterdir() if path.is_file())
    assert not [one for one in made if one.key[4:].encode() in held] and hash_of(made[0].key).encode() in held


@pytest.mark.parametrize("wrong", ["", "akb_", "akb_" + "A" * 43, "x" * 100_000, "\ud800", "key-"])
def test_what_is_no_key_is_found_nowhere(hand_made: Workspace, wrong: str) -> None:
    kb = SupportKB(hand_made)
    made = kb.keys.create("reader")
    assert kb.keys.find(wrong) is None
    assert (
        kb.keys.find(made.id) is None and kb.keys.find(made.key + " ") is None and kb.keys.find(made.key[:-1]) is None
    )
    assert kb.keys.find(hash_of(made.key)) is None


def test_a_revoked_key_counts_no_more_and_opens_nothing(hand_made: Workspace) -> None:
    kb, other = SupportKB(hand_made), SupportKB(hand_made)
    assert not kb.keys.are_needed()
    made, kept = kb.keys.create("editor"), kb.keys.create("admin")
    done = other.keys.revoke(made.id)
    assert done.revoked is not None and kb.keys.find(made.key) is None and kb.keys.find(kept.key) is not None
    assert kb.keys.revoke(made.id) == done
    kb.keys.revoke(kept.id)
    assert kb.keys.are_needed() and [key.revoked is None for key in kb.keys.list().keys] == [False, False]


def test_a_role_or_an_id_that_is_none_is_said(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    with pytest.raises(BadInputError, match="reader, agent, editor, admin, not 'owner'"):
        kb.keys.create("owner")
    with pytest.raises(BadInputError, match="autokb keys list"):
        kb.keys.revoke("key-1")
    assert kb.keys.list().keys == () and not kb.keys.are_needed()


def test_each_role_may_do_what_those_before_it_may() -> None:
    table = {role: "".join("x" if may(role, needed) else "." for needed in ROLES) for role in ROLES}
    assert table == {"reader": "x...", "agent": "xx..", "editor": "xxx.", "admin": "xxxx"}


@pytest.mark.parametrize("suffix", ["jsonl", "md", "csv"])
def test_no_export_holds_a_key_and_no_import_touches_one(hand_made: Workspace, tmp_path: Path, suffix: str) -> None:
    kb, file = SupportKB(hand_made), tmp_path / f"out.{suffix}"
    kb.export(tmp_path / f"before.{suffix}")
    made = kb.keys.create("admin")
    kb.export(file)
    written = file.read_bytes()
    assert written == (tmp_path / f"before.{suffix}").read_bytes()
    assert not [word for word in (made.key, made.id, hash_of(made.key), "api_key") if word.encode() in written]
    kb.import_(file, replace=suffix == "jsonl")
    assert kb.keys.find(made.key) is not None and len(kb.keys.list().keys) == 1
