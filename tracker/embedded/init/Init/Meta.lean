prelude
import Init.String
import Init.Coe

/-! # Syntax

The types in which the elaborator hands over syntax, and the monads in which macros and unexpanders
run. The binary has their constructors, in this order, compiled in: it reads and writes these values. A
function marked `extern "lean_native"` is the binary's own, which the interpreter finds by the name of
the declaration. -/

universe u v w

/- The generated code for computed fields casts with this. -/
unsafe def unsafeCast {α : Sort u} {β : Sort v} (a : α) : β :=
  PLift.down (ULift.down.{max u v} (cast lcProof (ULift.up.{max u v} (PLift.up a))))

namespace Lean

/-- Hierarchical names. -/
inductive Name where
  | anonymous : Name
  | str (pre : Name) (str : String)
  | num (pre : Name) (i : Nat)
with
  /-- A hash, kept inside the name. -/
  @[computed_field, inline] hash : Name → UInt64
    | .anonymous => .ofNatLT 1723 (of_decide_eq_true rfl)
    | .str p s => mixHash p.hash s.hash
    | .num p v => mixHash p.hash
      (dite (LT.lt v UInt64.size) (fun h => .ofNatLT v h) (fun _ => .ofNatLT 17 (of_decide_eq_true rfl)))

instance : Inhabited Name where
  default := Name.anonymous

instance : Hashable Name where
  hash := Name.hash

namespace Name

@[export lean_name_mk_string] abbrev mkStr (p : Name) (s : String) : Name := .str p s

@[export lean_name_mk_numeral] abbrev mkNum (p : Name) (v : Nat) : Name := .num p v

abbrev mkSimple (s : String) : Name := .str .anonymous s

@[reducible] def mkStr1 (s₁ : String) : Name := .str .anonymous s₁

@[reducible] def mkStr2 (s₁ s₂ : String) : Name := .str (mkStr1 s₁) s₂

@[reducible] def mkStr3 (s₁ s₂ s₃ : String) : Name := .str (mkStr2 s₁ s₂) s₃

@[reducible] def mkStr4 (s₁ s₂ s₃ s₄ : String) : Name := .str (mkStr3 s₁ s₂ s₃) s₄

@[reducible] def mkStr5 (s₁ s₂ s₃ s₄ s₅ : String) : Name := .str (mkStr4 s₁ s₂ s₃ s₄) s₅

@[reducible] def mkStr6 (s₁ s₂ s₃ s₄ s₅ s₆ : String) : Name := .str (mkStr5 s₁ s₂ s₃ s₄ s₅) s₆

@[reducible] def mkStr7 (s₁ s₂ s₃ s₄ s₅ s₆ s₇ : String) : Name := .str (mkStr6 s₁ s₂ s₃ s₄ s₅ s₆) s₇

@[reducible] def mkStr8 (s₁ s₂ s₃ s₄ s₅ s₆ s₇ s₈ : String) : Name := .str (mkStr7 s₁ s₂ s₃ s₄ s₅ s₆ s₇) s₈

@[extern "lean_name_eq"]
protected def beq : (@& Name) → (@& Name) → Bool
  | anonymous, anonymous => true
  | str p s, str q t => and (BEq.beq s t) (Name.beq p q)
  | num p m, num q n => and (BEq.beq m n) (Name.beq p q)
  | _, _ => false

instance : BEq Name where
  beq := Name.beq

end Name

/-- Where a piece of syntax comes from. -/
inductive SourceInfo where
  | original (leading : Substring.Raw) (pos : String.Pos.Raw) (trailing : Substring.Raw)
    (endPos : String.Pos.Raw)
  | synthetic (pos : String.Pos.Raw) (endPos : String.Pos.Raw) (canonical := false)
  | protected none

instance : Inhabited SourceInfo := ⟨SourceInfo.none⟩

abbrev SyntaxNodeKind := Name

/-- What an identifier meant where a quotation was written. -/
inductive Syntax.Preresolved where
  | namespace (ns : Name)
  | decl (n : Name) (fields : List String)

/-- Syntax trees. -/
inductive Syntax where
  | missing : Syntax
  | node (info : SourceInfo) (kind : SyntaxNodeKind) (args : Array Syntax) : Syntax
  | atom (info : SourceInfo) (val : String) : Syntax
  | ident (info : SourceInfo) (rawVal : Substring.Raw) (val : Name)
    (preresolved : List Syntax.Preresolved) : Syntax

instance : Inhabited Syntax where
  default := Syntax.missing

namespace Syntax

def node1 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ : Syntax) : Syntax :=
  node info kind (Array.mkArray1 a₁)

def node2 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ : Syntax) : Syntax :=
  node info kind (Array.mkArray2 a₁ a₂)

def node3 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ : Syntax) : Syntax :=
  node info kind (Array.mkArray3 a₁ a₂ a₃)

def node4 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ : Syntax) : Syntax :=
  node info kind (Array.mkArray4 a₁ a₂ a₃ a₄)

def node5 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ a₅ : Syntax) : Syntax :=
  node info kind (Array.mkArray5 a₁ a₂ a₃ a₄ a₅)

def node6 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ a₅ a₆ : Syntax) : Syntax :=
  node info kind (Array.mkArray6 a₁ a₂ a₃ a₄ a₅ a₆)

def node7 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ a₅ a₆ a₇ : Syntax) : Syntax :=
  node info kind (Array.mkArray7 a₁ a₂ a₃ a₄ a₅ a₆ a₇)

def node8 (info : SourceInfo) (kind : SyntaxNodeKind) (a₁ a₂ a₃ a₄ a₅ a₆ a₇ a₈ : Syntax) : Syntax :=
  node info kind (Array.mkArray8 a₁ a₂ a₃ a₄ a₅ a₆ a₇ a₈)

end Syntax

@[implicit_reducible] def SyntaxNodeKinds := List SyntaxNodeKind

/-- Syntax that is known to be of one of the kinds `ks`. -/
structure TSyntax (ks : SyntaxNodeKinds) where
  raw : Syntax

instance : Inhabited (TSyntax ks) where
  default := ⟨default⟩

abbrev choiceKind : SyntaxNodeKind := `choice
abbrev nullKind : SyntaxNodeKind := `null
abbrev groupKind : SyntaxNodeKind := `group
abbrev identKind : SyntaxNodeKind := `ident
abbrev strLitKind : SyntaxNodeKind := `str
abbrev charLitKind : SyntaxNodeKind := `char
abbrev numLitKind : SyntaxNodeKind := `num
abbrev scientificLitKind : SyntaxNodeKind := `scientific
abbrev nameLitKind : SyntaxNodeKind := `name
abbrev fieldIdxKind : SyntaxNodeKind := `fieldIdx
abbrev hygieneInfoKind : SyntaxNodeKind := `hygieneInfo
abbrev interpolatedStrLitKind : SyntaxNodeKind := `interpolatedStrLitKind
abbrev interpolatedStrKind : SyntaxNodeKind := `interpolatedStrKind

@[inline] def mkNode (k : SyntaxNodeKind) (args : Array Syntax) : TSyntax (.cons k .nil) :=
  ⟨Syntax.node SourceInfo.none k args⟩

@[inline] def mkNullNode (args : Array Syntax := Array.empty) : Syntax := (mkNode nullKind args).raw

namespace Syntax

def getKind (stx : Syntax) : SyntaxNodeKind :=
  match stx with
  | .node _ k _ => k
  | .missing => `missing
  | .atom _ v => Name.mkSimple v
  | .ident .. => identKind

def isOfKind (stx : Syntax) (k : SyntaxNodeKind) : Bool := BEq.beq stx.getKind k

def getArgs (stx : Syntax) : Array Syntax :=
  match stx with
  | .node _ _ args => args
  | _ => Array.empty

def getArg (stx : Syntax) (i : Nat) : Syntax := stx.getArgs.getD i .missing

def getNumArgs (stx : Syntax) : Nat := stx.getArgs.size

def isMissing : Syntax → Bool
  | .missing => true
  | _ => false

def isNodeOf (stx : Syntax) (k : SyntaxNodeKind) (n : Nat) : Bool :=
  and (stx.isOfKind k) (BEq.beq stx.getNumArgs n)

def isIdent : Syntax → Bool
  | .ident .. => true
  | _ => false

def getId : Syntax → Name
  | .ident _ _ val _ => val
  | _ => .anonymous

def getOptional? (stx : Syntax) : Option Syntax :=
  match stx.isNodeOf nullKind 1 with
  | true => some (stx.getArg 0)
  | false => none

def matchesNull (stx : Syntax) (n : Nat) : Bool := stx.isNodeOf nullKind n

@[extern "lean_native"] opaque matchesIdent (stx : Syntax) (id : Name) : Bool

def matchesLit (stx : Syntax) (k : SyntaxNodeKind) (val : String) : Bool :=
  match stx with
  | .node _ k' args => and (BEq.beq k k') (match args.getD 0 .missing with
    | .atom _ val' => BEq.beq val val'
    | _ => false)
  | _ => false

/-- Elements and the separators between them. -/
structure SepArray (sep : String) where
  elemsAndSeps : Array Syntax

structure TSepArray (ks : SyntaxNodeKinds) (sep : String) where
  elemsAndSeps : Array Syntax

end Syntax

abbrev TSyntaxArray (ks : SyntaxNodeKinds) := Array (TSyntax ks)

/- `TSyntax` is compiled to `Syntax`, hence arrays of them need no conversion. -/
unsafe def TSyntaxArray.rawImpl : TSyntaxArray ks → Array Syntax := unsafeCast

@[implemented_by TSyntaxArray.rawImpl]
opaque TSyntaxArray.raw (as : TSyntaxArray ks) : Array Syntax := Array.empty

unsafe def TSyntaxArray.mkImpl : Array Syntax → TSyntaxArray ks := unsafeCast

@[implemented_by TSyntaxArray.mkImpl]
opaque TSyntaxArray.mk (as : Array Syntax) : TSyntaxArray ks := Array.empty

@[extern "lean_native"] opaque SourceInfo.fromRef (ref : Syntax) (canonical := false) : SourceInfo

def mkAtom (val : String) : Syntax := .atom .none val

def mkAtomFrom (src : Syntax) (val : String) (canonical := false) : Syntax :=
  .atom (.fromRef src canonical) val

/-! ## Grammar -/

/-- A parser, as the `syntax` command describes it. -/
inductive ParserDescr where
  | const (name : Name)
  | unary (name : Name) (p : ParserDescr)
  | binary (name : Name) (p₁ p₂ : ParserDescr)
  | node (kind : SyntaxNodeKind) (prec : Nat) (p : ParserDescr)
  | trailingNode (kind : SyntaxNodeKind) (prec lhsPrec : Nat) (p : ParserDescr)
  | symbol (val : String)
  | nonReservedSymbol (val : String) (includeIdent : Bool)
  | cat (catName : Name) (rbp : Nat)
  | parser (declName : Name)
  | nodeWithAntiquot (name : String) (kind : SyntaxNodeKind) (p : ParserDescr)
  | sepBy (p : ParserDescr) (sep : String) (psep : ParserDescr) (allowTrailingSep : Bool := false)
  | sepBy1 (p : ParserDescr) (sep : String) (psep : ParserDescr) (allowTrailingSep : Bool := false)
  | unicodeSymbol (val asciiVal : String) (preserveForPP : Bool)

instance : Inhabited ParserDescr where
  default := ParserDescr.symbol ""

abbrev TrailingParserDescr := ParserDescr

/-- The type of the declarations that stand for syntax categories. -/
structure Parser.Category

/-! ## Hygiene -/

abbrev MacroScope := Nat

class MonadRef (m : Type → Type) where
  getRef : m Syntax
  withRef {α} : Syntax → m α → m α

export MonadRef (getRef)

@[extern "lean_native"] opaque replaceRef (ref : Syntax) (oldRef : Syntax) : Syntax

@[always_inline, inline]
def withRef [Monad m] [MonadRef m] {α} (ref : Syntax) (x : m α) : m α :=
  bind getRef fun oldRef => MonadRef.withRef (replaceRef ref oldRef) x

@[always_inline, inline]
def withRef? [Monad m] [MonadRef m] {α} (ref? : Option Syntax) (x : m α) : m α :=
  match ref? with
  | some ref => withRef ref x
  | _ => x

class MonadQuotation (m : Type → Type) extends MonadRef m where
  getCurrMacroScope : m MacroScope
  getContext : m Name
  withFreshMacroScope {α : Type} : m α → m α

export MonadQuotation (getCurrMacroScope withFreshMacroScope)

@[inline] def MonadRef.mkInfoFromRefPos [Monad m] [MonadRef m] : m SourceInfo :=
  bind getRef fun ref => pure (SourceInfo.fromRef ref)

@[extern "lean_native"] opaque addMacroScope (ctx : Name) (n : Name) (scp : MacroScope) : Name

@[inline] def MonadQuotation.addMacroScope {m : Type → Type} [MonadQuotation m] [Monad m] (n : Name) : m Name :=
  bind MonadQuotation.getContext fun ctx =>
  bind getCurrMacroScope fun scp =>
  pure (Lean.addMacroScope ctx n scp)

/-! ## Macros -/

def defaultMaxRecDepth := 512

namespace Macro

opaque MethodsRefPointed : NonemptyType.{0}

def MethodsRef : Type := MethodsRefPointed.type

structure Context where
  methods : MethodsRef
  quotContext : Name
  currMacroScope : MacroScope
  currRecDepth : Nat := 0
  maxRecDepth : Nat := defaultMaxRecDepth
  ref : Syntax

inductive Exception where
  | error : Syntax → String → Exception
  | unsupportedSyntax : Exception

structure State where
  macroScope : MacroScope
  traceMsgs : List (Prod Name String) := List.nil
  private expandedMacroDecls : List Name := List.nil

end Macro

abbrev MacroM := ReaderT Macro.Context (EStateM Macro.Exception Macro.State)

abbrev Macro := Syntax → MacroM Syntax

namespace Macro

instance : MonadRef MacroM where
  getRef := fun ctx => pure ctx.ref
  withRef := fun ref x ctx => x { ctx with ref := ref }

def throwUnsupported {α} : MacroM α := throw Exception.unsupportedSyntax

def throwError {α} (msg : String) : MacroM α :=
  bind getRef fun ref => throw (Exception.error ref msg)

def throwErrorAt {α} (ref : Syntax) (msg : String) : MacroM α := withRef ref (throwError msg)

@[inline] protected def withFreshMacroScope {α} (x : MacroM α) : MacroM α := fun ctx s =>
  x { ctx with currMacroScope := s.macroScope } { s with macroScope := HAdd.hAdd s.macroScope 1 }

instance : MonadQuotation MacroM where
  getCurrMacroScope ctx := pure ctx.currMacroScope
  getContext ctx := pure ctx.quotContext
  withFreshMacroScope := Macro.withFreshMacroScope

end Macro

namespace PrettyPrinter

abbrev UnexpandM := ReaderT Syntax (EStateM Unit Unit)

/-- Turns a term that was pretty-printed as an application back into notation. -/
abbrev Unexpander := Syntax → UnexpandM Syntax

instance : MonadQuotation UnexpandM where
  getRef := fun ref => pure ref
  withRef ref x := fun _ => x ref
  getCurrMacroScope := pure 0
  getContext := pure `_fakeMod
  withFreshMacroScope := id

end PrettyPrinter

end Lean

/-! ## Coercions between kinds of syntax -/

namespace Lean

instance : CoeOut (TSyntax ks) Syntax where
  coe stx := stx.raw

/- The same without a search: every quotation asks for it many times. -/
instance (priority := 10000) (stx : TSyntax ks) : CoeT (TSyntax ks) stx Syntax where
  coe := stx.raw

instance : Coe SyntaxNodeKind SyntaxNodeKinds where
  coe k := List.cons k List.nil

instance : CoeDep Name k SyntaxNodeKinds where
  coe := List.cons k List.nil

/- Syntax of a kind is syntax of that kind or others. -/
instance : Coe (TSyntax (List.cons k List.nil)) (TSyntax (List.cons k ks)) where
  coe stx := ⟨stx.raw⟩

instance : Coe (TSyntax ks) (TSyntax (List.cons k' ks)) where
  coe stx := ⟨stx.raw⟩

abbrev Syntax.Term := TSyntax `term
abbrev Syntax.Command := TSyntax `command
protected abbrev Syntax.Level := TSyntax `level
protected abbrev Syntax.Tactic := TSyntax `tactic
abbrev Syntax.Prec := TSyntax `prec
abbrev Syntax.Prio := TSyntax `prio
abbrev Syntax.Ident := TSyntax identKind
abbrev Syntax.StrLit := TSyntax strLitKind
abbrev Syntax.CharLit := TSyntax charLitKind
abbrev Syntax.NameLit := TSyntax nameLitKind
abbrev Syntax.ScientificLit := TSyntax scientificLitKind
abbrev Syntax.NumLit := TSyntax numLitKind

export Syntax (Term Command Prec Prio Ident StrLit CharLit NameLit ScientificLit NumLit)

def mkIdentFrom (src : Syntax) (val : Name) (canonical := false) : Ident :=
  ⟨.ident (.fromRef src canonical) "".toRawSubstring' val .nil⟩

/-- An identifier that means the declaration `c` wherever it is put. -/
def mkCIdentFrom (src : Syntax) (c : Name) (canonical := false) : Ident :=
  ⟨.ident (.fromRef src canonical) "".toRawSubstring' (addMacroScope `_internal c 0)
    (.cons (.decl c .nil) .nil)⟩

namespace TSyntax

instance : Coe Ident Term where
  coe s := ⟨s.raw⟩

instance : Coe StrLit Term where
  coe s := ⟨s.raw⟩

instance : Coe NameLit Term where
  coe s := ⟨s.raw⟩

instance : Coe ScientificLit Term where
  coe s := ⟨s.raw⟩

instance : Coe NumLit Term where
  coe s := ⟨s.raw⟩

instance : Coe CharLit Term where
  coe s := ⟨s.raw⟩

instance : Coe Term (TSyntax `Lean.Parser.Term.funBinder) where
  coe s := ⟨s.raw⟩

instance : Coe Ident (TSyntax `Lean.Parser.Command.declId) where
  coe s := ⟨s.raw⟩

instance : Coe Ident Syntax.Level where
  coe s := ⟨s.raw⟩

instance : Coe NumLit Prio where
  coe s := ⟨s.raw⟩

instance : Coe NumLit Prec where
  coe s := ⟨s.raw⟩

/-- Untyped syntax wherever typed syntax is wanted. -/
scoped instance Compat.instCoeTailSyntax : CoeTail Syntax (TSyntax k) where
  coe s := ⟨s⟩

end TSyntax

end Lean
