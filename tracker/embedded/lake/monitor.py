"""What is shown of a build: headlines, logs, the last lines (Lake's `Build/Run`)."""

from __future__ import annotations

from tracker.embedded.lake.job import FETCH, UNKNOWN, Job
from tracker.embedded.lake.log import COLORS, ICONS, OK_COLOR, TRACE, WARNING, Stream, chalk
from tracker.embedded.lake.options import VERBOSE, Options

_SPINNER = "⣾⣷⣯⣟⡿⢿⣻⣽"
_RESET_LINE = "\x1b[2K\r"


class Monitor:
    """Counts finished jobs and prints those worth it."""

    __slots__ = (
        "_frame", "_options", "_reset", "_stream", "clean", "failures", "finished", "total", "wants_rebuild",
        "warned",
    )  # fmt: skip

    def __init__(self, stream: Stream, options: Options) -> None:
        self._stream = stream
        self._options = options
        self._frame = 0
        self._reset = ""
        self.total = 0
        self.finished = 0
        self.failures: list[str] = []
        self.wants_rebuild = False
        self.clean = 0
        self.warned = 0

    @property
    def animated(self) -> bool:
        """Whether a line with the running job is kept up to date."""
        return self._stream.ansi and self._options.show_progress

    def report(self, job: Job) -> None:
        """Count a finished job; print it when it failed, has something to say, or did something."""
        options, level = self._options, job.level()
        failed = bool(job.log) and level >= options.fail_level
        self.wants_rebuild |= job.wants_rebuild
        if failed:
            self.failures.append(job.caption)
        elif job.action >= FETCH:
            warned = level >= WARNING
            self.warned += warned
            self.clean += not warned
        verbose = options.verbosity == VERBOSE
        has_output = failed or (bool(job.log) and level >= options.out_level)
        least = UNKNOWN if verbose else FETCH
        if has_output or (options.show_progress and not self._stream.ansi and job.action >= least):
            icon = ICONS[level] if has_output else "✔"
            timed = job.milliseconds > 0 and (verbose or not self._stream.ansi)
            line = f"{icon} [{self.finished}/{self.total}] {job.verb(failed)} {job.caption}"
            if timed:
                line += f" ({format_time(job.milliseconds)})"
            if self._stream.ansi:
                line = chalk(COLORS[level] if has_output else OK_COLOR, line)
            self._stream.write(f"{self._reset}{line}\n")
            self._reset = ""
            if has_output:
                self._stream.log(job.log, TRACE if failed else options.out_level)
        self.finished += 1

    def progress(self, running: list[str]) -> None:
        """Show the job that started last, on a terminal."""
        if not self.animated or not running:
            return
        icon = _SPINNER[self._frame % len(_SPINNER)]
        self._frame += 1
        text = f"{icon} [{self.finished}/{self.total}] Running {running[-1]} (+ {len(running) - 1} more)"
        self._stream.write(self._reset + text)
        self._reset = _RESET_LINE

    def clear(self) -> None:
        """Remove the line of the running job."""
        self._stream.write(self._reset)
        self._reset = ""

    def footer(self, show_success: bool) -> None:
        """Print how the build ended."""
        if self._options.summary:
            self._summary()
        elif self.failures:
            lines = "".join([f"- {caption}\n" for caption in self.failures])
            self._stream.write("Some required targets logged failures:\n" + lines)
        elif show_success and self._options.show_progress:
            self._stream.write(self._success() + "\n")

    def _success(self) -> str:
        if self.total == 0:
            return "Nothing to build."
        jobs = "1 job" if self.total == 1 else f"{self.total} jobs"
        if self._options.no_build:
            return f"All targets up-to-date ({jobs})."
        return f"Build completed successfully ({jobs})."

    def _summary(self) -> None:
        lines = ["Build summary:"]
        for icon, count, what in (
            ("✔", self.clean, "succeeded"),
            ("⚠", self.warned, "succeeded with warnings"),
            ("✖", len(self.failures), "failed"),
        ):
            if count:
                lines.append(f"  {icon} {count} {'job' if count == 1 else 'jobs'} {what}")
        lines += [f"    {caption}" for caption in self.failures]
        if len(lines) == 1:
            done = f"  All targets up-to-date ({self.total} jobs)."
            lines.append(done if self._options.no_build else "  No jobs.")
        self._stream.write("\n".join(lines) + "\n")


def format_time(milliseconds: int) -> str:
    """Return a time as Lake prints it; the tenth is rounded without carry, so 1960 ms are `1.0s`."""
    if milliseconds > 10000:
        return f"{milliseconds // 1000}s"
    if milliseconds > 1000:
        return f"{milliseconds // 1000}.{(milliseconds + 50) // 100 % 10}s"
    return f"{milliseconds}ms"
