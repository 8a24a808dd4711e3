prelude
import Init.Grammar

/-! # Symbols

The usual infix, prefix and postfix symbols. `infixl` and its like would do; but each of those makes
two functions by quotation, which takes Lean a tenth of a second to compile, and there are forty. Here
is the same grammar, with the same meaning and the same printing, out of functions that all share. -/

namespace Lean.Internal

open PrettyPrinter (Unexpander)

/-- What stands between and beside the symbols. -/
private def operands (stx : Syntax) : Array Syntax :=
  go stx.getArgs.toList
where
  go : List Syntax → Array Syntax
    | .nil => .empty
    | .cons (.atom ..) rest => go rest
    | .cons arg rest => Array.append (Array.mkArray1 arg) (go rest)

/-- The symbol stands for the function `f`. -/
private def expandCall (f : Name) : Macro := fun stx => do
  let ref ← getRef
  pure (.node2 (.fromRef ref) `Lean.Parser.Term.app (mkCIdentFrom ref f) (mkNullNode (operands stx)))

/-- The symbol stands for `op% f …`, whose elaborator looks at a whole expression and puts in
coercions where they are due. -/
private def expandOperator (op : String) (kind : SyntaxNodeKind) (f : Name) : Macro := fun stx => do
  let ref ← getRef
  let head := Array.mkArray2 (mkAtomFrom ref op) (mkCIdentFrom ref f).raw
  pure (.node (.fromRef ref) kind (Array.append head (operands stx)))

private def binop := expandOperator "binop% " `Lean.Parser.Term.binop
private def unop := expandOperator "unop% " `Lean.Parser.Term.unop
private def leftact := expandOperator "leftact% " `Lean.Parser.Term.leftact
private def rightact := expandOperator "rightact% " `Lean.Parser.Term.rightact
private def binrel := expandOperator "binrel% " `Lean.Parser.Term.binrel
private def binrelNoProp := expandOperator "binrel_no_prop% " `Lean.Parser.Term.binrel_no_prop

/-- `f a b` was `a tok b`. -/
private def unexpandInfix (kind : SyntaxNodeKind) (tok : String) : Unexpander := fun stx => do
  let args := stx.getArg 1
  let ref ← getRef
  match args.getNumArgs with
  | 2 => pure (.node3 (.fromRef ref) kind (args.getArg 0) (mkAtomFrom ref tok) (args.getArg 1))
  | _ => throw ()

/-- `f a` was `tok a`. -/
private def unexpandPrefix (kind : SyntaxNodeKind) (tok : String) : Unexpander := fun stx => do
  let args := stx.getArg 1
  let ref ← getRef
  match args.getNumArgs with
  | 1 => pure (.node2 (.fromRef ref) kind (mkAtomFrom ref tok) (args.getArg 0))
  | _ => throw ()

/-- `f a` was `a tok`. -/
private def unexpandPostfix (kind : SyntaxNodeKind) (tok : String) : Unexpander := fun stx => do
  let args := stx.getArg 1
  let ref ← getRef
  match args.getNumArgs with
  | 1 => pure (.node2 (.fromRef ref) kind (args.getArg 0) (mkAtomFrom ref tok))
  | _ => throw ()

end Lean.Internal

open Lean PrettyPrinter Lean.Internal

syntax (name := rawNatLit) "nat_lit " num : term

syntax:90 (name := «term_∘_») term:91 " ∘ " term:90 : term
@[macro «term_∘_»] private def Function.comp.expand : Macro := expandCall ``Function.comp
@[app_unexpander Function.comp] private def Function.comp.unexpand : Unexpander := unexpandInfix ``«term_∘_» "∘"

syntax:35 (name := «term_×_») term:36 " × " term:35 : term
@[macro «term_×_»] private def Prod.expand : Macro := expandCall ``Prod
@[app_unexpander Prod] private def Prod.unexpand : Unexpander := unexpandInfix ``«term_×_» "×"

syntax:35 (name := «term_×'_») term:36 " ×' " term:35 : term
@[macro «term_×'_»] private def PProd.expand : Macro := expandCall ``PProd
@[app_unexpander PProd] private def PProd.unexpand : Unexpander := unexpandInfix ``«term_×'_» "×'"

syntax:50 (name := «term_∣_») term:51 " ∣ " term:51 : term
@[macro «term_∣_»] private def Dvd.dvd.expand : Macro := expandCall ``Dvd.dvd
@[app_unexpander Dvd.dvd] private def Dvd.dvd.unexpand : Unexpander := unexpandInfix ``«term_∣_» "∣"

syntax:65 (name := «term_+_») term:65 " + " term:66 : term
@[macro «term_+_»] private def HAdd.hAdd.expand : Macro := binop ``HAdd.hAdd
@[app_unexpander HAdd.hAdd] private def HAdd.hAdd.unexpand : Unexpander := unexpandInfix ``«term_+_» "+"

syntax:65 (name := «term_-_») term:65 " - " term:66 : term
@[macro «term_-_»] private def HSub.hSub.expand : Macro := binop ``HSub.hSub
@[app_unexpander HSub.hSub] private def HSub.hSub.unexpand : Unexpander := unexpandInfix ``«term_-_» "-"

syntax:70 (name := «term_*_») term:70 " * " term:71 : term
@[macro «term_*_»] private def HMul.hMul.expand : Macro := binop ``HMul.hMul
@[app_unexpander HMul.hMul] private def HMul.hMul.unexpand : Unexpander := unexpandInfix ``«term_*_» "*"

syntax:70 (name := «term_/_») term:70 " / " term:71 : term
@[macro «term_/_»] private def HDiv.hDiv.expand : Macro := binop ``HDiv.hDiv
@[app_unexpander HDiv.hDiv] private def HDiv.hDiv.unexpand : Unexpander := unexpandInfix ``«term_/_» "/"

syntax:70 (name := «term_%_») term:70 " % " term:71 : term
@[macro «term_%_»] private def HMod.hMod.expand : Macro := binop ``HMod.hMod
@[app_unexpander HMod.hMod] private def HMod.hMod.unexpand : Unexpander := unexpandInfix ``«term_%_» "%"

syntax:80 (name := «term_^_») term:81 " ^ " term:80 : term
@[macro «term_^_»] private def HPow.hPow.expand : Macro := rightact ``HPow.hPow
@[app_unexpander HPow.hPow] private def HPow.hPow.unexpand : Unexpander := unexpandInfix ``«term_^_» "^"

syntax:65 (name := «term_++_») term:65 " ++ " term:66 : term
@[macro «term_++_»] private def HAppend.hAppend.expand : Macro := binop ``HAppend.hAppend
@[app_unexpander HAppend.hAppend] private def HAppend.hAppend.unexpand : Unexpander := unexpandInfix ``«term_++_» "++"

syntax:73 (name := «term_•_») term:74 " • " term:73 : term
@[macro «term_•_»] private def HSMul.hSMul.expand : Macro := leftact ``HSMul.hSMul
@[app_unexpander HSMul.hSMul] private def HSMul.hSMul.unexpand : Unexpander := unexpandInfix ``«term_•_» "•"

syntax:50 (name := «term_≤_») term:51 unicode(" ≤ ", " <= ") term:51 : term
@[macro «term_≤_»] private def LE.le.expand : Macro := binrel ``LE.le
@[app_unexpander LE.le] private def LE.le.unexpand : Unexpander := unexpandInfix ``«term_≤_» "≤"

syntax:50 (name := «term_<_») term:51 " < " term:51 : term
@[macro «term_<_»] private def LT.lt.expand : Macro := binrel ``LT.lt
@[app_unexpander LT.lt] private def LT.lt.unexpand : Unexpander := unexpandInfix ``«term_<_» "<"

syntax:50 (name := «term_≥_») term:51 unicode(" ≥ ", " >= ") term:51 : term
@[macro «term_≥_»] private def GE.ge.expand : Macro := binrel ``GE.ge
@[app_unexpander GE.ge] private def GE.ge.unexpand : Unexpander := unexpandInfix ``«term_≥_» "≥"

syntax:50 (name := «term_>_») term:51 " > " term:51 : term
@[macro «term_>_»] private def GT.gt.expand : Macro := binrel ``GT.gt
@[app_unexpander GT.gt] private def GT.gt.unexpand : Unexpander := unexpandInfix ``«term_>_» ">"

syntax:50 (name := «term_=_») term:51 " = " term:51 : term
@[macro «term_=_»] private def Eq.expand : Macro := binrel ``Eq
@[app_unexpander Eq] private def Eq.unexpand : Unexpander := unexpandInfix ``«term_=_» "="

syntax:50 (name := «term_==_») term:51 " == " term:51 : term
@[macro «term_==_»] private def BEq.beq.expand : Macro := binrelNoProp ``BEq.beq
@[app_unexpander BEq.beq] private def BEq.beq.unexpand : Unexpander := unexpandInfix ``«term_==_» "=="

syntax:50 (name := «term_≍_») term:51 " ≍ " term:51 : term
@[macro «term_≍_»] private def HEq.expand : Macro := expandCall ``HEq
@[app_unexpander HEq] private def HEq.unexpand : Unexpander := unexpandInfix ``«term_≍_» "≍"

syntax:35 (name := «term_∧_») term:36 unicode(" ∧ ", " /\\ ") term:35 : term
@[macro «term_∧_»] private def And.expand : Macro := expandCall ``And
@[app_unexpander And] private def And.unexpand : Unexpander := unexpandInfix ``«term_∧_» "∧"

syntax:30 (name := «term_∨_») term:31 unicode(" ∨ ", " \\/ ") term:30 : term
@[macro «term_∨_»] private def Or.expand : Macro := expandCall ``Or
@[app_unexpander Or] private def Or.unexpand : Unexpander := unexpandInfix ``«term_∨_» "∨"

syntax:35 (name := «term_&&_») term:35 " && " term:36 : term
@[macro «term_&&_»] private def and.expand : Macro := expandCall ``and
@[app_unexpander and] private def and.unexpand : Unexpander := unexpandInfix ``«term_&&_» "&&"

syntax:30 (name := «term_||_») term:30 " || " term:31 : term
@[macro «term_||_»] private def or.expand : Macro := expandCall ``or
@[app_unexpander or] private def or.unexpand : Unexpander := unexpandInfix ``«term_||_» "||"

syntax:67 (name := «term_::_») term:68 " :: " term:67 : term
@[macro «term_::_»] private def List.cons.expand : Macro := expandCall ``List.cons
@[app_unexpander List.cons] private def List.cons.unexpand : Unexpander := unexpandInfix ``«term_::_» "::"

syntax:100 (name := «term_<$>_») term:101 " <$> " term:100 : term
@[macro «term_<$>_»] private def Functor.map.expand : Macro := expandCall ``Functor.map
@[app_unexpander Functor.map] private def Functor.map.unexpand : Unexpander := unexpandInfix ``«term_<$>_» "<$>"

syntax:55 (name := «term_>>=_») term:55 " >>= " term:56 : term
@[macro «term_>>=_»] private def Bind.bind.expand : Macro := expandCall ``Bind.bind
@[app_unexpander Bind.bind] private def Bind.bind.unexpand : Unexpander := unexpandInfix ``«term_>>=_» ">>="

syntax:30 (name := «term_⊕_») term:31 " ⊕ " term:30 : term
@[macro «term_⊕_»] private def Sum.expand : Macro := expandCall ``Sum
@[app_unexpander Sum] private def Sum.unexpand : Unexpander := unexpandInfix ``«term_⊕_» "⊕"

syntax:30 (name := «term_⊕'_») term:31 " ⊕' " term:30 : term
@[macro «term_⊕'_»] private def PSum.expand : Macro := expandCall ``PSum
@[app_unexpander PSum] private def PSum.unexpand : Unexpander := unexpandInfix ``«term_⊕'_» "⊕'"

syntax:50 (name := «term_≠_») term:51 " ≠ " term:51 : term
@[macro «term_≠_»] private def Ne.expand : Macro := binrel ``Ne
@[app_unexpander Ne] private def Ne.unexpand : Unexpander := unexpandInfix ``«term_≠_» "≠"

syntax:50 (name := «term_!=_») term:51 " != " term:51 : term
@[macro «term_!=_»] private def bne.expand : Macro := binrelNoProp ``bne
@[app_unexpander bne] private def bne.unexpand : Unexpander := unexpandInfix ``«term_!=_» "!="

syntax:50 (name := «term_≈_») term:51 " ≈ " term:51 : term
@[macro «term_≈_»] private def HasEquiv.Equiv.expand : Macro := expandCall ``HasEquiv.Equiv
@[app_unexpander HasEquiv.Equiv] private def HasEquiv.Equiv.unexpand : Unexpander := unexpandInfix ``«term_≈_» "≈"

syntax:20 (name := «term_<->_») term:21 " <-> " term:21 : term
@[macro «term_<->_»] private def Iff.expandAscii : Macro := expandCall ``Iff

syntax:20 (name := «term_↔_») term:21 " ↔ " term:21 : term
@[macro «term_↔_»] private def Iff.expand : Macro := expandCall ``Iff
@[app_unexpander Iff] private def Iff.unexpand : Unexpander := unexpandInfix ``«term_↔_» "↔"

syntax:75 (name := «term-_») "-" term:75 : term
@[macro «term-_»] private def Neg.neg.expand : Macro := unop ``Neg.neg
@[app_unexpander Neg.neg] private def Neg.neg.unexpand : Unexpander := unexpandPrefix ``«term-_» "-"

syntax:max (name := «term_⁻¹») term:max "⁻¹" : term
@[macro «term_⁻¹»] private def Inv.inv.expand : Macro := expandCall ``Inv.inv
@[app_unexpander Inv.inv] private def Inv.inv.unexpand : Unexpander := unexpandPostfix ``«term_⁻¹» "⁻¹"

syntax:max (name := «term¬_») "¬" term:40 : term
@[macro «term¬_»] private def Not.expand : Macro := expandCall ``Not
@[app_unexpander Not] private def Not.unexpand : Unexpander := unexpandPrefix ``«term¬_» "¬"

syntax:max (name := «term!_») "!" term:40 : term
@[macro «term!_»] private def not.expand : Macro := expandCall ``not
@[app_unexpander not] private def not.unexpand : Unexpander := unexpandPrefix ``«term!_» "!"

notation:50 a:50 " ∈ " b:50 => Membership.mem b a
notation:50 a:50 " ∉ " b:50 => ¬ (a ∈ b)
