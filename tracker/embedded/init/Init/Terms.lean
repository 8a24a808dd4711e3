prelude
import Init.Grammar

/-! # Notation for terms

Conditionals, pipes, lists, subtypes, binders, `calc`. -/

open Lean

/-! ## Conditionals -/

syntax (name := termDepIfThenElse)
  ppRealGroup(ppRealFill(ppIndent("if " Lean.binderIdent " : " term " then") ppSpace term)
    ppDedent(ppSpace) ppRealFill("else " term)) : term

macro_rules
  | `(if $h:ident : $c then $t else $e) => do
    let mvar ← Lean.withRef c `(?m)
    `(let_mvar% ?m := $c; wait_if_type_mvar% ?m; dite $mvar (fun $h:ident => $t) (fun $h:ident => $e))
  | `(if _ : $c then $t else $e) => do
    let mvar ← Lean.withRef c `(?m)
    `(let_mvar% ?m := $c; wait_if_type_mvar% ?m; dite $mvar (fun _ => $t) (fun _ => $e))

syntax (name := termIfThenElse)
  ppRealGroup(ppRealFill(ppIndent("if " term " then") ppSpace term)
    ppDedent(ppSpace) ppRealFill("else " term)) : term

macro_rules
  | `(if $c then $t else $e) => do
    let mvar ← Lean.withRef c `(?m)
    `(let_mvar% ?m := $c; wait_if_type_mvar% ?m; ite $mvar $t $e)

syntax (name := termIfLet)
  ppRealGroup(ppRealFill(ppIndent("if " "let " term " := " term " then") ppSpace term)
    ppDedent(ppSpace) ppRealFill("else " term)) : term

macro_rules
  | `(if let $pat := $d then $t else $e) => `(match $d:term with | $pat => $t | _ => $e)

syntax (name := boolIfThenElse)
  ppRealGroup(ppRealFill(ppIndent("bif " term " then") ppSpace term)
    ppDedent(ppSpace) ppRealFill("else " term)) : term

macro_rules
  | `(bif $c then $t else $e) => `(cond $c $t $e)

/-! ## Pipes -/

syntax:min (name := «term_<|_») term " <| " term:min : term
syntax:min (name := «term_|>_») term " |> " term:min1 : term
syntax:min (name := «term_$__») term atomic(" $" ws) term:min : term

namespace Lean.Internal

/-- `f a`, or `f as a` where `f as` is an application already. -/
private def applyTo (f a : Syntax) : MacroM Syntax := do
  let ref ← getRef
  let app (f : Syntax) (args : Array Syntax) :=
    Syntax.node2 (.fromRef ref) `Lean.Parser.Term.app f (mkNullNode (Array.append args (Array.mkArray1 a)))
  pure (match f.isOfKind `Lean.Parser.Term.app with
    | true => app (f.getArg 0) (f.getArg 1).getArgs
    | false => app f Array.empty)

@[macro «term_<|_»] private def expandPipeLeft : Macro := fun stx => applyTo (stx.getArg 0) (stx.getArg 2)
@[macro «term_$__»] private def expandDollar : Macro := fun stx => applyTo (stx.getArg 0) (stx.getArg 2)
@[macro «term_|>_»] private def expandPipeRight : Macro := fun stx => applyTo (stx.getArg 2) (stx.getArg 0)

end Lean.Internal

/-! ## Lists, arrays, subtypes -/

syntax (name := «term[_]») "[" term,*,? "]" : term
syntax (name := «term#[_,]») "#[" withoutPosition(term,*,?) "]" : term

namespace Lean.Internal

/-- `List.cons a (List.cons b … List.nil)`. -/
private def listOf (elemsAndSeps : Array Syntax) : MacroM Syntax := do
  let ref ← getRef
  pure (go ref elemsAndSeps.toList)
where
  go (ref : Syntax) : List Syntax → Syntax
    | .nil => mkCIdentFrom ref ``List.nil
    | .cons (.atom ..) rest => go ref rest
    | .cons elem rest => .node2 (.fromRef ref) `Lean.Parser.Term.app (mkCIdentFrom ref ``List.cons)
        (mkNullNode (Array.mkArray2 elem (go ref rest)))

@[macro «term[_]»] private def expandList : Macro := fun stx => listOf (stx.getArg 1).getArgs

@[macro «term#[_,]»] private def expandArray : Macro := fun stx => do
  let list ← listOf (stx.getArg 1).getArgs
  applyTo (mkCIdentFrom stx ``List.toArray) list

end Lean.Internal

syntax "{ " withoutPosition(ident (" : " term)? " // " term) " }" : term

macro_rules
  | `({ $x : $type // $p }) => ``(Subtype (fun ($x:ident : $type) => $p))
  | `({ $x // $p }) => ``(Subtype (fun ($x:ident : _) => $p))

/-! ## Binders -/

namespace Lean

syntax unbracketedExplicitBinders := (ppSpace binderIdent)+ (" : " term)?
syntax bracketedExplicitBinders := "(" withoutPosition((binderIdent ppSpace)+ ": " term) ")"
syntax explicitBinders := (ppSpace bracketedExplicitBinders)+ <|> unbracketedExplicitBinders

open TSyntax.Compat

/-- `combinator fun x₁ : type => … combinator fun xₙ : type => body`. -/
def expandExplicitBindersAux (combinator : Syntax) (idents : Array Syntax) (type? : Option Syntax)
    (body : Syntax) : MacroM Syntax :=
  go idents.toList
where
  go : List Syntax → MacroM Syntax
    | .nil => pure body
    | .cons binder rest => do
      let inner ← go rest
      let ident := binder.getArg 0
      match ident.isIdent, type? with
      | true, none => `($combinator fun $ident => $inner)
      | true, some type => `($combinator fun $ident : $type => $inner)
      | false, none => `($combinator fun _ => $inner)
      | false, some type => `($combinator fun _ : $type => $inner)

def expandBracketedBindersAux (combinator : Syntax) (binders : Array Syntax) (body : Syntax) : MacroM Syntax :=
  go binders.toList
where
  go : List Syntax → MacroM Syntax
    | .nil => pure body
    | .cons binder rest => do
      let inner ← go rest
      expandExplicitBindersAux combinator (binder.getArg 1).getArgs (some (binder.getArg 3)) inner

def expandExplicitBinders (combinatorDeclName : Name) (explicitBinders : Syntax) (body : Syntax) :
    MacroM Syntax := do
  let combinator := mkCIdentFrom (← getRef) combinatorDeclName
  let binders := explicitBinders.getArg 0
  match binders.isOfKind ``Lean.unbracketedExplicitBinders with
  | true =>
    let type := binders.getArg 1
    expandExplicitBindersAux combinator (binders.getArg 0).getArgs
      (match type.matchesNull 0 with | true => none | false => some (type.getArg 1)) body
  | false => expandBracketedBindersAux combinator binders.getArgs body

def expandBracketedBinders (combinatorDeclName : Name) (bracketedExplicitBinders : Syntax) (body : Syntax) :
    MacroM Syntax := do
  let combinator := mkCIdentFrom (← getRef) combinatorDeclName
  expandBracketedBindersAux combinator (Array.mkArray1 bracketedExplicitBinders) body

end Lean

syntax (name := «term∃_,_») "∃" Lean.explicitBinders ", " term : term
syntax (name := «termExists_,_») "exists" Lean.explicitBinders ", " term : term
syntax (name := «termΣ_,_») "Σ" Lean.explicitBinders ", " term : term
syntax (name := «termΣ'_,_») "Σ'" Lean.explicitBinders ", " term : term
syntax:35 (name := «term_×__1») Lean.bracketedExplicitBinders " × " term:35 : term
syntax:35 (name := «term_×'__1») Lean.bracketedExplicitBinders " ×' " term:35 : term

namespace Lean.Internal

private def binders (f : Name) : Macro := fun stx => expandExplicitBinders f (stx.getArg 1) (stx.getArg 3)
private def bracketed (f : Name) : Macro := fun stx => expandBracketedBinders f (stx.getArg 0) (stx.getArg 2)

@[macro «term∃_,_»] private def expandExists : Macro := binders ``Exists
@[macro «termExists_,_»] private def expandExistsAscii : Macro := binders ``Exists
@[macro «termΣ_,_»] private def expandSigma : Macro := binders ``Sigma
@[macro «termΣ'_,_»] private def expandPSigma : Macro := binders ``PSigma
@[macro «term_×__1»] private def expandSigmaProd : Macro := bracketed ``Sigma
@[macro «term_×'__1»] private def expandPSigmaProd : Macro := bracketed ``PSigma

end Lean.Internal

/-! ## Chains of relations -/

namespace Lean

syntax calcFirstStep := ppIndent(colGe term (" := " term)?)
syntax calcStep := ppIndent(colGe term " := " term)
syntax calcSteps := ppLine withPosition(calcFirstStep) withPosition((ppLine linebreak calcStep)*)
syntax (name := calc) "calc" calcSteps : term
syntax (name := calcTactic) "calc" calcSteps : tactic

end Lean
