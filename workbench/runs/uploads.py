"""Files on their way from a person to a model: taken, taken back, and read when the answer is given."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from workbench.agents import files
from workbench.agents.client_tools import BadAnswer
from workbench.agents.file_text import text_of
from workbench.agents.files import GivenFile
from workbench.runs.errors import FileRefused
from workbench.runs.views import FileRow
from workbench.store import Request, Store, StoreError, Upload, hash_of

logger = logging.getLogger(__name__)

_MEGABYTE = 1024 * 1024


class Uploads:
    """The files given to requests that are still open."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, request_id: str, name: str, data: bytes) -> FileRow:
        """Take a file for a card that waits. It is part of nothing until the card is answered with it.

        Args:
            name: what the person calls it; what is hidden in it is made visible, and folders are left out.

        Raises:
            FileRefused: it is too large, or of the wrong kind, or the card takes no (more) files.
        """
        request, asked = self._open(request_id)
        shown = files.clean_name(name)
        if len(data) > files.LARGEST_FILE:
            raise FileRefused(
                f"{shown} has {len(data) / _MEGABYTE:,.1f} MB; a file may have {files.LARGEST_FILE // _MEGABYTE} MB "
                "at most. It was not taken. Give a smaller one, or only the part of it that matters."
            )
        if not files.ends_well(shown, asked["endings"]):
            raise FileRefused(
                f"{shown} was not taken: this card takes files that end in {_either(asked['endings'])}."
            )
        there = self._store.files.of_request(request_id)
        content = hash_of(data)
        twin = next((one for one in there if one.sha256 == content), None)
        if twin is not None:
            raise FileRefused(f"{shown} is there already, as {twin.name}: what is in them is the same.")
        if asked["multiple"] and len(there) >= files.MOST_FILES:
            raise FileRefused(
                f"{shown} was not taken: {files.MOST_FILES} files are the most for one card. Remove one first."
            )
        upload = self._store.files.add(
            request.id,
            request.conversation_id,
            data,
            name=files.distinct_name(shown, {one.name for one in there}) if asked["multiple"] else shown,
            type=files.type_of(shown, data),
            is_text=not data or text_of(data) is not None,
        )
        try:
            # Writing took a while; whoever answered meanwhile did so without this file.
            self._open(request_id)
        except FileRefused:
            self._store.files.drop(upload.id)
            raise
        for one in () if asked["multiple"] else there:
            self._store.files.drop(one.id)
        self.sweep()
        return _row(upload)

    def drop(self, request_id: str, file_id: str) -> None:
        """Take a file back from a card that waits; it is fine if it isn't there.

        Raises:
            FileRefused: the card was answered, and its files are part of the answer.
        """
        with self._store.transaction():
            self._open(request_id)
            upload = self._store.files.get(file_id)
            if upload is not None and upload.request_id == request_id:
                self._store.files.drop(file_id)
        self.sweep()

    def sweep(self) -> None:
        """Remove what nobody uses any more; what can't be removed now is tried again the next time."""
        try:
            self._store.files.sweep()
        except StoreError as error:
            logger.warning("files that nobody uses were left: %s", error)

    def rows(self, request: Request) -> tuple[FileRow, ...]:
        """List the files that were given to a request."""
        if request.tool != files.REQUEST_FILES or request.kind != "question":
            return ()
        return tuple(map(_row, self._store.files.of_request(request.id)))

    def _open(self, request_id: str) -> tuple[Request, Mapping[str, Any]]:
        request = self._store.requests.get(request_id)
        asked = request.metadata.get("asked") if request is not None else None
        if request is None or asked is None or request.tool != files.REQUEST_FILES:
            raise FileRefused("This card takes no files.")
        if request.status == "decided" or self._store.held.get(request_id) is not None:
            raise FileRefused("This card was answered already; its files can't be changed any more.")
        return request, asked


def checked_files(store: Store, request: Request, value: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in what is known of the files of an answer: only those given to this very request may be in it.

    Raises:
        BadAnswer: one of them is none of its files.
    """
    there = {row.id: row for row in Uploads(store).rows(request)}
    named = [there.get(one["id"]) for one in value["files"]]
    if None in named:
        missing = "has a file that is not there any more."
        raise BadAnswer(f"this answer {missing} Give it again.", {"files": missing})
    return {
        "files": [
            {"id": row.id, "name": row.name, "type": row.type, "size": row.size, "sha256": row.sha256}
            for row in named
            if row is not None
        ]
    }


def given_files(store: Store, value: Mapping[str, Any]) -> list[GivenFile]:
    """Return the files of an answer with their content."""
    return [
        GivenFile(one["name"], one["type"], one["size"], store.files.read(one["sha256"]))
        for one in value["files"]
    ]


def _row(upload: Upload) -> FileRow:
    return FileRow(
        id=upload.id,
        name=upload.name,
        type=upload.type,
        size=upload.size,
        is_text=upload.is_text,
        sha256=upload.sha256,
    )


def _either(endings: list[str]) -> str:
    return endings[0] if len(endings) == 1 else f"{', '.join(endings[:-1])} or {endings[-1]}"
