"""The files of the repository, as git knows them."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent


@cache
def tracked(pattern: str = "*") -> tuple[Path, ...]:
    """Return the tracked files whose path matches, as absolute paths; those deleted but not committed are left out."""
    listed = subprocess.run(["git", "ls-files", "-z", pattern], cwd=ROOT, capture_output=True, text=True, check=True)
    return tuple(path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file())


def named(path: Path) -> str:
    """Return the path as it is written in the repository."""
    return path.relative_to(ROOT).as_posix()
