"""What is wrong with a catalogue, as values: found all at once, sorted, printable, JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from tracker.catalogue.codes import CODES
from tracker.catalogue.model import Source
from tracker.text import show_text


class Severity(IntEnum):
    """How bad it is. Only errors keep a catalogue from being used."""

    ERROR = 0
    WARNING = 1
    INFO = 2

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: its code (see `codes.CODES`), what is wrong, how to cure it, and where it is."""

    code: str
    severity: Severity
    message: str
    hint: str | None
    source: Source

    def __str__(self) -> str:
        text = f"{self.source}: {self.severity}[{self.code}]: {self.message}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text

    def to_json(self) -> dict[str, object]:
        """Return the finding as JSON data; line and column count from 1."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "message": self.message,
            "hint": self.hint,
            "file": self.source.file,
            "line": self.source.line,
            "column": self.source.column,
        }


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the findings by place, then severity, code and message; the same ones always alike."""
    return tuple(sorted(set(diagnostics), key=lambda d: (d.source, d.severity, d.code, d.message)))


class Report:
    """Collects findings while a catalogue is read."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.errors = 0

    def add(self, code: str, source: Source, message: str, hint: str | None = None) -> None:
        """Record a finding; its severity is the one that the code's rule has. Texts may quote anything."""
        severity = Severity[CODES[code].severity.upper()]
        self.errors += severity is Severity.ERROR
        hint = None if hint is None else show_text(hint)
        self.diagnostics.append(Diagnostic(code, severity, show_text(message), hint, source))
