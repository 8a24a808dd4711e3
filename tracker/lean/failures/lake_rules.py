"""Rules for texts of Lake, elan, git, shells and CI runners, tried before Lean's on a log's own lines."""

from __future__ import annotations

import re
from functools import cache

from tracker.lean.failures.rules import Table, compiled

LAKE = r"""
import-cycle      lake  -         …(?:build cycle detected|module imports itself|library dependency cycle)
import-cycle      lake  -         …import cycle
bad-import        lake  -         …\bbad imports?\b
bad-import        lake  no_such_module  '[^'\n]+': no such file or directory
bad-import        lake  no_such_module  no such file or directory…\n\s+file: …\.lean\s*\Z
lake-config       lake  manifest  …(?:missing manifest|manifest out of date|incompatible manifest)
lake-config       lake  manifest  …could not (?:parse|read) manifest
lake-config       lake  target    unknown (?:target|module|package|executable|script|facet|configuration)\b
lake-config       lake  target    unknown (?:module source path|library facet|module facet)
lake-config       lake  target    …is not a build target|package <w> has no (?:target|module|executable)
lake-config       lake  target    invalid (?:target|build spec)|ambiguous target
lake-config       lake  usage     too many arguments|missing …argument|unknown (?:long|short) option
lake-config       lake  file      …package configuration has errors
lake-config       lake  file      …no configuration file with a supported extension
lake-config       lake  file      …(?:failed to load (?:configuration|package)|lakefile\.(?:lean|toml):\d+)
dependency-fetch  lake  git       …external command <q>[^`'\n]*\bgit(?:\.exe)?<q> exited
dependency-fetch  lake  git       …(?:could not resolve 'HEAD'|revision not found|cannot find revision)
dependency-fetch  lake  git       fatal: (?:unable to|could not|repository|not a git|couldn't|remote error)
dependency-fetch  lake  network   …(?:Could not resolve host|curl: \(\d+\)|failed to fetch)
dependency-fetch  lake  download  …external command <q>[^`'\n]*\b(?:curl|tar|leantar)(?:\.exe)?<q> exited
toolchain-missing environment  download       …(?:could not download|error during download)
toolchain-missing environment  download       …binary package was not provided
toolchain-missing environment  not_installed  …toolchain '[^'\n]+' is not installed
toolchain-missing environment  not_installed  …(?:does not have the binary|no default toolchain configured)
toolchain-missing environment  not_installed  …(?:invalid toolchain name|could not detect a Lean)
toolchain-missing environment  not_installed  …failed to execute 'lean'
toolchain-missing environment  other_commit   …expected Lean commit
toolchain-missing environment  command_not_found  …\b(?:lake|lean|elan)<q>?: (?:command )?not found
toolchain-missing environment  command_not_found  …\b(?:lake|lean|elan)(?:\.exe)?<q>? is not recognized
wall-timeout      environment  CI_job     …has exceeded the maximum execution time
interrupted       environment  CI_runner  …(?:runner has received a shutdown signal|lost communication)
interrupted       environment  CI_runner  …The operation was cancell?ed
external-command  lake  {program}  external command <q>(?:[^`'\n]*[/\\])?(?P<program>[^`'\n/\\]+)<q> exited
external-command  lake  {program}  failed to execute <q>(?P<program>[^`'\n]+)<q>
"""

SHELL = r"""
killed            environment  SIGKILL  …\bline \d+: +\d+ Killed
crash             runtime      SIGSEGV  …\bline \d+: +\d+ Segmentation fault
crash             runtime      SIGABRT  …\bline \d+: +\d+ Aborted
"""


@cache
def rules() -> Table:
    """Return the rules for Lake's texts, in order."""
    return compiled(LAKE, any_line=True)


@cache
def shell_rules() -> Table:
    """Return the rules for a shell's note about a signal, which knows no reason: to be tried last."""
    return compiled(SHELL, any_line=True)


@cache
def _exit_echo() -> re.Pattern[str]:
    return re.compile(
        r"\A(?:error: )?(?:Lean exited with code (?P<lean>-?\d+)|"
        r"external command [`'](?:[^`'\n]*[/\\])?lean(?:\.exe)?[`'] exited with code (?P<old>-?\d+))\s*\Z"
    )


def exit_code_in(text: str) -> int | None:
    """Return N of `Lean exited with code N`, in the words of every Lake, or None."""
    found = _exit_echo().match(text)
    return int(found["lean"] or found["old"]) if found else None


def is_exit_echo(text: str) -> bool:
    """Whether Lake only repeats Lean's exit code, or ends with its `build failed`."""
    return exit_code_in(text) is not None or text.strip() in ("build failed", "error: build failed")
