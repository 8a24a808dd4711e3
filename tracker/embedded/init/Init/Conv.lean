prelude
import Init.Tactics

/-! # Conversion

The grammar of `conv`, which rewrites at a place that one walks to. -/

namespace Lean.Parser.Tactic.Conv

declare_syntax_cat conv (behavior := both)

syntax convSeq1Indented := sepBy1IndentSemicolon(conv)
syntax convSeqBracketed := "{" withoutPosition(sepByIndentSemicolon(conv)) "}"
syntax convSeq := convSeqBracketed <|> convSeq1Indented

syntax occsWildcard := "*"
syntax occsIndexed := num+
syntax occs := atomic("(" &"occs") " := " (occsWildcard <|> occsIndexed) ") "

scoped syntax (name := withAnnotateState) "with_annotate_state " rawStx ppSpace conv : conv

/-! ## Walking -/

syntax (name := skip) "skip" : conv
syntax (name := lhs) "lhs" : conv
syntax (name := rhs) "rhs" : conv
syntax (name := «fun») "fun" : conv
syntax (name := congr) "congr" : conv
syntax argArg := "@"? "-"? num
syntax (name := arg) "arg " argArg : conv
syntax (name := ext) "ext" (ppSpace colGt binderIdent)* : conv
syntax enterArg := binderIdent <|> argArg
syntax (name := enter) "enter" " [" withoutPosition(enterArg,+) "]" : conv
syntax (name := pattern) "pattern " (occs)? term : conv
macro "args" : conv => `(conv| congr)
macro "left" : conv => `(conv| lhs)
macro "right" : conv => `(conv| rhs)
macro "intro" xs:(ppSpace colGt binderIdent)* : conv => `(conv| ext $xs*)

/-! ## Rewriting -/

syntax (name := rewrite) "rewrite" optConfig rwRuleSeq : conv
macro "rw" c:optConfig s:rwRuleSeq : conv => `(conv| rewrite $c:optConfig $s)
syntax (name := simp) "simp" optConfig (discharger)? (&" only")?
  (" [" withoutPosition((simpStar <|> simpErase <|> simpLemma),*) "]")? : conv
syntax (name := dsimp) "dsimp" optConfig (discharger)? (&" only")?
  (" [" withoutPosition((simpErase <|> simpLemma),*) "]")? : conv
syntax (name := simpMatch) "simp_match" : conv
syntax (name := change) "change " term : conv
syntax (name := delta) "delta" (ppSpace colGt ident)+ : conv
syntax (name := unfold) "unfold" (ppSpace colGt ident)+ : conv
syntax (name := whnf) "whnf" : conv
syntax (name := zeta) "zeta" : conv
syntax (name := reduce) "reduce" : conv

/-! ## Structure -/

syntax (name := nestedTacticCore) "tactic'" " => " tacticSeq : conv
syntax (name := nestedTactic) "tactic" " => " tacticSeq : conv
syntax (name := convTactic) "conv'" " => " convSeq : tactic
syntax (name := nestedConv) convSeqBracketed : conv
syntax (name := paren) "(" withoutPosition(convSeq) ")" : conv
syntax (name := convConvSeq) "conv" " => " convSeq : conv
syntax (name := first) "first " withPosition((ppDedent(ppLine) colGe "| " convSeq)+) : conv
macro "rfl" : conv => `(conv| tactic => rfl)
macro "done" : conv => `(conv| tactic' => done)
macro "trace_state" : conv => `(conv| tactic' => trace_state)
macro "apply " e:term : conv => `(conv| tactic => apply $e)
macro "try " t:convSeq : conv => `(conv| first | $t | skip)
macro unicode("· ", ". ") s:convSeq : conv => `(conv| { ($s) })
syntax "repeat " convSeq : conv
macro_rules
  | `(conv| repeat $seq) => `(conv| first | ($seq); repeat $seq | skip)

/- Last, for above this line `conv` has to mean the category. -/
syntax (name := conv) "conv" (" at " ident)? (" in " (occs)? term)? " => " convSeq : tactic

end Lean.Parser.Tactic.Conv
