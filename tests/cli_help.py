"""docs/cli.md is the commands' own `--help`: `make docs` writes it, tests/test_docs.py compares it."""

import contextlib
import io
import os
import re
from unittest.mock import patch

from tests.tracked import ROOT
from workbench.cli import main

PAGE = ROOT / "docs" / "cli.md"
HEAD = """# The `workbench` command

Written by `make docs` from the commands' own help.
"""


def help_of(*command: str) -> str:
    """Return what `workbench COMMAND --help` prints, at one width and without colours."""
    printed = io.StringIO()
    with patch.dict(os.environ, COLUMNS="100", NO_COLOR="1"), contextlib.redirect_stdout(printed):
        with contextlib.suppress(SystemExit):
            main([*command, "--help"])
    return printed.getvalue().strip()


def commands() -> list[str]:
    """Return the names of the subcommands, in the order of the help."""
    listed = re.search(r"\{([\w,-]+)\}", help_of())
    return listed[1].split(",") if listed else []


def page() -> str:
    """Return the whole text of docs/cli.md."""
    parts = [HEAD, f"```\n{help_of()}\n```\n"]
    parts += [f"## {name}\n\n```\n{help_of(name)}\n```\n" for name in commands()]
    return "\n".join(parts)


def same_words(text: str) -> str:
    """Return the text as every Python words it: line breaks and short options are written differently by some."""
    return re.sub(r"(-\w) ([A-Z_]+), (--[\w-]+) \2", r"\1, \3 \2", " ".join(text.split()))


if __name__ == "__main__":
    PAGE.write_text(page())
    print(f"wrote {PAGE.relative_to(ROOT)}")
