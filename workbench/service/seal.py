"""Sealed values: what a client carries for us, and can't change."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import zlib
from pathlib import Path
from typing import Any, Literal

from workbench.service.problem import dumped
from workbench.store.codec import decode, encode

SECRET_VARIABLE = "WORKBENCH_SECRET"
LARGEST = 64 * 1024 * 1024
"""Bytes of one value, unpacked."""
_FORM = "1"
Kind = Literal["history", "paused"]


class Forged(Exception):
    """A sealed value that this service did not make for this thread and entry; the message says so."""


class Seal:
    """Seals values for a thread and its entry.

    Args:
        key: the secret; every replica needs the same one.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def of(cls, database: Path, secret: str = "") -> Seal:
        """Return the seal of a secret, by default ``WORKBENCH_SECRET``, else of the key file beside a database."""
        given = secret or os.environ.get(SECRET_VARIABLE)
        return cls(given.encode() if given else _key_file(database.with_name(f"{database.name}.key")))

    def close(self, kind: Kind, thread: str, entry: str, value: Any) -> str:
        """Seal a JSON value."""
        packed = base64.urlsafe_b64encode(zlib.compress(encode(value).encode(), 6)).decode()
        return f"{_FORM}.{packed}.{self._sign(kind, thread, entry, packed)}"

    def open(self, kind: Kind, thread: str, entry: str, sealed: Any) -> Any:
        """Return the value that was sealed.

        Raises:
            Forged: it is not ours, not whole, or another thread's or entry's.
        """
        form, _, rest = sealed.partition(".") if isinstance(sealed, str) else ("", "", "")
        packed, _, signature = rest.rpartition(".")
        expected = self._sign(kind, thread, entry, packed)
        if form != _FORM or not hmac.compare_digest(signature.encode(), expected.encode()):
            raise Forged(f"The state's {kind!r} was not made by this service for this thread; nothing ran.")
        unpacked = zlib.decompressobj().decompress(base64.urlsafe_b64decode(packed), LARGEST)
        return decode(unpacked.decode())

    def _sign(self, kind: str, thread: str, entry: str, packed: str) -> str:
        said = dumped([_FORM, kind, thread, entry, packed]).encode(errors="surrogatepass")
        return hmac.new(self._key, said, hashlib.sha256).hexdigest()


def _key_file(path: Path) -> bytes:
    if path.exists():
        return path.read_bytes()
    try:
        # Made whole under another name first, so that nobody ever reads half a key.
        new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(new, path)
        finally:
            new.unlink()
    except FileExistsError:
        return path.read_bytes()  # another process made it meanwhile
    return path.read_bytes()
