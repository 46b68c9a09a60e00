"""Find the Chromium that the browser tests drive; `--install` brings Debian's when there is none."""

import glob
import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = ("chromium", "fonts-liberation")
DRIVER_PACKAGES = ("libatomic1",)
HELP = (
    "No Chromium was found, and the browser tests need one. Install your system's chromium or Google Chrome, "
    "or run `.venv/bin/playwright install chromium`, or name one with WORKBENCH_CHROMIUM=PATH."
)


def find() -> Path | None:
    """Return the browser to drive: `WORKBENCH_CHROMIUM`, else one on the PATH, else playwright's own."""
    if named := os.environ.get("WORKBENCH_CHROMIUM"):
        return Path(named)
    for name in NAMES:
        if path := shutil.which(name):
            return Path(path)
    return next((path for path in _others() if os.access(path, os.X_OK)), None)


def _others() -> list[Path]:
    folders = [os.environ.get("PLAYWRIGHT_BROWSERS_PATH"), "~/.cache/ms-playwright", "~/Library/Caches/ms-playwright"]
    endings = ("chrome-linux*/chrome", "chrome-mac*/*.app/Contents/MacOS/*")
    found = [
        Path(path)
        for folder in folders
        for ending in endings
        if folder
        for path in sorted(glob.glob(f"{Path(folder).expanduser()}/chromium-*/{ending}"), reverse=True)
    ]
    return [*found, Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")]


def driver_starts() -> bool:
    """Tell whether playwright's own program runs here; a minimal Debian lacks a library that it needs."""
    asked = subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True)
    return asked.returncode == 0


def install(packages: tuple[str, ...]) -> None:
    """Install Debian's packages, as root or through sudo. Does nothing where that can't be done."""
    if not shutil.which("apt-get"):
        return
    as_root: list[str] = []
    if os.geteuid() != 0:
        sudo = shutil.which("sudo")
        if not sudo:
            return
        as_root = [sudo] if sys.stdin and sys.stdin.isatty() else [sudo, "-n"]
    print(f"Installing {' and '.join(packages)} with apt-get, for the browser tests", flush=True)
    apt = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]
    for command in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
        if subprocess.run([*apt, *command], stdout=subprocess.DEVNULL).returncode != 0:
            print(f"apt-get {command[0]} failed", file=sys.stderr)


def main() -> int:
    """Say where the browser is. Exits 1 in CI when there is none; elsewhere the browser tests are skipped.

    With `--install`, what is missing is installed first.
    """
    if "--install" in sys.argv[1:]:
        if find() is None:
            install(PACKAGES)
        if not driver_starts():
            install(DRIVER_PACKAGES)
    path = find()
    if path:
        print(f"Chromium for the browser tests: {path}")
        return 0
    in_ci = bool(os.environ.get("CI"))
    print(HELP + ("" if in_ci else " Until then they are skipped."), file=sys.stderr)
    return 1 if in_ci else 0


if __name__ == "__main__":
    sys.exit(main())
