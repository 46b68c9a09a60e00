"""The store: one SQLite file, everything that is kept in it, and the files that people gave beside it."""

from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from workbench.store.checkpoints import Checkpoints
from workbench.store.clock import Clock, utc_now
from workbench.store.configs import Configs
from workbench.store.conversations import Conversations
from workbench.store.database import Database
from workbench.store.decisions import Decisions
from workbench.store.drafts import Drafts
from workbench.store.events import Events
from workbench.store.files import Files
from workbench.store.grants import Grants
from workbench.store.held import Held
from workbench.store.journal import Journal
from workbench.store.leases import Leases
from workbench.store.messages import Messages
from workbench.store.opening import prepare
from workbench.store.requests import Requests
from workbench.store.runs import Runs
from workbench.store.seats import Seats
from workbench.store.settings import Settings
from workbench.store.transfer import Transfer


class Store:
    """Everything that is kept, in one file. Safe to use from any thread; several processes may open one file.

    Every method joins the transaction its thread is in, or makes its own. Methods raise StoreError with a sentence
    for a person: a DatabaseProblem when the file or the disk is at fault.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self.configs = Configs(db)
        self.conversations = Conversations(db)
        self.leases = Leases(db)
        self.runs = Runs(db, self.leases)
        self.events = Events(db)
        self.messages = Messages(db)
        self.seats = Seats(db)
        self.checkpoints = Checkpoints(db)
        self.requests = Requests(db)
        self.held = Held(db)
        self.files = Files(db)
        self.grants = Grants(db)
        self.journal = Journal(db, self.grants)
        self.decisions = Decisions(db)
        self.drafts = Drafts(db)
        self.settings = Settings(db)
        self.transfer = Transfer(db)

    @classmethod
    def open(cls, path: str | Path, *, clock: Clock = utc_now, busy_seconds: float = 5.0) -> Self:
        """Open the file at `path`, creating or upgrading it.

        `clock` says what time it is; `busy_seconds` is how long to wait for another writer. Raises NotADatabase,
        NewerDatabase, ReadOnlyDatabase, FolderMissing, PathIsAFolder, DatabaseLocked or another DatabaseProblem,
        and leaves a file it refuses as it was.
        """
        file = Path(path).absolute()
        prepare(file, busy_seconds)
        return cls(Database(file, clock, busy_seconds))

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self._db.path

    def now(self) -> datetime:
        """What time it is, by the store's clock."""
        return self._db.clock()

    def transaction(self, durable: bool = False) -> AbstractContextManager[object]:
        """Make everything in the block one transaction of this thread; see `Database.transaction`.

        `durable` waits for the disk. What decides or starts something is always durable, so a block around it must be
        too. No `await` inside.
        """
        return self._db.transaction(durable)

    def close(self) -> None:
        """Close the file; what is running in other threads ends with StoreClosed."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
