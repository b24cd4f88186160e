"""The size budgets notice what they should, and only that."""

from __future__ import annotations

from pathlib import Path

from size_budgets import of_file, offenders, public_names


def test_long_files_and_long_functions_are_named() -> None:
    long_file = "x = 1\n\n" * 301
    assert list(of_file(long_file)) == [": 301 non-blank lines, at most 300"]
    assert list(of_file("x = 1\n\n" * 300)) == []
    body = "".join(f"    x = {n}\n" for n in range(50))
    assert list(of_file(f'def f():\n    """Say it.\n\n    More.\n    """\n{body}')) == []
    assert list(of_file(f"def f():\n{body}    return x\n")) == [":1: f has 51 lines in its body, at most 50"]


def test_what_is_left_over_is_named() -> None:
    word = "TO" + "DO"
    assert list(of_file(f"x = 1  # {word} later\nTODOS = 1\n")) == [f":1: {word} is left over"]


def test_public_names_of_a_package() -> None:
    source = "from __future__ import annotations\nfrom a import b as c, _d\nimport e.f\n__version__ = '1'\nG: int = 1\n"
    assert public_names(source + "def h(): ...\n") == {"c", "e", "G", "h"}


def test_a_folder_is_searched(tmp_path: Path) -> None:
    package = tmp_path / "src" / "thing"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("".join(f"n{n} = 0\n" for n in range(16)))
    (package / "deep.py").write_text("x = 1\n" * 301)
    assert offenders(tmp_path) == [
        "src/thing/__init__.py: 16 public names, at most 15",
        "src/thing/deep.py: 301 non-blank lines, at most 300",
    ]
