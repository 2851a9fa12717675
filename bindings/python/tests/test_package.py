"""The package itself: the command in it, its examples, what it says of itself."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sowing
from sowing import _sowing


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "sowing", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=120)


def test_the_command() -> None:
    done = run("solve", "kalah(4,3)", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    ours = json.loads(sowing.Solver("kalah(4,3)").analyze().to_json())
    for form in (found, ours):
        del form["seconds"], form["nodes"]
    assert found == ours
    wrong = run("solve", "chess")
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("sow: ")
    assert wrong.stderr.count("\n") == 1
    assert run("--version").stdout == f"sow {sowing.__version__}\n"
    assert run("study", "no-such").returncode == 2


def test_files_of_the_command_say_how_they_were_made(tmp_path: Path) -> None:
    file = tmp_path / "tree.svg"
    assert run("tree", "s-kalaha(2,1)", "--svg", str(file)).returncode == 0
    assert "command: sow tree" in file.read_text()


def test_the_books_are_in_the_package() -> None:
    for game, value in (("kalah(6,4)", 8), ("kalah(6,4,empty-capture)", 10)):
        found = sowing.Solver(game, time=5).analyze(moves=False)
        assert (found.value, found.source) == (value, "book")


def named(module: object) -> list[tuple[str, object]]:
    return [(name, getattr(module, name)) for name in dir(module) if not name.startswith("_")]


def test_everything_has_a_word_about_it_and_a_stub() -> None:
    stub = inspect.getsource(importlib.import_module("sowing.errors"))
    assert "class Error" in stub
    path = sowing.__file__.replace("__init__.py", "_sowing.pyi")
    with open(path, encoding="utf-8") as file:
        stubs = file.read()
    for name, member in named(_sowing):
        assert f"class {name}:" in stubs or f"def {name}(" in stubs, name
        assert getattr(member, "__doc__", None), name
        if inspect.isclass(member):
            body = stubs.split(f"class {name}:")[1].split("\nclass ")[0]
            for part, inner in named(member):
                assert f"def {part}(" in body, f"{name}.{part}"
                assert getattr(inner, "__doc__", None), f"{name}.{part}"


# All but the one that runs the command.
MODULES = sorted(
    f"sowing.{module.name}"
    for module in pkgutil.iter_modules(sowing.__path__)
    if module.name != "__main__"
)


@pytest.mark.parametrize("name", ["sowing", *MODULES])
def test_examples(name: str) -> None:
    """The examples of every docstring, those of the Rust part too."""
    module = importlib.import_module(name)
    extra = {**vars(sowing), **vars(sowing.solitaire), **vars(module), "np": np}
    finder, runner = (
        doctest.DocTestFinder(exclude_empty=True),
        doctest.DocTestRunner(
            optionflags=doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
        ),
    )
    tests = 0
    if name == "sowing._sowing":
        parser = doctest.DocTestParser()
        for owner, member in named(module):
            inner = named(member) if inspect.isclass(member) else []
            for part, one in [(owner, member), *((f"{owner}.{p}", m) for p, m in inner)]:
                example = parser.get_doctest(one.__doc__ or "", dict(extra), part, None, None)
                tests += len(example.examples)
                runner.run(example)
        assert tests > 40
    else:
        for example in finder.find(module, extraglobs=extra):
            runner.run(example)
    assert runner.summarize(verbose=False).failed == 0
