"""What each failure class means and what others found to help: the texts of `tracker explain CLASS`."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tracker.lean.failures.model import FailureClass
from tracker.text import wrapped


@dataclass(frozen=True, slots=True)
class Explanation:
    """One class in full. `others` is what others found, with its `sources`; never a promise."""

    code: str
    title: str
    says: tuple[str, ...]
    causes: str
    others: str
    sources: tuple[str, ...]

    @property
    def source(self) -> str:
        """Where the advice comes from, in one line."""
        return ", ".join("measured with Lean 4.35.0" if s == "measured" else s for s in self.sources)

    def text(self) -> str:
        """Return the explanation as plain text, wrapped."""
        said = "\n".join(f"    {line}" for line in self.says)
        return "\n\n".join(
            [
                wrapped(f"failed:{self.code}: {self.title}"),
                f"What is said:\n{said}",
                wrapped(self.causes),
                wrapped(f"What others found: {self.others}"),
                wrapped(f"Sources: {self.source}"),
            ]
        )

    def markdown(self) -> str:
        """Return the explanation as a section of Markdown."""
        said = "\n".join(self.says)
        return (
            f"## `{self.code}`: {self.title}\n\n```text\n{said}\n```\n\n{self.causes}\n\n"
            f"**What others found.** {self.others}\n\n*Sources: {self.source}.*\n"
        )


@cache
def explanations() -> Mapping[str, Explanation]:
    """Return the explanation of every failure class, by class, in the order to be listed."""
    data = tomllib.loads(files(__package__).joinpath("explain.toml").read_text(encoding="utf-8"))
    return {
        code: Explanation(
            FailureClass(code),
            entry["title"],
            tuple(entry["says"]),
            entry["causes"],
            entry["others"],
            tuple(entry["sources"]),
        )
        for code, entry in data.items()
    }


def advice(cls: str) -> str:
    """Return what others found to help with failures of this class, with its source, in one paragraph."""
    entry = explanations().get(cls)
    return f"What others found: {entry.others} (Sources: {entry.source}.)" if entry else ""


def markdown() -> str:
    """Return docs/failures.md: all classes, with the messages they come from."""
    head = files(__package__).joinpath("explain.md").read_text(encoding="utf-8")
    return "\n".join([head, *(entry.markdown() for entry in explanations().values())])


if __name__ == "__main__":
    sys.stdout.write(markdown())
