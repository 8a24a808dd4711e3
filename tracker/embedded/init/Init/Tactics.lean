prelude
import Init.Grammar

/-! # Tactics

The binary has the tactics; what it lacks is their grammar, which stands here, under the names by which
it finds the implementation, and a few that are made of others. -/

namespace Lean

namespace Parser.Tactic

/-! ## Parts -/

syntax posConfigItem := " +" noWs ident
syntax negConfigItem := " -" noWs ident
syntax valConfigItem :=
  atomic(" (" notFollowedBy(&"discharger" <|> &"disch") ident " := ") withoutPosition(term) ")"
syntax configItem := posConfigItem <|> negConfigItem <|> valConfigItem
syntax optConfig := (colGt configItem)*

syntax locationWildcard := " *"
syntax locationType := patternIgnore(atomic("|" noWs "-") <|> "⊢")
syntax locationHyp := (ppSpace colGt (term:max <|> locationType))+
syntax location := withPosition(ppGroup(" at" (locationWildcard <|> locationHyp)))

scoped syntax (name := withAnnotateState) "with_annotate_state " rawStx ppSpace tactic : tactic

/-! ## Structure -/

syntax (name := skip) "skip" : tactic
syntax (name := done) "done" : tactic
syntax (name := paren) "(" withoutPosition(tacticSeq) ")" : tactic
syntax (name := first) "first " withPosition((ppDedent(ppLine) colGe "| " tacticSeq)+) : tactic
macro "try " t:tacticSeq : tactic => `(tactic| first | $t | skip)
syntax (name := allGoals) "all_goals " tacticSeq : tactic
syntax (name := anyGoals) "any_goals " tacticSeq : tactic
syntax (name := focus) "focus " tacticSeq : tactic
syntax (name := fail) "fail" (ppSpace str)? : tactic
syntax (name := failIfSuccess) "fail_if_success " tacticSeq : tactic
syntax (name := case) "case " sepBy1(caseArg, " | ") " => " tacticSeq : tactic
syntax (name := case') "case' " sepBy1(caseArg, " | ") " => " tacticSeq : tactic
macro "next " args:binderIdent* " => " tac:tacticSeq : tactic => `(tactic| case _ $args* => $tac)
syntax (name := rotateLeft) "rotate_left" (ppSpace num)? : tactic
syntax (name := rotateRight) "rotate_right" (ppSpace num)? : tactic
syntax (name := withReducible) "with_reducible " tacticSeq : tactic
syntax (name := withReducibleAndInstances) "with_reducible_and_instances " tacticSeq : tactic
syntax (name := withUnfoldingAll) "with_unfolding_all " tacticSeq : tactic
syntax "repeat " tacticSeq : tactic
macro_rules
  | `(tactic| repeat $seq) => `(tactic| first | ($seq); repeat $seq | skip)
syntax (name := repeat') "repeat' " tacticSeq : tactic
syntax (name := repeat1') "repeat1' " tacticSeq : tactic

macro:1 x:tactic tk:" <;> " y:tactic:2 : tactic => `(tactic|
  focus
    $x:tactic
    with_annotate_state $tk skip
    all_goals $y:tactic)

syntax (name := traceState) "trace_state" : tactic
syntax (name := traceMessage) "trace " str : tactic

/-! ## Hypotheses -/

syntax (name := intro) "intro" notFollowedBy("|") (ppSpace colGt term:max)* : tactic
syntax (name := intros) "intros" (ppSpace colGt (ident <|> hole))* : tactic
syntax (name := rename) "rename " term " => " ident : tactic
syntax (name := renameI) "rename_i" (ppSpace colGt binderIdent)+ : tactic
syntax (name := revert) "revert" (ppSpace colGt term:max)+ : tactic
syntax (name := clear) "clear" (ppSpace colGt term:max)+ : tactic
syntax (name := subst) "subst" (ppSpace colGt term:max)+ : tactic
syntax (name := substVars) "subst_vars" : tactic
syntax (name := specialize) "specialize " term : tactic
syntax (name := replace) "replace" letDecl : tactic
syntax (name := injection) "injection " term (" with" (ppSpace colGt (ident <|> hole))+)? : tactic
syntax (name := injections) "injections" (ppSpace colGt (ident <|> hole))* : tactic

/-! ## Goals -/

syntax (name := exact) "exact " term : tactic
syntax (name := apply) "apply " term : tactic
syntax (name := refine) "refine " term : tactic
syntax (name := refine') "refine' " term : tactic
syntax (name := assumption) "assumption" : tactic
syntax (name := contradiction) "contradiction" : tactic
syntax (name := constructor) "constructor" optConfig : tactic
syntax (name := left) "left" : tactic
syntax (name := right) "right" : tactic
macro "exfalso" : tactic => `(tactic| refine False.elim ?_)
macro "infer_instance" : tactic => `(tactic| exact inferInstance)
macro "sorry" : tactic => `(tactic| exact sorry)
macro "admit" : tactic => `(tactic| sorry)

syntax (name := eqRefl) "eq_refl" : tactic
syntax (name := applyRfl) "apply_rfl" : tactic
syntax "rfl" : tactic
macro_rules | `(tactic| rfl) => `(tactic| apply_rfl)
macro_rules | `(tactic| rfl) => `(tactic| eq_refl)
macro_rules | `(tactic| rfl) => `(tactic| exact HEq.rfl)

syntax (name := change) "change " term (location)? : tactic
syntax (name := «show») "show " term : tactic
syntax (name := symm) "symm" (location)? : tactic
syntax (name := congr) "congr" (ppSpace num)? : tactic
syntax (name := delta) "delta" (ppSpace colGt ident)+ (location)? : tactic
syntax (name := unfold) "unfold" (ppSpace colGt ident)+ (location)? : tactic

macro "refine_lift " e:term : tactic => `(tactic| focus (refine no_implicit_lambda% $e; rotate_right))
syntax "have" letConfig letDecl : tactic
macro_rules
  | `(tactic| have $c:letConfig $d:letDecl) => `(tactic| refine_lift have $c:letConfig $d:letDecl; ?_)
macro "suffices " d:sufficesDecl : tactic => `(tactic| refine_lift suffices $d; ?_)
macro "let" c:letConfig d:letDecl : tactic => `(tactic| refine_lift let $c:letConfig $d:letDecl; ?_)

syntax (name := letrec) withPosition(atomic("let " &"rec ") letRecDecls) : tactic
macro_rules
  | `(tactic| let rec $d) => `(tactic| refine_lift let rec $d; ?_)

/-! ## Rewriting -/

syntax rwRule := unicode("← ", "<- ")? term
syntax rwRuleSeq := " [" withoutPosition(rwRule,*,?) "]"
syntax (name := rewriteSeq) "rewrite" optConfig rwRuleSeq (location)? : tactic
macro (name := rwSeq) "rw " c:optConfig s:rwRuleSeq l:(location)? : tactic =>
  `(tactic| (rewrite $c:optConfig $s:rwRuleSeq $(l)?; try (with_reducible rfl)))

/-! ## Simplification -/

syntax discharger :=
  atomic(" (" patternIgnore(&"discharger" <|> &"disch")) " := " withoutPosition(tacticSeq) ")"
syntax simpPre := "↓"
syntax simpPost := "↑"
syntax simpLemma := ppGroup((simpPre <|> simpPost)? unicode("← ", "<- ")? term)
syntax simpErase := "-" term:max
syntax simpStar := "*"
syntax (name := simp) "simp" optConfig (discharger)? (&" only")?
  (" [" withoutPosition((simpStar <|> simpErase <|> simpLemma),*,?) "]")? (location)? : tactic
syntax (name := simpAll) "simp_all" optConfig (discharger)? (&" only")?
  (" [" withoutPosition((simpErase <|> simpLemma),*,?) "]")? : tactic
syntax simpArgs := " [" (simpStar <|> simpErase <|> simpLemma),*,? "]"
syntax simpaArgsRest := optConfig (discharger)? &" only "? (simpArgs)? (" using " term)?
syntax (name := simpa) "simpa" "?"? "!"? simpaArgsRest : tactic
syntax (name := dsimp) "dsimp" optConfig (discharger)? (&" only")?
  (" [" withoutPosition((simpErase <|> simpLemma),*,?) "]")? (location)? : tactic

/-! ## Cases -/

syntax inductionAltLHS := ppDedent(ppLine) withPosition("| " (("@"? ident) <|> hole) (colGt (ident <|> hole))*)
syntax inductionAlt := inductionAltLHS+ (" => " (hole <|> syntheticHole <|> tacticSeq))?
syntax inductionAlts := " with" (ppSpace colGt tactic)? withPosition((colGe inductionAlt)*)
syntax elimTarget := atomic(binderIdent " : ")? term
syntax (name := induction) "induction " elimTarget,+ (" using " term)?
  (" generalizing" (ppSpace colGt term:max)+)? (inductionAlts)? : tactic
syntax (name := cases) "cases " elimTarget,+ (" using " term)? (inductionAlts)? : tactic
syntax generalizeArg := atomic(ident " : ")? term:51 " = " ident
syntax (name := classical) "classical" ppDedent(tacticSeq) : tactic
syntax (name := generalize) "generalize " generalizeArg,+ (location)? : tactic
syntax (name := split) "split" (ppSpace colGt term)? (location)? : tactic

declare_syntax_cat rcasesPat
syntax rcasesPatMed := sepBy1(rcasesPat, " | ")
syntax rcasesPatLo := rcasesPatMed (" : " term)?
syntax (name := rcasesPat.one) ident : rcasesPat
syntax (name := rcasesPat.ignore) "_" : rcasesPat
syntax (name := rcasesPat.clear) "-" : rcasesPat
syntax (name := rcasesPat.explicit) "@" noWs rcasesPat : rcasesPat
syntax (name := rcasesPat.tuple) "⟨" rcasesPatLo,* "⟩" : rcasesPat
syntax (name := rcasesPat.paren) "(" rcasesPatLo ")" : rcasesPat

declare_syntax_cat rintroPat
syntax (name := rintroPat.one) rcasesPat : rintroPat
syntax (name := rintroPat.binder) (priority := 1001) "(" rintroPat+ (" : " term)? ")" : rintroPat

syntax (name := rcases) "rcases" elimTarget,* (" with " rcasesPatLo)? : tactic
syntax (name := obtain) "obtain" (ppSpace rcasesPatMed)? (" : " term)? (" := " term,+)? : tactic
syntax (name := rintro) "rintro" (ppSpace colGt rintroPat)+ (" : " term)? : tactic

macro "nofun" : tactic => `(tactic| exact nofun)
macro "nomatch " es:term,+ : tactic => `(tactic| exact nomatch $es:term,*)

/-! ## Decision -/

syntax (name := decide) "decide" optConfig : tactic

syntax "trivial" : tactic
macro_rules | `(tactic| trivial) => `(tactic| assumption)
macro_rules | `(tactic| trivial) => `(tactic| rfl)
macro_rules | `(tactic| trivial) => `(tactic| contradiction)
macro_rules | `(tactic| trivial) => `(tactic| decide)
macro_rules | `(tactic| trivial) => `(tactic| apply True.intro)
macro_rules | `(tactic| trivial) => `(tactic| apply And.intro <;> trivial)


macro "exists " es:term,+ : tactic => `(tactic| (refine ⟨$es,*, ?_⟩; try trivial))

syntax (name := substEqs) "subst_eqs" : tactic
syntax "and_intros" : tactic
macro_rules | `(tactic| and_intros) => `(tactic| repeat' refine And.intro ?_ ?_)

end Parser.Tactic

end Lean

macro "‹" type:term "›" : term => `((by assumption : $type))

namespace Lean

syntax (name := reduceCmd) "#reduce "
  (atomic("(" &"proofs" " := " &"true" ")"))? (atomic("(" &"types" " := " &"true" ")"))? term : command

/-! ## Extensionality -/

namespace Parser.Attr

syntax extIff := atomic("(" &"iff" " := " &"false" ")")
syntax extFlat := atomic("(" &"flat" " := " &"false" ")")
syntax (name := ext) "ext" (ppSpace extIff)? (ppSpace extFlat)? (ppSpace prio)? : attr

end Parser.Attr

namespace Elab.Tactic.Ext

syntax (name := ext) "ext" (colGt ppSpace rintroPat)* (" : " num)? : tactic
syntax (name := applyExtTheorem) "apply_ext_theorem" : tactic
macro "ext1" xs:(colGt ppSpace rintroPat)* : tactic => do
  match (mkNullNode (TSyntaxArray.raw xs)).matchesNull 0 with
  | true => `(tactic| apply_ext_theorem <;> intros)
  | false => `(tactic| apply_ext_theorem <;> rintro $xs*)

end Elab.Tactic.Ext

/-! ## Blocks -/

syntax cdotTk := unicode("· ", ". ")
syntax (name := cdot) cdotTk tacticSeqIndentGt : tactic

end Lean

syntax "funext" (ppSpace colGt term:max)* : tactic
macro_rules
  | `(tactic|funext) => `(tactic| repeat (apply funext; intro))
  | `(tactic|funext $x) => `(tactic| apply funext; intro $x:term)
  | `(tactic|funext $x $xs*) => `(tactic| apply funext; intro $x:term; funext $xs*)
