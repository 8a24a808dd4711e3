prelude
import Init.Decide

/-! # Monads

The classes behind `do` and the monads that macros run in. -/

universe u v w

class Bind (m : Type u → Type v) where
  bind : {α β : Type u} → m α → (α → m β) → m β

export Bind (bind)

class Pure (f : Type u → Type v) where
  pure {α : Type u} : α → f α

export Pure (pure)

class Functor (f : Type u → Type v) : Type (max (u+1) v) where
  map : {α β : Type u} → (α → β) → f α → f β
  mapConst : {α β : Type u} → α → f β → f α := Function.comp map (Function.const _)

class Seq (f : Type u → Type v) : Type (max (u+1) v) where
  seq : {α β : Type u} → f (α → β) → (Unit → f α) → f β

class SeqLeft (f : Type u → Type v) : Type (max (u+1) v) where
  seqLeft : {α β : Type u} → f α → (Unit → f β) → f α

class SeqRight (f : Type u → Type v) : Type (max (u+1) v) where
  seqRight : {α β : Type u} → f α → (Unit → f β) → f β

class Applicative (f : Type u → Type v) extends Functor f, Pure f, Seq f, SeqLeft f, SeqRight f where
  map := fun x y => Seq.seq (pure x) fun _ => y
  seqLeft := fun a b => Seq.seq (Functor.map (Function.const _) a) b
  seqRight := fun a b => Seq.seq (Functor.map (Function.const _ id) a) b

class Monad (m : Type u → Type v) : Type (max (u+1) v) extends Applicative m, Bind m where
  map f x := bind x (Function.comp pure f)
  seq f x := bind f fun y => Functor.map y (x ())
  seqLeft x y := bind x fun a => bind (y ()) (fun _ => pure a)
  seqRight x y := bind x fun _ => y ()

class MonadLift (m : semiOutParam (Type u → Type v)) (n : Type u → Type w) where
  monadLift : {α : Type u} → m α → n α

class MonadLiftT (m : Type u → Type v) (n : Type u → Type w) where
  monadLift : {α : Type u} → m α → n α

export MonadLiftT (monadLift)

abbrev liftM := @monadLift

@[always_inline] instance (m n o) [MonadLift n o] [MonadLiftT m n] : MonadLiftT m o where
  monadLift x := MonadLift.monadLift (m := n) (monadLift x)

instance (m) : MonadLiftT m m where
  monadLift x := x

/-- A result, or the error that stands in its place. -/
inductive Except (ε : Type u) (α : Type v) where
  | error : ε → Except ε α
  | ok : α → Except ε α

class MonadExceptOf (ε : semiOutParam (Type u)) (m : Type v → Type w) where
  throw {α : Type v} : ε → m α
  tryCatch {α : Type v} (body : m α) (handler : ε → m α) : m α

abbrev throwThe (ε : Type u) {m : Type v → Type w} [MonadExceptOf ε m] {α : Type v} (e : ε) : m α :=
  MonadExceptOf.throw e

abbrev tryCatchThe (ε : Type u) {m : Type v → Type w} [MonadExceptOf ε m] {α : Type v} (x : m α)
    (handle : ε → m α) : m α :=
  MonadExceptOf.tryCatch x handle

class MonadExcept (ε : outParam (Type u)) (m : Type v → Type w) where
  throw {α : Type v} : ε → m α
  tryCatch {α : Type v} : (body : m α) → (handler : ε → m α) → m α

export MonadExcept (throw tryCatch)

instance (ε : Type u) (m : Type v → Type w) [MonadExceptOf ε m] : MonadExcept ε m where
  throw := throwThe ε
  tryCatch := tryCatchThe ε

/-! ## Reading -/

@[implicit_reducible] def ReaderT (ρ : Type u) (m : Type u → Type v) (α : Type u) : Type (max u v) :=
  (a : @&ρ) → m α

@[always_inline, inline]
def ReaderT.run {ρ : Type u} {m : Type u → Type v} {α : Type u} (x : ReaderT ρ m α) (r : ρ) : m α := x r

instance {ρ : Type u} {m : Type u → Type v} : MonadLift m (ReaderT ρ m) where
  monadLift x := fun _ => x

@[always_inline] instance {ρ : Type u} {m : Type u → Type v} (ε) [MonadExceptOf ε m] :
    MonadExceptOf ε (ReaderT ρ m) where
  throw e := fun _ => throwThe ε e
  tryCatch := fun x c r => tryCatchThe ε (x r) (fun e => (c e) r)

@[always_inline, inline]
protected def ReaderT.pure {ρ : Type u} {m : Type u → Type v} [Monad m] {α} (a : α) : ReaderT ρ m α :=
  fun _ => pure a

@[always_inline, inline]
protected def ReaderT.bind {ρ : Type u} {m : Type u → Type v} [Monad m] {α β} (x : ReaderT ρ m α)
    (f : α → ReaderT ρ m β) : ReaderT ρ m β :=
  fun r => bind (x r) fun a => f a r

@[always_inline] instance {ρ : Type u} {m : Type u → Type v} [Monad m] : Monad (ReaderT ρ m) where
  pure := ReaderT.pure
  bind := ReaderT.bind

class MonadReaderOf (ρ : semiOutParam (Type u)) (m : Type u → Type v) where
  read : m ρ

class MonadReader (ρ : outParam (Type u)) (m : Type u → Type v) where
  read : m ρ

export MonadReader (read)

@[always_inline, inline]
def readThe (ρ : Type u) {m : Type u → Type v} [MonadReaderOf ρ m] : m ρ := MonadReaderOf.read

instance (ρ : Type u) (m : Type u → Type v) [MonadReaderOf ρ m] : MonadReader ρ m where
  read := readThe ρ

instance {ρ : Type u} {m : Type u → Type v} [Monad m] : MonadReaderOf ρ (ReaderT ρ m) where
  read := fun r => pure r

/-! ## State and exceptions -/

namespace EStateM

inductive Result (ε σ α : Type u) where
  | ok : α → σ → Result ε σ α
  | error : ε → σ → Result ε σ α

end EStateM

open EStateM (Result) in
/-- Computations with a state that may fail; a failure keeps the state it was met in. -/
def EStateM (ε σ α : Type u) := σ → Result ε σ α

namespace EStateM

variable {ε σ α β : Type u}

@[always_inline, inline] protected def pure (a : α) : EStateM ε σ α := fun s => Result.ok a s

@[always_inline, inline] protected def set (s : σ) : EStateM ε σ PUnit := fun _ => Result.ok ⟨⟩ s

@[always_inline, inline] protected def get : EStateM ε σ σ := fun s => Result.ok s s

@[always_inline, inline] protected def throw (e : ε) : EStateM ε σ α := fun s => Result.error e s

@[always_inline, inline]
protected def bind (x : EStateM ε σ α) (f : α → EStateM ε σ β) : EStateM ε σ β := fun s =>
  match x s with
  | Result.ok a s => f a s
  | Result.error e s => Result.error e s

class Backtrackable (δ : outParam (Type u)) (σ : Type u) where
  save : σ → δ
  restore : σ → δ → σ

@[always_inline, inline]
protected def tryCatch {δ} [Backtrackable δ σ] {α} (x : EStateM ε σ α) (handle : ε → EStateM ε σ α) :
    EStateM ε σ α := fun s =>
  let d := Backtrackable.save s
  match x s with
  | Result.error e s => handle e (Backtrackable.restore s d)
  | Result.ok a s => Result.ok a s

@[always_inline] instance instMonad : Monad (EStateM ε σ) where
  bind := EStateM.bind
  pure := EStateM.pure

@[inline] def dummySave : σ → PUnit := fun _ => ⟨⟩

@[inline] def dummyRestore : σ → PUnit → σ := fun s _ => s

instance nonBacktrackable : Backtrackable PUnit σ where
  save := dummySave
  restore := dummyRestore

instance {δ} [Backtrackable δ σ] : MonadExceptOf ε (EStateM ε σ) where
  throw := EStateM.throw
  tryCatch := EStateM.tryCatch

end EStateM
