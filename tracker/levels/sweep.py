"""A sweep: one Lean text a level, made from a template, each checked once with Lean's profiler on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracker.errors import UsageError
from tracker.lean.failure import Failure
from tracker.lean.lake import Lake
from tracker.lean.messages import declaration_ranges
from tracker.lean.process import Limits
from tracker.lean.profiler import PROFILER_ARGS, declaration_costs
from tracker.lean.scratch import scratch_directory
from tracker.run.recheck import read_outcome


@dataclass(frozen=True)
class Level:
    """What one level cost: seconds and bytes."""

    k: int
    failure: Failure | None
    """The root cause where it did not pass."""
    wall_s: float
    elaboration_s: float
    kernel_s: float
    peak_rss_bytes: int
    slowest: str | None
    """The declaration that took the kernel longest."""


def render(template: Path, k: int) -> str:
    """Return the Lean text of a level. Raises UsageError naming file and line of what is wrong."""
    import jinja2

    environment = jinja2.Environment(  # noqa: S701 - Lean is no HTML
        undefined=jinja2.StrictUndefined, keep_trailing_newline=True, trim_blocks=True
    )
    try:
        return environment.from_string(template.read_text(encoding="utf-8")).render(k=k)
    except jinja2.TemplateSyntaxError as error:
        raise _bad(f"{template}:{error.lineno}: {error.message}") from error
    except (jinja2.UndefinedError, TypeError, ValueError, ArithmeticError) as error:
        raise _bad(f"{template}: for k = {k}: {error}") from error
    except OSError as error:
        raise _bad(f"{template}: {error.strerror or error}") from error


def _bad(message: str) -> UsageError:
    return UsageError(
        "TEMPLATE", message, "a template is Lean text with `{{ k }}` and `{% for i in range(k) %}`"
    )


def sweep(
    lake: Lake, template: Path, levels: Sequence[int], limits: Limits, started: Callable[[int], None]
) -> Iterator[Level]:
    """Yield the cost of each level, in order; the first that does not pass is the last."""
    for k in levels:
        started(k)
        level = _level(lake, render(template, k), k, limits)
        yield level
        if level.failure is not None:
            return


def _level(lake: Lake, text: str, k: int, limits: Limits) -> Level:
    with scratch_directory() as directory:
        file = directory / f"Level{k}.lean"
        file.write_text(text, encoding="utf-8")
        outcome = lake.run_lean(file, ["--json", *PROFILER_ARGS], limits)
    reading = read_outcome(text, outcome)
    costs = declaration_costs(reading.messages, declaration_ranges(text))
    slowest = max(costs, key=lambda c: c.kernel_s, default=None)
    return Level(
        k=k, failure=next(iter(reading.failures), None), wall_s=outcome.wall_s,
        elaboration_s=sum(c.elaboration_s for c in costs), kernel_s=sum(c.kernel_s for c in costs),
        peak_rss_bytes=outcome.peak_rss_bytes, slowest=slowest.declaration if slowest else None,
    )  # fmt: skip
