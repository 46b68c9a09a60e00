"""What stands on the cards of client tools: data sources, files, and forms that a folder declares."""

from workbench.ui.words.times import count

WHICH_DATA = "Which data may the agent use?"
WHICH_FILE = "Which file may the agent read?"
WHICH_FILES = "Which files may the agent read?"
NONE_FITS = "None of these"
NONE_FITS_HELP = "The agent reads that nothing on this list is what it needs."
CHOOSE_DATA = "Type to search"
REMARK = "In your own words (optional)"
CHOOSE_FIRST = "Choose an answer first."
FILE_FIRST = "Add a file first."
TAKE_BACK = "Remove"
IS_EMPTY = "Empty: there is nothing to read in it."
NOT_TEXT = "Not text: the agent reads its name, type and size only."
FILES_SHARED = "The agent reads what you give: names, sizes, and the text of text files."


def about_data(description: str, kind: str) -> str:
    """What a data source is."""
    return " · ".join(part for part in (description, kind) if part)


def reads(where: str) -> str:
    """What choosing a data source tells the agent."""
    return f"The agent reads: {where}"


def add_files(several: bool, endings: tuple[str, ...], megabytes: int) -> str:
    """Over the field that takes files."""
    what = "Add files" if several else "Add a file"
    kinds = f" ending in {_either(endings)}" if endings else ""
    return f"{what}{kinds} (at most {megabytes} MB{' each' if several else ''})"


def no_more_files(most: int) -> str:
    """In place of the field, once there are enough."""
    return f"{most} files are the most for one card. Remove one to add another."


def file_line(kind: str, size: int) -> str:
    """What is known of a file beside its name."""
    return f"{kind} · {file_size(size)}"


def take_back(name: str) -> str:
    """Takes a file off the card again."""
    return f"{TAKE_BACK} {name}"


def file_size(size: int) -> str:
    """Bytes as people read them."""
    if size < 1024:
        return count(size, "byte", "bytes")
    if size < 1024 * 1024:
        return f"{size / 1024:,.1f} KB"
    return f"{size / 1024 / 1024:,.1f} MB"


def _either(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
