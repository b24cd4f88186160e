"""What a reader gets of the last build."""

from __future__ import annotations

from dataclasses import replace

from autokb.stores.published import published_spec, read_published
from autokb.stores.workspace import Workspace


def test_the_domain_of_the_last_build_is_read_again_only_where_the_file_was_edited(hand_made: Workspace) -> None:
    with hand_made.file() as file:
        published = read_published(file)
    as_built = replace(hand_made, domain_text=str(published.settings["domain"]["yaml"]))
    assert published_spec(as_built, published) is as_built.spec
    edited = replace(as_built, domain_text="name: edited\n", spec=replace(as_built.spec, name="edited"))
    assert published_spec(edited, published) == replace(as_built.spec, name="lawn")
