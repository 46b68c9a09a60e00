"""Run the benchmarks and print one Markdown table: `make bench`, or `make bench ARGS="gated_call"` for some.

Every module of this folder that has a `run() -> list[Row]` is a benchmark, named after its file.
"""

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Callable

import tests.bench as folder
from tests.bench.machine import describe
from tests.bench.row import Row

Benchmark = Callable[[], list[Row]]


def benchmarks() -> dict[str, Benchmark]:
    """Return the benchmarks by name, in alphabetical order."""
    names = sorted(m.name for m in pkgutil.iter_modules(folder.__path__) if m.name != "__main__")
    modules = {name: importlib.import_module(f"{folder.__name__}.{name}") for name in names}
    return {name: module.run for name, module in modules.items() if hasattr(module, "run")}


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a Markdown table whose columns line up in a terminal too."""
    safe = [tuple(cell.replace("|", "\\|") for cell in row) for row in (header, *rows)]
    widths = [max(len(row[i]) for row in safe) for i in range(len(header))]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in safe
    ]
    rule = "|" + "|".join("-" * (w + 2) for w in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def kept(row: Row) -> str:
    """Return the last column in words."""
    return {None: "", True: "kept", False: "broken"}[row.kept]


def main() -> int:
    """Run the benchmarks that were named, all by default, and print what they found."""
    known = benchmarks()
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", help=f"one or more of: {', '.join(known) or 'none yet'}")
    chosen = parser.parse_args().name or list(known)
    if unknown := [name for name in chosen if name not in known]:
        parser.error(f"no benchmark is named {unknown[0]!r}; there are: {', '.join(known) or 'none yet'}")
    rows = []
    for name in chosen:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        rows += [(name, r.what, r.measured, r.promise, kept(r), r.note) for r in known[name]()]
    print(table(("benchmark", "what", "measured", "promise", "", "note"), rows))
    print()
    print(table(("machine", ""), describe()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
