"""The tables that turn a text into a class, one rule a line; the first rule that matches decides.

A line is `class phase where pattern`. `where` narrows the class: fixed words (`_` for a blank), `-` for none,
or the name of a group of the pattern in braces. `…` stands for the rest of a line as far as needed, `<q>`
for any quotation mark Lean has used, `<w>` for what stands between two of them. In tables read with
`any_line` a pattern may hold at the start of any line (limits and crashes come wrapped in other messages), in
the others only at the start of the text, so that words quoted inside a message do not decide. The texts come
from the 4.35.0 binary, the sources of Lake and elan, and public logs of Lean 4.0 to 4.34.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple, get_args

from tracker.lean.failures.model import FailureClass, Phase

KERNEL = r"""
kernel-timeout         kernel  -       \(kernel\) deterministic timeout
kernel-deep-recursion  kernel  -       \(kernel\) deep recursion detected
kernel-memory          kernel  -       \(kernel\) excessive memory consumption detected
interrupted            kernel  -       \(kernel\) interrupted
kernel-nat-size        kernel  -       \(kernel\) the kernel refused\b
kernel-rejects         kernel  {what}  \(kernel\) (?P<what>(?:let-)?declaration type mismatch)
kernel-rejects         kernel  {what}  \(kernel\) (?P<what>declaration has (?:metavariables|free variables))
kernel-rejects         kernel  {what}  \(kernel\) (?P<what>unknown constant|(?:application )?type mismatch)
kernel-rejects         kernel  {what}  \(kernel\) (?P<what>(?:function|type) expected|invalid projection)
kernel-rejects         kernel  {what}  \(kernel\) constant has already been (?P<what>declared)
kernel-rejects         kernel  non_positive_occurrence  \(kernel\) arg #\d+ of <w> has a non positive
kernel-rejects         kernel  -       \(kernel\)\s
kernel-rejects         kernel  decide  Tactic <w> failed…kernel is not able to
"""

LIMITS = r"""
max-rec-depth    elaborator   -     …maximum recursion depth has been reached
heartbeats       elaborator   {at}  …\(deterministic\) timeout at <q>(?P<at>[^`'’"\n]+)<q>
heartbeats       elaborator   -     …\(deterministic\) timeout
too-many-errors  elaborator   -     maximum number of errors \(\d+
stack-overflow   runtime      -     …Stack overflow detected
stack-overflow   runtime      {at}  …deep recursion was detected(?: at <q>(?P<at>[^`'’"\n]+)<q>)?
out-of-memory    runtime      {at}  …excessive memory consumption detected at <q>(?P<at>[^`'’"\n]+)<q>
out-of-memory    runtime      allocation      …(?:std::bad_alloc|out of memory in <w>)
out-of-memory    runtime      allocation      …INTERNAL PANIC: out of memory
out-of-memory    environment  memory_killer   …(?i:out of memory: kill|oom-kill|cgroup out of memory)
thread-limit     environment  -     …failed to create thread
library-load     environment  -     …(?:error loading (?:library|plugin)|symbol lookup error:)
library-load     environment  -     …cannot open shared object file
"""

IMPORTS = r"""
bad-import      environment  object_file_missing  object file '[^'\n]*' of module \S+ does not exist
bad-import      environment  unknown_prefix       unknown (?:module prefix|package) <w>
bad-import      environment  name_clash           import \S+ failed, environment already contains
bad-import      environment  module_system        cannot (?:import non-|use `import all` without )`module`
olean-mismatch  environment  {what}_header  failed to read file <w>, (?P<what>incompatible|invalid) header
olean-mismatch  environment  unreadable  failed to read file '[^'\n]*\.olean[^'\n]*'
olean-mismatch  environment  out_of_date Imports are out of date
lean-usage      environment  -          (?:error: )?invalid -D parameter
lean-usage      environment  -          …(?:unrecognized option|Unknown command line option)
lean-usage      environment  -          Expected exactly one file name
lean-usage      environment  -          input file '[^'\n]*' must be contained in root directory
lean-usage      environment  setup_file (?:error: )?failed to load header from
"""

PARSER = r"""
parse-error  parser  late_import  invalid 'import' command
parse-error  parser  end_of_file  unexpected end of (?:input|file)|unterminated |missing end of
parse-error  parser  tab          tabs are not allowed
parse-error  parser  -            unexpected (?:token|identifier|command|character|backtick|syntax)\b
parse-error  parser  -            expected (?:token\b|<q>)|expected [^\n]{0,60}\Z
parse-error  parser  -            unknown (?:tactic|parser)\b|<input>:\d+:\d+:
parse-error  parser  -            invalid (?:escape sequence|character literal)|missing exponent digits
parse-error  parser  end          (?:Missing|Unexpected) name …after `end`|[Ii]nvalid <q>end<q>
parse-error  parser  not_UTF-8    …(?:non[- ]UTF-8|invalid UTF-8)
"""

ELABORATOR = r"""
unknown-name      elaborator  {what}  [Uu]nknown (?P<what>identifier|constant|namespace|option|attribute)\b
unknown-name      elaborator  {what}  [Uu]nknown (?P<what>free variable|universe level|declaration|field)\b
unknown-name      elaborator  field   [Ii]nvalid (?:field|dotted identifier)\b
unknown-name      elaborator  field   <w> is not a (?:field|constructor|structure)
guard-failed      elaborator  -       …`?#guard(?:_msgs|_expr)?\b|Expression\n…\ndid not evaluate
redeclared        elaborator  -       …<w> has already been declared
instance-missing  elaborator  -       failed to synthesize\b|typeclass instance problem is stuck
termination       elaborator  -       fail(?:ed)? to (?:show|prove|infer) (?:termination|structural)
termination       elaborator  -       …structural recursion (?:can|does )not|…`termination_by`
termination       elaborator  -       [Cc]ould not (?:find a decreasing measure|prove termination)
codegen           elaborator  -       [Ff]ailed to compile|code generator does not support|…IR check failed
codegen           elaborator  -       [Ff]ailed to find LCNF|…consider marking it as <q>noncomputable
codegen           elaborator  -       cannot evaluate |[Cc]ould not find native implementation
tactic-failed     elaborator  {tactic}  (?:[Tt]he )?[Tt]actic <q>(?P<tactic>[^`'’"\n]+)<q> failed
tactic-failed     elaborator  unsolved_goals  (?:error: )?unsolved goals
tactic-failed     elaborator  {tactic}  <q>?(?P<tactic>[a-z_]+[?!]?)<q>? (?:failed|could not)\b
tactic-failed     elaborator  {tactic}  <q>?(?P<tactic>[a-z_]+[?!]?)<q>? made no progress
tactic-failed     elaborator  -       [Nn]o goals to be |[Dd]id not find (?:an occurrence|instance)
tactic-failed     elaborator  -       …motive is not type correct|[Nn]o applicable extensionality
tactic-failed     elaborator  -       [Ff]ailed to (?:rewrite|close|unify|solve|apply|prove)|[Uu]nable to
tactic-failed     elaborator  -       The (?:prover|SAT solver) found |The `[^`\n]+` tactic |Case tag
unresolved-hole   elaborator  -       don't know how to synthesize|[Ff]ailed to infer
type-error        elaborator  {what}  (?i:(?P<what>application type mismatch|type mismatch))
type-error        elaborator  {what}  (?P<what>[Ff]unction expected|[Tt]ype expected)
type-error        elaborator  {what}  (?P<what>Not a definitional equality|[Ee]quality expected)
type-error        elaborator  -       type of theorem <w>|The rfl theorem|…is not definitionally equal
type-error        elaborator  -       [Ii]nvalid\b
type-error        elaborator  -       [Mm]issing cases|[Rr]edundant alternative|[Ff]ields? missing
type-error        elaborator  -       [Tt]oo many|[Nn]ot enough|[Ii]nsufficient number|incorrect number
type-error        elaborator  -       [Aa]mbiguous[ ,]|[Oo]verloaded[ ,]|stuck at solving universe
type-error        elaborator  -       [Nn]umerals are|<w> is not (?:a|an) (?:type|term)
type-error        elaborator  -       The declaration `[^`\n]*` should not be|Constructor field|[Cc]annot lift
type-error        elaborator  -       [Cc]annot coerce|[Cc]ould not unify|…universe level metavariables
external-command  elaborator  -       process '[^'\n]*' exited with code
warning-as-error  elaborator  sorry   declaration uses <q>?sorry
"""

CRASHES = r"""
panic     runtime      {at}      PANIC at (?P<at>\S+)
panic     runtime      internal  INTERNAL PANIC: |…LEAN ASSERTION VIOLATION|…unreachable code has been
crash     runtime      server    …Server process for … crashed
disk-full environment  -         …(?i:no space left on device|disk quota exceeded)
io-error  environment  {what}    …(?P<what>(?i:permission denied|read-only file system))
io-error  environment  {what}    …(?P<what>(?i:too many open files|file name too long|stale file handle))
io-error  environment  {what}    …(?P<what>inappropriate type|failed to write|failed to create file)
io-error  environment  {what}    …(?P<what>(?i:input/output error|device or resource busy))
io-error  environment  no_such_file  …(?i:no such file or directory)
crash     runtime      uncaught_exception  …(?:terminating (?:due to|with) uncaught|terminate called after)
crash     runtime      uncaught_exception  uncaught exception:
"""

_LOOKED_AT = 1 << 14


class Match(NamedTuple):
    """What a rule found: class, phase and what narrows it."""

    cls: FailureClass
    phase: Phase
    where: str


class Rule(NamedTuple):
    """A class, its phase, what narrows it (fixed, or a group of the pattern) and the compiled pattern."""

    cls: FailureClass
    phase: Phase
    where: str
    pattern: re.Pattern[str]


class Table(NamedTuple):
    """Rules in order, and a pattern that matches at the start of every text that one of them matches."""

    gate: re.Pattern[str]
    rules: tuple[Rule, ...]


@cache
def lean_rules() -> tuple[Table, ...]:
    """Return the rules for texts that Lean prints, in order."""
    return (
        compiled(KERNEL),
        compiled(LIMITS, any_line=True),
        compiled(IMPORTS),
        compiled(PARSER),
        compiled(ELABORATOR),
        compiled(CRASHES, any_line=True),
    )


_PHASES: Mapping[str, Phase] = {phase: phase for phase in get_args(Phase)}


def compiled(table: str, *, any_line: bool = False) -> Table:
    """Return the rules of a table; its patterns hold at the start of the text, or of any of its lines."""
    start = "^" if any_line else r"\A"
    rules, patterns = [], []
    for line in table.strip().splitlines():
        cls, phase, where, pattern = line.split(None, 3)
        pattern = pattern.replace("<w>", "<q>…?<q>").replace("<q>", "[`'‘’\"]").replace("…", "[^\\n]*")
        words = "" if where == "-" else where.replace("_", " ")
        rules.append(
            Rule(FailureClass(cls), _PHASES[phase], words, re.compile(f"{start}(?:{pattern})", re.MULTILINE))
        )
        patterns.append(re.sub(r"\(\?P<\w+>", "(?:", pattern))
    gate = "" if any_line else "|".join(patterns)  # one by one they take ten times as long
    return Table(re.compile(gate), tuple(rules))


def first_match(tables: Iterable[Table], text: str) -> Match | None:
    """Return what the first rule that matches says, or None. Only the ends of a long text are looked at."""
    if len(text) > _LOOKED_AT:
        text = text[: _LOOKED_AT // 2] + "\n" + text[-_LOOKED_AT // 2 :]
    for gate, rules in tables:
        if gate.match(text) and (found := _first(rules, text)):
            return found
    return None


def _first(rules: Iterable[Rule], text: str) -> Match | None:
    for rule in rules:
        if found := rule.pattern.search(text):
            groups = {key: value or "" for key, value in found.groupdict().items()}
            return Match(rule.cls, rule.phase, rule.where.format(**groups))
    return None
