"""From what Lake and its `lean` processes did to the records of module checks."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from tracker.evidence import Cost, ModuleCheck, median_cost
from tracker.lean.arguments import options_of
from tracker.lean.failure import Failure, FailureClass, classify_check, classify_message, classify_text
from tracker.lean.failures.trust import kernel_skips, option_skips
from tracker.lean.lake import LakeBuild
from tracker.lean.log.source import DeclarationRange
from tracker.lean.messages import Message, RawLine, attribute, declaration_ranges, read_messages
from tracker.lean.process import Limits
from tracker.lean.project import Project
from tracker.lean.records import LeanRecord
from tracker.run.artifacts import olean_digest, read_source

_KEPT_CHARACTERS = 200_000
_KEPT_OF_MESSAGES = 4_000_000
_KEPT_OF_ONE = 400
# Lean's runtime: `lean_panic_fn` prints `PANIC at DECL FILE:LINE:COL: TEXT`, `lean_internal_panic` the other.
_PANIC = re.compile(r"(?:INTERNAL )?PANIC(?: at \S|:)")


def checks_of(
    targets: Sequence[str],
    build: LakeBuild,
    project: Project,
    fingerprints: Mapping[str, str],
    limits: Limits,
    earlier: Mapping[str, Failure] = MappingProxyType({}),
) -> Iterator[ModuleCheck]:
    """Yield the record of every module of the project that the build checked, in the order of their ends.

    `targets` are what the build was for: how it ended is how they ended. `earlier` maps modules and
    declarations that failed before to their failure; it may grow while this goes on.
    """
    records = {record.module: record for record in build.records if record.module in fingerprints}
    for name, record in records.items():
        own = name in targets
        yield _recorded(name, record, build, project, fingerprints[name], limits, earlier, own=own)


def check_of(
    record: LeanRecord,
    project: Project,
    fingerprint: str,
    limits: Limits,
    earlier: Mapping[str, Failure] = MappingProxyType({}),
) -> ModuleCheck:
    """Return the check that one `lean` made while the build that it belongs to goes on."""
    return _recorded(record.module, record, None, project, fingerprint, limits, earlier, own=False)


def objections(
    build: LakeBuild, project: Project, fingerprints: Mapping[str, str], limits: Limits
) -> Iterator[ModuleCheck]:
    """Yield the failed check of each module that Lake calls failed although its `lean` ended well."""
    if build.outcome.exit_code == 0:
        return
    records = {record.module: record for record in build.records if record.exit_code == 0}
    for job in build.log.modules.troubled():
        record = records.get(job.module)
        if record is not None and job.module in fingerprints and any(e.level == "error" for e in job.entries):
            print_ = fingerprints[job.module]
            yield _recorded(job.module, record, build, project, print_, limits, {}, own=True)


def repeated(checks: Sequence[ModuleCheck]) -> ModuleCheck:
    """Return one check for several of one module: the medians of their costs, or the last if it failed.

    After a failure nothing is repeated, and the `.olean` of those before is gone.
    """
    failed = next((check for check in reversed(checks) if not check.passed), None)
    costs = [check.cost for check in checks if check.cost is not None]
    if failed is not None or len(costs) < 2:
        return failed or checks[0]
    return replace(checks[0], cost=median_cost(costs), repeats=tuple(costs))


def given_options(project: Project, module: str) -> Mapping[str, str]:
    """Return the options that the lakefile gives to `lean` for a module: a target's go before its package's.

    Of `moreLeanArgs` and `weakLeanArgs` those that set an option count.
    """
    lakefile = project.lakefile
    name = project.modules[module].lib
    configs = [t.config for t in lakefile.libs if t.name == name]
    configs += [t.config for t in lakefile.exes if t.name == name]
    config = lakefile.config + configs[0] if configs else lakefile.config
    found = {option.removeprefix("weak."): _option_text(value) for option, value in config.lean_options}
    return found | dict(options_of((*config.weak_lean_args, *config.more_lean_args)))


def _option_text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _recorded(
    module: str, record: LeanRecord, build: LakeBuild | None, project: Project, fingerprint: str,
    limits: Limits, earlier: Mapping[str, Failure], *, own: bool,
) -> ModuleCheck:  # fmt: skip
    source = read_source(project, module)
    ranges = declaration_ranges(source)
    entries = list(read_messages(io.BytesIO(record.stdout)))
    # Lake names the file by its absolute path; evidence does not mind where the project lies.
    path = project.modules[module].path
    messages = attribute([replace(e, file=path) for e in entries if isinstance(e, Message)], ranges)
    raw = [e for e in entries if isinstance(e, RawLine)]
    limit = record.limit
    if limit is None and build is not None and (own or record.signal is not None):
        limit = build.outcome.limit
    stderr = record.stderr.decode("utf-8", "replace")
    digest = olean_digest(project, module)
    failures = classify_check(
        [*messages, *raw], stderr, record.exit_code, record.signal, limit,
        options=given_options(project, module), declarations=ranges, earlier=earlier,
    )  # fmt: skip
    failures = (
        *failures,
        *_panics(failures, [*messages, *raw], stderr),
        *_without_kernel(project, module, source, ranges),
    )
    if not failures and own and build is not None and build.outcome.exit_code != 0:
        failures = (_lake_disagrees(build, module),)
    if not failures and digest is None:
        text = "Lean ended well, yet there is no .olean: the module counts as not checked"
        failures = (Failure(FailureClass.INCONSISTENT_EXIT, "lake", text),)
    messages = _clipped(messages)
    return ModuleCheck(
        module=module, fingerprint=fingerprint, passed=not failures, started_at=record.started_at,
        cost=_cost(record), exit_code=record.exit_code, signal=record.signal, limit=limit,
        wall_limit_s=limits.wall_s, memory_limit_bytes=limits.memory_bytes,
        olean_digest=digest if not failures else None, messages=tuple(messages), failures=tuple(failures),
        curve=record.curve, lake_output=_lake_output(build) if build else "",
        stderr=stderr[-_KEPT_CHARACTERS:],
    )  # fmt: skip


def _panics(found: Sequence[Failure], entries: Sequence[Message | RawLine], stderr: str) -> Iterator[Failure]:
    """Yield a failure where Lean panicked and went on as if nothing was: what it made may be anything."""
    if not any(failure.cls is FailureClass.PANIC for failure in found):
        # Lean also captures what is said on its standard error while it elaborates, as a message.
        for entry in entries:
            if _PANIC.match(entry.text):
                yield classify_message(entry) if isinstance(entry, Message) else classify_text(entry.text)
                return
        if line := next(filter(_PANIC.match, stderr.splitlines()), None):
            yield classify_text(line)


def _clipped(messages: list[Message]) -> list[Message]:
    """Return the messages; after the first millions of characters only the start of each."""
    kept, room = [], _KEPT_OF_MESSAGES
    for message in messages:
        room -= len(message.text)
        if room < 0 and len(message.text) > _KEPT_OF_ONE:
            rest = f" … ({len(message.text) - _KEPT_OF_ONE} characters left out)"
            message = replace(message, text=message.text[:_KEPT_OF_ONE] + rest)  # noqa: PLW2901
        kept.append(message)
    return kept


def _without_kernel(
    project: Project, module: str, source: str, ranges: list[DeclarationRange]
) -> Iterator[Failure]:
    """Yield a failure where source or lakefile take the kernel out of the check; Lean is silent then."""
    lakefile = Path(project.lakefile.path)
    given = " ".join(given_options(project, module))  # as read: a text may be written with escapes
    yield from option_skips(lakefile.read_text("utf-8", errors="replace") + given, lakefile.name)
    others = (read_source(project, name) for name in project.closure(module))
    yield from kernel_skips(source, project.modules[module].path, ranges, others)


def unrecorded(
    module: str,
    build: LakeBuild,
    fingerprint: str,
    limits: Limits,
    earlier: Mapping[str, Failure] = MappingProxyType({}),
) -> ModuleCheck:
    """Return the failed check of a module that the build was for, and ran no `lean` on.

    Silence proves nothing. `earlier` is as in `checks_of`.
    """
    outcome = build.outcome
    output = _lake_output(build)
    failures: tuple[Failure, ...] = ()
    # A `lean` that Lake saw end leaves a record, unless its watcher was killed before it could write one.
    watcher_died = build.lost or (not build.records and "exited with code" in output)
    if watcher_died and not outcome.limit:
        text = f"no record of `lean` on {module}: its watcher was killed, or had no room for temporary files"
        failures = (Failure(FailureClass.KILLED, "runtime", text),)
    elif outcome.exit_code != 0 or outcome.limit:
        failures = classify_check(
            (), "", outcome.exit_code, outcome.signal, outcome.limit,
            lake=_lake_errors(build, module), earlier=earlier,
        )  # fmt: skip
    if not failures:
        text = f"Lake ended with exit code {outcome.exit_code}, yet ran no `lean` on {module}"
        failures = (Failure(FailureClass.INCONSISTENT_EXIT, "lake", f"{text}\n{output}".strip()),)
    return ModuleCheck(
        module=module, fingerprint=fingerprint, passed=False, started_at=time.time() - outcome.wall_s,
        cost=None, exit_code=outcome.exit_code, signal=outcome.signal, limit=outcome.limit,
        wall_limit_s=limits.wall_s, memory_limit_bytes=limits.memory_bytes, olean_digest=None,
        messages=(), failures=failures, curve=(), lake_output=output, stderr="",
    )  # fmt: skip


def _lake_disagrees(build: LakeBuild, module: str) -> Failure:
    """Return the failure of a build that Lake calls failed although its `lean` ended well."""
    texts = _lake_errors(build, module)
    said = "\n".join(texts) or f"Lake ended with exit code {build.outcome.exit_code}"
    return classify_text(said, lake=True)


def _lake_errors(build: LakeBuild, module: str) -> list[str]:
    """Return what Lake itself says is wrong: with `module` if anything, else with whatever it stands for."""
    log = build.log
    own = [entry for job in log.modules if job.module == module for entry in job.entries]
    others = [entry for job in log.modules if job.module != module for entry in job.entries]
    for entries in (own, log.loose, others):
        texts = [entry.text for entry in entries if entry.level == "error" and entry.text != "build failed"]
        if texts:
            return texts
    return []


def _lake_output(build: LakeBuild) -> str:
    text = build.outcome.stdout.decode("utf-8", "replace") + build.outcome.stderr.decode("utf-8", "replace")
    return text[-_KEPT_CHARACTERS:]


def _cost(record: LeanRecord) -> Cost:
    anonymous = [reading.anon_bytes for reading in record.curve if reading.anon_bytes is not None]
    return Cost(
        wall_s=record.wall_s, user_s=record.user_s, system_s=record.system_s,
        peak_rss_bytes=record.peak_rss_bytes, peak_anon_bytes=max(anonymous, default=None),
        minor_faults=record.minor_faults, major_faults=record.major_faults, instructions=record.instructions,
    )  # fmt: skip
