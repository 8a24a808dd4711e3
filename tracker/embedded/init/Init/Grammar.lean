prelude
import Init.Meta

/-! # Grammar

The words with which grammar is declared: precedences, priorities, and the operators `*`, `+`, `?`,
`,*` and `<|>` of the `syntax` command. -/

namespace Lean.Parser.Syntax

syntax:65 (name := addPrec) prec " + " prec:66 : prec
syntax:65 (name := subPrec) prec " - " prec:66 : prec
syntax:65 (name := addPrio) prio " + " prio:66 : prio
syntax:65 (name := subPrio) prio " - " prio:66 : prio

end Lean.Parser.Syntax

macro "max" : prec => `(prec| 1024)
macro "arg" : prec => `(prec| 1023)
macro "lead" : prec => `(prec| 1022)
macro "(" p:prec ")" : prec => return p
macro "min" : prec => `(prec| 10)
macro "min1" : prec => `(prec| 11)
macro "max_prec" : term => `(1024)

macro "default" : prio => `(prio| 1000)
macro "low" : prio => `(prio| 100)
macro "mid" : prio => `(prio| 500)
macro "high" : prio => `(prio| 10000)
macro "(" p:prio ")" : prio => return p

syntax:arg stx:max "+" : stx
syntax:arg stx:max "*" : stx
syntax:arg stx:max "?" : stx
syntax:2 stx:2 " <|> " stx:1 : stx

macro_rules
  | `(stx| $p +) => `(stx| many1($p))
  | `(stx| $p *) => `(stx| many($p))
  | `(stx| $p ?) => `(stx| optional($p))
  | `(stx| $p₁ <|> $p₂) => `(stx| orelse($p₁, $p₂))

macro:arg x:stx:max ",*" : stx => `(stx| sepBy($x, ",", ", "))
macro:arg x:stx:max ",+" : stx => `(stx| sepBy1($x, ",", ", "))
macro:arg x:stx:max ",*,?" : stx => `(stx| sepBy($x, ",", ", ", allowTrailingSep))
macro:arg x:stx:max ",+,?" : stx => `(stx| sepBy1($x, ",", ", ", allowTrailingSep))
macro:arg "!" x:stx:max : stx => `(stx| notFollowedBy($x))

syntax:1024 (name := coeNotation) "↑" term:1024 : term
syntax:1024 (name := coeFunNotation) "⇑" term:1024 : term
syntax:1024 (name := coeSortNotation) "↥" term:1024 : term

namespace Lean

syntax binderIdent := ident <|> hole

syntax Parser.Tactic.caseArg := binderIdent (ppSpace binderIdent)*

declare_syntax_cat rawStx

instance : Coe Syntax (TSyntax `rawStx) where
  coe stx := ⟨stx⟩

end Lean
