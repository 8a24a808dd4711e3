import NetTies.Foundation.Layer

/-! # Sums, products and shared parameters

How layers are put together from smaller ones, each construction with its certified backward
function:

* `Layer.const`, `Layer.add`: cotangents of a sum are added (fan-in), so a residual connection
  passes the cotangent on and adds that of its branch (`Layer.residual`);
* `Linear`: a linear map with its transpose;
* `Bilinear`: a product of two vectors with its two transposes, and `Layer.bilin`, the product of two
  layers, by the product rule;
* `Layer.shared`: one parameter used by every example, whose gradient is the sum over the examples.

Answers: the attention-block chain: residuals and fan-in; ViT-Tiny's step tie: shared parameters. -/

namespace NetTies

variable {R : Type} [CommRing R] {m n k a b c B : Nat}

/-! ## Constants and sums -/

/-- A map that ignores its input. -/
def Map.const (m : Nat) (y : Vec R n) : Map R m n where
  toFun _ := y
  onDual _ := lift y

/-- The sum of two maps. -/
instance : Add (Map R m n) where
  add f g := ⟨fun x => f x + g x, fun x => f.onDual x + g.onDual x⟩

/-- Nothing flows back through a constant. -/
def HasVJPDiffAt.const (y : Vec R n) (x : Vec R m) : HasVJPDiffAt (Map.const m y) x :=
  .ofAdjoint (fun _ => 0) (fun _ => 0) (fun _ => rfl) fun v dy => by rw [zero_dot, dot_zero]

/-- The cotangent of a sum flows back through both summands. -/
def HasVJPDiffAt.add {f g : Map R m n} {x : Vec R m} (hf : HasVJPDiffAt f x)
    (hg : HasVJPDiffAt g x) : HasVJPDiffAt (f + g) x :=
  .ofAdjoint (fun v => jvp f x v + jvp g x v) (fun dy => hf.backward dy + hg.backward dy)
    (fun v => by
      show f.onDual (jet x v) + g.onDual (jet x v) = _
      rw [hf.diff, hg.diff]
      rfl)
    fun v dy => by rw [add_dot, hf.adjoint, hg.adjoint, dot_add]

namespace Layer

/-- The layer that ignores its input. -/
def const (m : Nat) (y : Vec R n) : Layer R m n := ofWitness (Map.const m y) (.const y)

/-- The sum of two layers. -/
def add (f g : Layer R m n) : Layer R m n :=
  ofWitness (f.fwd + g.fwd) fun x => (f.witness x).add (g.witness x)

/-- A layer around which its input is passed on: `x + f x`. -/
def residual (f : Layer R n n) : Layer R n n := (Layer.id R n).add f

theorem residual_backward (f : Layer R n n) (x dy : Vec R n) :
    f.residual.vjp.backward x dy = dy + f.vjp.backward x dy := rfl

/-- A layer with a constant added to its output. -/
def bias (f : Layer R m n) (y : Vec R n) : Layer R m n :=
  ofWitness (f.fwd + Map.const m y) fun x =>
    { backward := f.vjp.backward x
      correct := fun dy i => by
        rw [← ((f.witness x).add (.const y x)).correct dy i]
        exact (add_zero _).symm
      diff := ((f.witness x).add (.const y x)).diff }

end Layer

/-! ## Linear maps -/

/-- A linear map with its transpose. -/
structure Linear (R : Type) [CommRing R] (m n : Nat) where
  map : Map R m n
  /-- The transpose. -/
  adj : Vec R n → Vec R m
  /-- On dual numbers the map acts on the value and on the derivative. -/
  onDual_jet : ∀ x v, map.onDual (jet x v) = jet (map x) (map v)
  adjoint : Adjoint map.toFun adj

namespace Linear

/-- A linear map is its own derivative, and its transpose is its backward function. -/
def layer (A : Linear R m n) : Layer R m n :=
  .ofWitness A.map fun x => .ofAdjoint A.map A.adj (A.onDual_jet x) A.adjoint

/-- The composition of two linear maps; transposes in reverse order. -/
def comp (A : Linear R n k) (A' : Linear R m n) : Linear R m k where
  map := A.map ⊚ A'.map
  adj dy := A'.adj (A.adj dy)
  onDual_jet x v := by
    show A.map.onDual (A'.map.onDual (jet x v)) = _
    rw [A'.onDual_jet, A.onDual_jet]
    rfl
  adjoint := A'.adjoint.comp A.adjoint

end Linear

/-! ## Products -/

/-- A product of two vectors, linear in each, with its two transposes. -/
structure Bilinear (R : Type) [CommRing R] (a b c : Nat) where
  op : Vec R a → Vec R b → Vec R c
  onDual : Vec (Dual R) a → Vec (Dual R) b → Vec (Dual R) c
  /-- The cotangent of the left factor, at the right one. -/
  backL : Vec R b → Vec R c → Vec R a
  /-- The cotangent of the right factor, at the left one. -/
  backR : Vec R a → Vec R c → Vec R b
  /-- The product rule. -/
  onDual_jet : ∀ p u q v, onDual (jet p u) (jet q v) = jet (op p q) (op u q + op p v)
  adjointL : ∀ q, Adjoint (fun p => op p q) (backL q)
  adjointR : ∀ p, Adjoint (op p) (backR p)

/-- The product on each of `B` rows. -/
def Bilinear.batch (B : Nat) (β : Bilinear R a b c) : Bilinear R (B * a) (B * b) (B * c) where
  op p q := flatten fun i => β.op (row p i) (row q i)
  onDual p q := flatten fun i => β.onDual (row p i) (row q i)
  backL := batchMapAux B β.backL
  backR := batchMapAux B β.backR
  onDual_jet p u q v :=
    show (flatten fun i => β.onDual (jet (row p i) (row u i)) (jet (row q i) (row v i))) =
      flatten fun i => jet (β.op (row p i) (row q i))
        (β.op (row u i) (row q i) + β.op (row p i) (row v i)) from
    congrArg flatten (funext fun i => β.onDual_jet (row p i) (row u i) (row q i) (row v i))
  adjointL q := .batch fun i => β.adjointL (row q i)
  adjointR p := .batch fun i => β.adjointR (row p i)

/-- The product of two maps. -/
def Map.bilin (β : Bilinear R a b c) (f : Map R m a) (g : Map R m b) : Map R m c where
  toFun x := β.op (f x) (g x)
  onDual x := β.onDual (f.onDual x) (g.onDual x)

/-- The cotangent of a product flows back through both factors. -/
def HasVJPDiffAt.bilin (β : Bilinear R a b c) {f : Map R m a} {g : Map R m b} {x : Vec R m}
    (hf : HasVJPDiffAt f x) (hg : HasVJPDiffAt g x) : HasVJPDiffAt (Map.bilin β f g) x :=
  .ofAdjoint (fun v => β.op (jvp f x v) (g x) + β.op (f x) (jvp g x v))
    (fun dy => hf.backward (β.backL (g x) dy) + hg.backward (β.backR (f x) dy))
    (fun v => by
      show β.onDual (f.onDual (jet x v)) (g.onDual (jet x v)) = _
      rw [hf.diff, hg.diff, β.onDual_jet]
      rfl)
    fun v dy => by
      rw [add_dot, β.adjointL (g x), β.adjointR (f x), hf.adjoint, hg.adjoint, dot_add]

/-- The product of two layers. -/
def Layer.bilin (β : Bilinear R a b c) (f : Layer R m a) (g : Layer R m b) : Layer R m c :=
  ofWitness (.bilin β f.fwd g.fwd) fun x => .bilin β (f.witness x) (g.witness x)

/-- A product as a layer in its left factor. -/
def Bilinear.left (β : Bilinear R a b c) (q : Vec R b) : Linear R a c where
  map := ⟨fun p => β.op p q, fun p => β.onDual p (lift q)⟩
  adj := β.backL q
  onDual_jet p u := by
    have h : β.op p 0 = 0 := vec_ext_dot fun w => by
      rw [dot_comm, β.adjointR p 0 w, zero_dot, dot_zero]
    show β.onDual (jet p u) (jet q 0) = _
    rw [β.onDual_jet, h, vec_add_zero]
  adjoint := β.adjointL q

/-- A product as a layer in its right factor. -/
def Bilinear.right (β : Bilinear R a b c) (p : Vec R a) : Linear R b c where
  map := ⟨β.op p, β.onDual (lift p)⟩
  adj := β.backR p
  onDual_jet q v := by
    have h : β.op 0 q = 0 := vec_ext_dot fun w => by
      rw [dot_comm, β.adjointL q 0 w, zero_dot, dot_zero]
    show β.onDual (jet p 0) (jet q v) = _
    rw [β.onDual_jet, h, vec_zero_add]
  adjoint := β.adjointR p

/-! ## Shared parameters -/

/-- The sum of a family of vectors. -/
def vecSum (f : Idx B → Vec R n) : Vec R n := fun i => ∑ b, f b i

theorem dot_vecSum (u : Vec R n) (f : Idx B → Vec R n) : u ⬝ vecSum f = ∑ b, u ⬝ f b := by
  show ∑ i, u i * (∑ b, f b i) = ∑ b, ∑ i, u i * f b i
  rw [sum_comm]
  exact sum_congr fun i => mul_sum (u i) fun b => f b i

theorem vecSum_dot (f : Idx B → Vec R n) (u : Vec R n) : vecSum f ⬝ u = ∑ b, f b ⬝ u := by
  rw [dot_comm, dot_vecSum]
  exact sum_congr fun b => dot_comm u (f b)

/-- A batch of outputs that all read the same input. -/
def Map.shared (f : Idx B → Map R m n) : Map R m (B * n) where
  toFun x := flatten fun b => f b x
  onDual x := flatten fun b => (f b).onDual x

/-- The gradient of a shared input is the sum over the batch. -/
def HasVJPDiffAt.shared {f : Idx B → Map R m n} {x : Vec R m}
    (h : ∀ b, HasVJPDiffAt (f b) x) : HasVJPDiffAt (Map.shared f) x :=
  .ofAdjoint (fun v => flatten fun b => jvp (f b) x v)
    (fun dy => vecSum fun b => (h b).backward (row dy b))
    (fun v => show (flatten fun b => (f b).onDual (jet x v)) =
        flatten fun b => jet (f b x) (jvp (f b) x v) from
      congrArg flatten (funext fun b => (h b).diff v))
    fun v dy => by
      rw [dot_batch, dot_vecSum]
      exact sum_congr fun b => by rw [row_flatten, (h b).adjoint]

/-- A layer for each example, all at the same input. -/
def Layer.shared (f : Idx B → Layer R m n) : Layer R m (B * n) :=
  ofWitness (.shared fun b => (f b).fwd) fun x => .shared fun b => (f b).witness x

end NetTies
