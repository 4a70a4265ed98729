"""Exceptions."""


class FatalError(Exception):
    """A call that the interface does not allow."""


class UnexpectedError(Exception):
    """Exists for scripts that catch it; Saltus does not raise it."""
