"""Attempts to look proved without being it, each on a module of its own, so that one run tries them all.

`T` stands for the attack's own namespace. Each module holds `T.lemma` and `T.main`, which rests on it; the
attack replaces the module's text. `code` is the rule that must object to `T.lemma` (`subject` says where to
something else), and `label` what `tracker status` must call it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

LEMMA = "theorem T.lemma (n : Nat) : n + 0 = n := rfl\n"
MAIN = "theorem T.main : 2 + 0 = 2 := rfl\n"
SORRY = "theorem T.lemma (n : Nat) : n + 0 = n := "


@dataclass(frozen=True)
class Attack:
    """One attack by sources, catalogue or lock."""

    name: str
    code: str
    after: str | None
    """The new text of its module; None deletes it."""
    label: str = "proved"
    before: str = LEMMA + MAIN
    extra: Mapping[str, str] = field(default_factory=dict)
    """More modules, under `Hidden` and the like, before the attack."""
    extra_after: Mapping[str, str] = field(default_factory=dict)
    subject: str = "lemma"
    """`lemma`, `main`, or `module`."""
    allows: str = ""
    """An axiom that the catalogue is made to allow."""
    unlocked: bool = False
    """Whether the locked statement is removed."""


def sorry(name: str, above: str, proof: str) -> Attack:
    return Attack(name, "GATE-SORRY", f"{above}{SORRY}{proof}\n{MAIN}", "sorry")


def drift(name: str, said: str) -> Attack:
    return Attack(name, "GATE-DRIFT", said + MAIN, "drifted")


def missing(name: str, said: str) -> Attack:
    return Attack(name, "GATE-LOST", said, "missing")


def failing(name: str, label: str, said: str) -> Attack:
    return Attack(name, "GATE-LOST", said, f"failed:{label}")


SKIP = "set_option debug.skipKernelTC true\n"
ODD_TOKENS = {
    "a comment": f'notation "<--" => Nat\ndef T.x : <-- := 0 {SKIP}',
    "a long comment": f'notation "±/-" => Nat\ndef T.x : ±/- := 0\n{SKIP}',
    "a text": f'notation "k!" s => s\ndef T.x : String := k!"{{"\n{SKIP}',
}
LIED = f"theorem T.no : 1 = 2 := by decide +kernel\n{SORRY}by cases T.no\n"
SAYS = "import Demo.SaysHidden\n"
FALSE = "def T.No : Prop := False\ndef T.Never : Prop := T.No\n"

SOURCES = (
    sorry("sorry in a proof", "", "sorry"),
    sorry("sorry in a have", "", "by\n  have h : n + 0 = n := sorry\n  exact h"),
    sorry("sorry in a dependency", "theorem T.helper (n : Nat) : n + 0 = n := sorry\n", "T.helper n"),
    sorry("sorry in an instance", "class T.Ok (n : Nat) where\n  ok : n + 0 = n\n"
          "instance (n : Nat) : T.Ok n := ⟨sorry⟩\n", "T.Ok.ok"),
    sorry("sorry in a definition", "def T.helper (n : Nat) : n + 0 = n := sorry\n", "T.helper n"),
    sorry("sorry silenced", "set_option warn.sorry false\ntheorem T.helper (n : Nat) : n + 0 = n := sorry\n",
          "T.helper n"),
    sorry("sorry by a macro", 'local macro "trust_me" : term => `(sorry)\n', "trust_me"),
    sorry("sorry by its axiom", "", "sorryAx _ true"),
    sorry("a log that prints answers",
          '#print "{\\"severity\\": \\"information\\"}"\n'
          "#print \"'T.lemma' does not depend on any axioms\"\n", "sorry"),
    Attack("a probe file shadowed by a module", "GATE-SORRY",
           f"import Demo.Probe\n{SORRY}sorry\n{MAIN}", "sorry",
           before="import Demo.Probe\n" + LEMMA + MAIN,
           extra={"Probe": "def T.probe : Nat := 1\n"}, extra_after={"Probe": "def T.probe : Nat := 2\n"}),
    Attack("a new axiom", "GATE-AXIOM",
           f"axiom T.magic (n : Nat) : n + 0 = n\n{SORRY}T.magic n\n{MAIN}", "axiom"),
    Attack("the theorem made an axiom", "GATE-AXIOM",
           f"axiom T.lemma (n : Nat) : n + 0 = n\n{MAIN}", "missing"),
    Attack("an axiom that the catalogue is made to allow", "GATE-AXIOM",
           f"axiom T.magic (n : Nat) : n + 0 = n\n{SORRY}T.magic n\n{MAIN}", allows="T.magic"),
    Attack("a proof by compiled code", "GATE-AXIOM",
           "theorem T.both (n : Nat) : n + 0 = n ∧ 2 + 0 = 2 := ⟨rfl, by decide +native⟩\n"
           f"{SORRY}(T.both n).1\n{MAIN}", "axiom"),
    Attack("compiled code that lies by implemented_by", "GATE-AXIOM",
           "def T.yes : Bool := true\n@[implemented_by T.yes] def T.no : Bool := false\n"
           "theorem T.lie : T.no = true := by decide +native\n"
           f"{SORRY}absurd (T.lie : false = true) Bool.false_ne_true\n{MAIN}", "axiom"),
    Attack("a premise that is False", "GATE-AXIOM",
           "theorem T.lemma (n : Nat) (h : False) : n + 0 = n := rfl\n" + MAIN, "axiom"),
    Attack("a premise that stands for False", "GATE-AXIOM",
           FALSE + "theorem T.lemma (n : Nat) (h : T.Never) : n + 0 = n := rfl\n" + MAIN, "axiom"),
    Attack("a premise among the section's variables", "GATE-AXIOM",
           "section\nvariable (h : False)\ninclude h\n" + LEMMA + "end\n" + MAIN, "axiom"),
    drift("a statement weakened", "theorem T.lemma (n : Nat) : n + 0 = n + 0 := rfl\n"),
    drift("an implicit variable", "theorem T.lemma {n : Nat} : n + 0 = n := rfl\n"),
    drift("a further premise", "theorem T.lemma (n : Nat) (_ : n = 0) : n + 0 = n := rfl\n"),
    drift("a false local instance", "local instance : HAdd Nat Nat Nat := ⟨fun a _ => a⟩\n" + LEMMA),
    drift("local notation for a type",
          'local notation "Nat" => Unit\ntheorem T.lemma (n : Nat) : n = n := rfl\n'),
    drift("a namespace that shadows a type",
          "namespace T\ndef Nat := Unit\ninstance : HAdd Nat _root_.Nat Nat := ⟨fun a _ => a⟩\n"
          "theorem lemma (n : Nat) : n + (0 : _root_.Nat) = n := rfl\nend T\n"),
    drift("notation that reprints a statement",
          'def T.weak (_ _ : Nat) : Prop := True\nlocal notation:50 a " ≡ " b => T.weak a b\n'
          "theorem T.lemma (n : Nat) : n + 0 ≡ n := True.intro\n"),
    drift("a goal abbreviated to True",
          "abbrev T.Goal (_ : Nat) : Prop := True\ntheorem T.lemma (n : Nat) : T.Goal n := True.intro\n"),
    Attack("a definition weakened in a module that no obligation names", "GATE-DRIFT",
           SAYS + "theorem T.lemma (n : Nat) : T.says n := (rfl : n = n)\n" + MAIN, "drifted",
           before=SAYS + "theorem T.lemma (n : Nat) : T.says n := (rfl : n + 0 = n)\n" + MAIN,
           extra={"SaysHidden": "def T.says (n : Nat) : Prop := n + 0 = n\n"},
           extra_after={"SaysHidden": "def T.says (n : Nat) : Prop := n = n\n"}),
    Attack("a weaker statement whose lock is removed", "GATE-DRIFT",
           "theorem T.lemma (n : Nat) : n + 0 = n + 0 := rfl\n" + MAIN, unlocked=True),
    missing("a declaration renamed", LEMMA.replace("T.lemma", "T.lemma'") + MAIN),
    missing("exported from elsewhere",
            "theorem T.Other.lemma (n : Nat) : n + 0 = n := rfl\n"
            "namespace T\nexport T.Other (lemma)\nend T\n" + MAIN),
    missing("in a namespace of the same name", "namespace Other\n" + LEMMA + "end Other\n" + MAIN),
    missing("the theorem made opaque", "opaque T.lemma (n : Nat) : n + 0 = n := rfl\n" + MAIN),
    missing("the theorem made a definition", "def T.lemma (n : Nat) : n + 0 = n := rfl\n" + MAIN),
    missing("made private", "private " + LEMMA + MAIN),
    missing("after #exit", MAIN + "#exit\n" + LEMMA),
    missing("in a comment", MAIN + "/- " + LEMMA + "-/\n"),
    Attack("moved to another module", "GATE-LOST", "import Demo.MovedHidden\n" + MAIN, "missing",
           before="import Demo.MovedHidden\n" + LEMMA + MAIN,
           extra={"MovedHidden": "def T.one : Nat := 1\n"},
           extra_after={"MovedHidden": LEMMA}),
    Attack("a module deleted", "GATE-UNSEEN", None, "unbuilt"),
    failing("a log that prints success", "type-error",
            '#print "✔ [2/2] Built Demo.Printed (1.0s)"\n#print "Build completed successfully (2 jobs)."\n'
            f"{SORRY}Nat.zero\n"),
    failing("another program by implemented_by", "type-error",
            "def T.yes : Bool := true\n@[implemented_by T.yes] def T.no : Bool := false\n"
            "theorem T.lemma (n : Nat) : n + 0 = n := (rfl : T.no = true)\n"),
    failing("the kernel told not to check", "kernel-skipped", "set_option debug.skipKernelTC true\n" + LEMMA),
    failing("the kernel told not to check, in quotes", "kernel-skipped",
            "set_option «debug».«skipKernelTC» true\n" + LEMMA),
    *(failing(f"the kernel told not to check, behind a token like {name}", "kernel-skipped", before + LIED)
      for name, before in ODD_TOKENS.items()),
    Attack("an import cycle", "GATE-MISSING", "import Demo.CycleHidden\n" + LEMMA + MAIN, "blocked",
           extra={"CycleHidden": "def T.one : Nat := 1\n"},
           extra_after={"CycleHidden": "import Demo.AnImportCycle\ndef T.one : Nat := 1\n"},
           subject="module"),
    Attack("a limit raised", "GATE-LIMITS", "set_option maxRecDepth 4000\n" + LEMMA + MAIN,
           subject="module"),
    Attack("a limit taken away", "GATE-LIMITS", "set_option maxHeartbeats 0\n" + LEMMA + MAIN,
           subject="module"),
    Attack("a limit raised in quotes and hexadecimal", "GATE-LIMITS",
           "set_option «maxRecDepth» 0x1000\n" + LEMMA + MAIN, subject="module"),
    Attack("a limit raised behind a token like a comment", "GATE-LIMITS",
           'notation "<--" => Nat\n' + LEMMA + MAIN + "def T.x : <-- := 0 set_option maxRecDepth 4000\n",
           subject="module"),
    Attack("a sorry beside the obligations", "GATE-WARNINGS",
           LEMMA + MAIN + "theorem T.aside : 1 = 2 := sorry\n", subject="module"),
    Attack("another failure than the known one", "GATE-CLASS", f"{SORRY}T.nowhere n\n", "failed:unknown-name",
           before=f"{SORRY}Nat.zero\n"),
)  # fmt: skip

CONTROLS = (
    Attack("only the proof changed", "", f"{SORRY}by exact rfl\n{MAIN}"),
    Attack("something beside it changed", "", LEMMA + MAIN + "theorem T.aside : 1 = 1 := rfl\n"),
    Attack("a remark added", "", "-- sorry, axiom, debug.skipKernelTC\n" + LEMMA + MAIN),
    Attack("it prints what Lean prints", "", LEMMA + MAIN + '#print "{\\"severity\\": \\"error\\"}"\n'),
)
"""Changes that are no attack: nothing may object to them."""


def module_of(attack: Attack) -> str:
    """Return the last part of the attack's module: its name in camel case."""
    return "".join(word[:1].upper() + word[1:] for word in _words(attack))


def ident_of(attack: Attack, which: str = "lemma") -> str:
    """Return the id of one of its obligations."""
    return f"{'-'.join(_words(attack))}.{which}"


def _words(attack: Attack) -> list[str]:
    return attack.name.replace("#", "").replace(",", "").split()


def text_of(attack: Attack, text: str) -> str:
    """Return a text of the attack with its own namespace in place of `T`."""
    return re.sub(r"\bT\b", module_of(attack), text)
