"""Everything that the commands start from: settings, catalogue, project, toolchain, evidence, verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, overload

from tracker.budgets import with_budgets
from tracker.catalogue.load import load_catalogue
from tracker.catalogue.model import Catalogue
from tracker.config import Settings
from tracker.errors import CatalogueError
from tracker.evidence import Evidence, Run
from tracker.lean.project import Project, load_project
from tracker.lean.toolchain import Toolchain
from tracker.locks import Lock, read_lock
from tracker.run.fingerprint import fingerprints
from tracker.store.history import History, open_history
from tracker.toolchains import choose_toolchain
from tracker.verdict import Verdict, verdicts


@dataclass
class Workspace:
    """One project with its catalogue. Parts are loaded when they are first asked for."""

    settings: Settings
    on_progress: Callable[[str], None] | None = None

    @cached_property
    def catalogue(self) -> Catalogue:
        """The catalogue, each obligation with the budget that holds for it.

        Raises CatalogueError with all diagnostics when it has errors.
        """
        places = self.settings.catalogue
        if not any(place.exists() for place in places):
            where = ", ".join(map(str, places))
            hint = "`tracker init` writes a first one; or name it by --catalogue or in tracker.toml"
            raise CatalogueError("no-catalogue", f"there is no catalogue at {where}", hint)
        result = load_catalogue(places)
        if result.catalogue is None:
            raise CatalogueError(
                "CATALOGUE",
                "the catalogue has errors",
                "`tracker check` lists them; `tracker explain CODE` explains each",
                lines=(line for d in result.diagnostics for line in str(d).split("\n")),
            )
        return with_budgets(result.catalogue, self.settings.budgets)

    @cached_property
    def project(self) -> Project:
        """The Lake project. Raises ProjectError."""
        return load_project(self.settings.project)

    @cached_property
    def toolchain(self) -> Toolchain:
        """The toolchain. Raises LeanError when none can be had."""
        return choose_toolchain(self.settings, on_progress=self.on_progress)

    @cached_property
    def lock(self) -> Lock:
        """The locked statements. Raises UsageError when the file is garbage."""
        return read_lock(self.settings.lock)

    @cached_property
    def fingerprints(self) -> Mapping[str, str]:
        """The present fingerprint of each module that can be checked."""
        return fingerprints(self.project, self.toolchain)

    @overload
    def open_history(self, *, write: Literal[True]) -> History: ...

    @overload
    def open_history(self, *, write: bool) -> History | None: ...

    def open_history(self, *, write: bool) -> History | None:
        """Return the store; None when there is none and it is only to be read. Raises StoreError."""
        return open_history(self.settings.state, write=write)

    def read_evidence(self) -> tuple[Evidence, Run | None]:
        """Return the evidence and the newest run; no evidence at all when there is no store."""
        history = self.open_history(write=False)
        if history is None:
            return Evidence(self.fingerprints, {}, {}), None
        try:
            return history.evidence(self.fingerprints), history.newest_run()
        finally:
            history.close()

    def verdicts(self, evidence: Evidence) -> Mapping[str, Verdict]:
        """Return the verdict on every obligation."""
        return verdicts(self.catalogue, self.project, evidence, self.lock)
