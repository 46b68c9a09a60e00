"""Which text the editor holds, decided from what Python gave it and what the browser sent back. No Streamlit here."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

# How many accepted revisions back a message of the browser may come from. More than a person can save in the time a
# message takes.
_REMEMBERED = 20


@dataclass(frozen=True)
class Message:
    """A text the browser sent, and the revision it was typed on."""

    revision: int
    text: str


def message_from(value: object) -> Message | None:
    """The message in a value that came from the browser, or None: a page of an older release may send anything."""
    if not isinstance(value, Mapping):
        return None
    revision, text = value.get("revision"), value.get("text")
    if isinstance(revision, int) and isinstance(text, str):
        return Message(revision, text)
    return None


@dataclass(frozen=True)
class Memory:
    """What one editor has been through in this session; it outlives a switch to another page and back."""

    revision: int
    base: str
    """The text that came with the revision."""
    current: str
    """The text in the editor, as far as it was sent."""
    saved: str | None = None
    """The last text the person saved, until a new revision answers it."""
    continues: tuple[int, ...] = ()
    """Earlier revisions whose typing goes on in this one, because it accepted what was typed in them."""

    def belongs(self, message: Message) -> bool:
        """Whether the message was typed on this revision or on one that this one continues."""
        return message.revision == self.revision or message.revision in self.continues


@dataclass(frozen=True)
class Step:
    """The outcome of one run of the script."""

    memory: Memory
    text: str
    """The text to work with in this run: the saved one if the person just saved, else the current one."""
    saved: bool


def follow(
    memory: Memory | None, *, text: str, revision: int, edit: Message | None, save: Message | None
) -> Step:
    """Take one step: first what the browser sent, then what Python asks for.

    A new revision normally replaces what is in the editor. But when it brings exactly what the person typed or saved
    (it was *accepted*), it continues the old one: keys pressed since then are kept. Messages typed on a revision that
    was replaced are ignored, however late they arrive.
    """
    if memory is None:
        memory = Memory(revision=revision, base=text, current=text)

    saving = save is not None and memory.belongs(save)
    if save is not None and saving:
        # A save of the unchanged text asks for nothing, so no later revision can be its answer.
        memory = replace(memory, current=save.text, saved=save.text if save.text != memory.base else None)
    if edit is not None and memory.belongs(edit):
        memory = replace(memory, current=edit.text)

    if revision != memory.revision:
        accepted = text in (memory.current, memory.saved)
        memory = Memory(
            revision=revision,
            base=text,
            current=memory.current if accepted else text,
            continues=(*memory.continues, memory.revision)[-_REMEMBERED:] if accepted else (),
        )
        # Whoever passes a new revision has already dealt with what was saved on the old one.
        saving = False

    if save is not None and saving:
        return Step(memory, text=save.text, saved=True)
    return Step(memory, text=memory.current, saved=False)
