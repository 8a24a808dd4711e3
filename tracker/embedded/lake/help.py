"""What `lake --help` says."""

from __future__ import annotations

_USAGE = """\
Lake of the embedded Lean toolchain: a small stand-in for machines without elan

USAGE:
  lake [OPTIONS] <COMMAND>

COMMANDS:
  build <targets>...    build targets, the default ones if none is named
  check-build           tell by the exit code whether there are default targets
  clean                 remove what was built
  env <cmd> <args>...   run a command in the environment of the build
  lean <file>           build what a file imports and run lean on it
  serve                 start the language server
  setup-file <file>     tell the language server how to read a file
  help <command>        say more about a command

OPTIONS:
  --version             print the version and end
  --help, -h            print this, or the help of a command
  --dir, -d=path        the package to work on, instead of the current directory
  --file, -f=path       its configuration file, instead of lakefile.toml
  --rehash, -H          hash all outputs again, do not believe the .hash files
  --no-build            build nothing; exit with 3 if something is out of date
  --allow-empty         no warning when there is nothing to build
  --quiet, -q           show warnings and errors only
  --verbose, -v         show every job and every command
  --summary             end with a count of the jobs by outcome
  --ansi, --no-ansi     colours and a progress line, or not; by default on terminals
  --log-level=lv        the lowest level shown of jobs that went well
  --fail-level=lv       the lowest level that makes a job fail (default: error)
                        (levels: trace, info, warning, error)
  --wfail, --iofail     short for --fail-level=warning and --fail-level=info

As many modules are built at a time as LEAN_NUM_THREADS says, or as there are
processors. Dependencies, executables and native code need the real Lake."""

_COMMANDS = {
    "build": """\
Build targets

USAGE:
  lake build [<targets>...]

A target is written [@[<package>]/][<target>|[+]<module>][:<facet>], or as the
path of a module's source. Facets are deps, leanArts (default), olean, ilean, c.

EXAMPLES:
  lake build            the default targets of the package
  lake build Proofs     the library Proofs
  lake build +A.B       the module A.B and what it imports
  lake build A/B.lean   the same module, by its source
  lake build +A.B:deps  only what A.B imports
  lake build @/Proofs   the target Proofs of the root package

Exit code 0: all is built; 1: something failed; 3: --no-build, and something
is out of date.""",
    "clean": "Remove the build directory of the package\n\nUSAGE:\n  lake clean [<package>]",
    "check-build": (
        "Exit with 0 if the package has default targets, with 1 if not\n\nUSAGE:\n  lake check-build"
    ),
    "env": """\
Run a command in the environment of the build

USAGE:
  lake env [<cmd>] [<args>...]

Sets LAKE, LAKE_HOME, LEAN, LEAN_GITHASH and LEAN_SYSROOT, and puts the package
and the toolchain on LEAN_PATH, LEAN_SRC_PATH and PATH. Without a command the
variables are printed as NAME=VALUE.

EXAMPLE:
  lake env lean Scratch.lean""",
    "lean": """\
Build what a file imports and run lean on it

USAGE:
  lake lean <file> [-- <args>...]

EXAMPLE:
  lake lean Scratch.lean -- --json""",
    "serve": "Start the Lean language server for the package\n\nUSAGE:\n  lake serve [-- <args>...]",
    "setup-file": (
        "Print how lean is to read a file, as JSON, after building what it imports\n\n"
        "USAGE:\n  lake setup-file <file> [<header>]"
    ),
}


def help_text(command: str) -> str:
    """Return the help of a command, the general help for others."""
    return _COMMANDS.get(command, _USAGE)
