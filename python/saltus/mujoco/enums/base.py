"""What all enumerations have in common."""

from enum import Enum, IntEnum


class Number(IntEnum):
    """A number with a name: it prints as the name and is a plain number in arithmetic."""

    __str__ = Enum.__str__

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else str(self)
