prelude
import Init.Coe

/-! # Notation

The words of the grammar that is itself used to declare grammar, and the usual symbols. -/

universe u v

namespace Lean.Parser.Syntax

syntax:65 (name := addPrec) prec " + " prec:66 : prec
syntax:65 (name := subPrec) prec " - " prec:66 : prec
syntax:65 (name := addPrio) prio " + " prio:66 : prio
syntax:65 (name := subPrio) prio " - " prio:66 : prio

end Lean.Parser.Syntax

/-! ## Precedences and priorities -/

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

/-! ## Grammar operators -/

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

/-! ## Symbols -/

syntax (name := rawNatLit) "nat_lit " num : term

infixr:90 " ∘ " => Function.comp
infixr:35 " × " => Prod
infixr:35 " ×' " => PProd
infixr:30 " ⊕ " => Sum

infix:50 " ∣ " => Dvd.dvd
infixl:65 " + " => HAdd.hAdd
infixl:65 " - " => HSub.hSub
infixl:70 " * " => HMul.hMul
infixl:70 " / " => HDiv.hDiv
infixl:70 " % " => HMod.hMod
infixr:80 " ^ " => HPow.hPow
infixl:65 " ++ " => HAppend.hAppend
prefix:75 "-" => Neg.neg
postfix:max "⁻¹" => Inv.inv
infixr:73 " • " => HSMul.hSMul

/- The elaborators behind these names put in coercions for a whole expression at once. -/
macro_rules | `($x + $y) => `(binop% HAdd.hAdd $x $y)
macro_rules | `($x - $y) => `(binop% HSub.hSub $x $y)
macro_rules | `($x * $y) => `(binop% HMul.hMul $x $y)
macro_rules | `($x / $y) => `(binop% HDiv.hDiv $x $y)
macro_rules | `($x % $y) => `(binop% HMod.hMod $x $y)
macro_rules | `($x ^ $y) => `(rightact% HPow.hPow $x $y)
macro_rules | `($x ++ $y) => `(binop% HAppend.hAppend $x $y)
macro_rules | `(- $x) => `(unop% Neg.neg $x)
macro_rules | `($x • $y) => `(leftact% HSMul.hSMul $x $y)

infix:50 unicode(" ≤ ", " <= ") => LE.le
infix:50 " < " => LT.lt
infix:50 unicode(" ≥ ", " >= ") => GE.ge
infix:50 " > " => GT.gt
infix:50 " = " => Eq
infix:50 " == " => BEq.beq
infix:50 " ≍ " => HEq

macro_rules | `($x ≤ $y) => `(binrel% LE.le $x $y)
macro_rules | `($x < $y) => `(binrel% LT.lt $x $y)
macro_rules | `($x > $y) => `(binrel% GT.gt $x $y)
macro_rules | `($x ≥ $y) => `(binrel% GE.ge $x $y)
macro_rules | `($x = $y) => `(binrel% Eq $x $y)
macro_rules | `($x == $y) => `(binrel_no_prop% BEq.beq $x $y)

infixr:35 unicode(" ∧ ", " /\\ ") => And
infixr:30 unicode(" ∨ ", " \\/ ") => Or
notation:max "¬" p:40 => Not p

infixl:35 " && " => and
infixl:30 " || " => or
notation:max "!" b:40 => not b

notation:50 a:50 " ∈ " b:50 => Membership.mem b a
notation:50 a:50 " ∉ " b:50 => ¬ (a ∈ b)

infixr:67 " :: " => List.cons

infixr:100 " <$> " => Functor.map
infixl:55 " >>= " => Bind.bind

/-! ## Terms -/

namespace Lean

syntax binderIdent := ident <|> hole

syntax Parser.Tactic.caseArg := binderIdent (ppSpace binderIdent)*

end Lean

syntax (name := termDepIfThenElse)
  ppRealGroup(ppRealFill(ppIndent("if " Lean.binderIdent " : " term " then") ppSpace term)
    ppDedent(ppSpace) ppRealFill("else " term)) : term

macro_rules
  | `(if $h:ident : $c then $t else $e) => do
    let mvar ← Lean.withRef c `(?m)
    `(let_mvar% ?m := $c; wait_if_type_mvar% ?m; dite $mvar (fun $h:ident => $t) (fun $h:ident => $e))
  | `(if _%$h : $c then $t else $e) => do
    let mvar ← Lean.withRef c `(?m)
    `(let_mvar% ?m := $c; wait_if_type_mvar% ?m; dite $mvar (fun _%$h => $t) (fun _%$h => $e))

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

syntax:min term " <| " term:min : term

macro_rules
  | `($f $args* <| $a) => `($f $args* $a)
  | `($f <| $a) => `($f $a)

syntax:min term " |> " term:min1 : term

macro_rules
  | `($a |> $f $args*) => `($f $args* $a)
  | `($a |> $f) => `($f $a)

syntax:min term atomic(" $" ws) term:min : term

macro_rules
  | `($f $args* $ $a) => `($f $args* $a)
  | `($f $ $a) => `($f $a)

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
  if binders.getKind == ``Lean.unbracketedExplicitBinders then
    let type := binders.getArg 1
    let type? := if type.getNumArgs == 0 then none else some (type.getArg 1)
    expandExplicitBindersAux combinator (binders.getArg 0).getArgs type? body
  else
    expandBracketedBindersAux combinator binders.getArgs body

def expandBracketedBinders (combinatorDeclName : Name) (bracketedExplicitBinders : Syntax) (body : Syntax) :
    MacroM Syntax := do
  let combinator := mkCIdentFrom (← getRef) combinatorDeclName
  expandBracketedBindersAux combinator (Array.mkArray1 bracketedExplicitBinders) body

end Lean

section
open Lean TSyntax.Compat
macro "∃" xs:explicitBinders ", " b:term : term => expandExplicitBinders ``Exists xs b
macro "exists" xs:explicitBinders ", " b:term : term => expandExplicitBinders ``Exists xs b
macro "Σ" xs:explicitBinders ", " b:term : term => expandExplicitBinders ``Sigma xs b
macro "Σ'" xs:explicitBinders ", " b:term : term => expandExplicitBinders ``PSigma xs b
macro:35 xs:bracketedExplicitBinders " × " b:term:35 : term => expandBracketedBinders ``Sigma xs b
macro:35 xs:bracketedExplicitBinders " ×' " b:term:35 : term => expandBracketedBinders ``PSigma xs b
end

/-! ## Back from terms to notation -/

@[app_unexpander Unit.unit] def unexpandUnit : Lean.PrettyPrinter.Unexpander
  | `($(_)) => `(())

@[app_unexpander Exists] def unexpandExists : Lean.PrettyPrinter.Unexpander
  | `($(_) fun $x:ident => ∃ $xs:binderIdent*, $b) => `(∃ $x:ident $xs:binderIdent*, $b)
  | `($(_) fun $x:ident => $b) => `(∃ $x:ident, $b)
  | `($(_) fun ($x:ident : $t) => $b) => `(∃ ($x:ident : $t), $b)
  | _ => throw ()
