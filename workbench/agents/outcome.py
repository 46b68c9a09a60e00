"""A call that was sent and never answered."""


class OutcomeUnknown(Exception):
    """The call was sent, and what became of it is not known: it may have happened.

    A tool puts it into its result event's `exception`, beside an error result that says so to the model. Whoever
    journals the call can then leave it in doubt instead of calling it finished.
    """
