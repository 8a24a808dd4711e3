import NetTies.Foundation.Batch

/-! # Layers and towers of layers

A `Layer` is a map that is differentiable everywhere with a backward function certified everywhere.
A `TiedLayer` adds the backward function that a training step *renders*, with the proof that it is
the certified one: its leaf tie. Layers compose, lift to a batch and stack into towers, and a tower
of tied layers is tied (`towerBack_eq_vjp`), by induction on its depth.

Answers: ViT's batched tie, item 2, and ConvNeXt-T's, items 2 and 3: witnesses and leaf ties at each
row. -/

namespace NetTies

variable {R : Type} [CommRing R] {m n k : Nat}

/-- A differentiable map with a certified backward function. -/
structure Layer (R : Type) [CommRing R] (m n : Nat) where
  fwd : Map R m n
  diff : ∀ x, DifferentiableAt fwd x
  vjp : HasVJP fwd

namespace Layer

/-- A layer from a differentiable witness at each point. -/
def ofWitness (f : Map R m n) (h : ∀ x, HasVJPDiffAt f x) : Layer R m n where
  fwd := f
  diff x := (h x).diff
  vjp :=
    { backward := fun x => (h x).backward
      correct := fun x => (h x).correct }

/-- The witness of a layer at a point. -/
def witness (f : Layer R m n) (x : Vec R m) : HasVJPDiffAt f.fwd x where
  toHasVJPAt := f.vjp.toHasVJPAt x
  diff := f.diff x

/-- The layer that changes nothing. -/
def id (R : Type) [CommRing R] (n : Nat) : Layer R n n := ofWitness (Map.id R n) .id

/-- `f`, then `g`. -/
def comp (g : Layer R n k) (f : Layer R m n) : Layer R m k :=
  ofWitness (g.fwd ⊚ f.fwd) fun x => (g.witness (f.fwd x)).comp (f.witness x)

/-- A layer for each of `B` rows. -/
def batchIdx (B : Nat) (f : Idx B → Layer R m n) : Layer R (B * m) (B * n) :=
  ofWitness (batchMapIdx B fun b => (f b).fwd) fun x => .batchMapIdx fun b => (f b).witness (row x b)

/-- A layer applied to each of `B` rows. -/
def batch (B : Nat) (f : Layer R m n) : Layer R (B * m) (B * n) := batchIdx B fun _ => f

/- Two equations that peel a composition one level at a time. In a long chain, rewrite with them:
a bare `rfl` compares whole chains entry by entry. -/

theorem comp_fwd (g : Layer R n k) (f : Layer R m n) : (g.comp f).fwd = g.fwd ⊚ f.fwd := rfl

theorem comp_backward (g : Layer R n k) (f : Layer R m n) (x : Vec R m) (dy : Vec R k) :
    (g.comp f).vjp.backward x dy = f.vjp.backward x (g.vjp.backward (f.fwd x) dy) := rfl

theorem batch_backward (B : Nat) (f : Layer R m n) (x : Vec R (B * m)) (dy : Vec R (B * n)) :
    (f.batch B).vjp.backward x dy = batchMapAux B f.vjp.backward x dy := rfl

/-! ### At a batch -/

/-- The batch lift of a layer is differentiable. -/
theorem batch_diff (f : Layer R m n) (B : Nat) (x : Vec R (B * m)) :
    DifferentiableAt (batchMap B f.fwd) x := .batchMap fun b => f.diff (row x b)

/-- The witness of the batch lift of a layer: its global witness at each row. -/
def batch_at (f : Layer R m n) (B : Nat) (x : Vec R (B * m)) : HasVJPAt (batchMap B f.fwd) x :=
  batchMap_has_vjp_at (fun b => f.diff (row x b)) fun b => f.vjp.toHasVJPAt (row x b)

/-- A backward slot that is tied at each example is tied at the batch. -/
theorem batchMapAux_eq_vjp (f : Layer R m n) {back : Vec R m → Vec R n → Vec R m}
    (h : ∀ x dy, back x dy = f.vjp.backward x dy) (B : Nat) (s : Vec R (B * m))
    (dy : Vec R (B * n)) : batchMapAux B back s dy = (f.batch_at B s).backward dy :=
  congrArg flatten (funext fun b => h (row s b) (row dy b))

/-- The same for a slot that needs no saved activation. -/
theorem batchFun_eq_vjp (f : Layer R m n) {back : Vec R n → Vec R m}
    (h : ∀ x dy, back dy = f.vjp.backward x dy) (B : Nat) (s : Vec R (B * m))
    (dy : Vec R (B * n)) : batchFun B back dy = (f.batch_at B s).backward dy :=
  congrArg flatten (funext fun b => h (row s b) (row dy b))

end Layer

/-! ## Rendered backward functions and their ties -/

/-- A layer with the backward function that a training step renders, tied to the certified one. -/
structure TiedLayer (R : Type) [CommRing R] (m n : Nat) extends Layer R m n where
  /-- The rendered backward function: saved input, output cotangent. -/
  back : Vec R m → Vec R n → Vec R m
  /-- The leaf tie. -/
  back_eq_vjp : ∀ x dy, back x dy = vjp.backward x dy

namespace TiedLayer

/-- `f`, then `g`; the rendered backward functions in reverse order, each at its saved input. -/
def comp (g : TiedLayer R n k) (f : TiedLayer R m n) : TiedLayer R m k where
  toLayer := g.toLayer.comp f.toLayer
  back x dy := f.back x (g.back (f.fwd x) dy)
  back_eq_vjp x dy := by
    rw [f.back_eq_vjp, g.back_eq_vjp]
    rfl

/-- A tied layer for each of `B` rows. -/
def batchIdx (B : Nat) (f : Idx B → TiedLayer R m n) : TiedLayer R (B * m) (B * n) where
  toLayer := .batchIdx B fun b => (f b).toLayer
  back := batchMapAuxIdx B fun b => (f b).back
  back_eq_vjp x dy := congrArg flatten (funext fun b => (f b).back_eq_vjp (row x b) (row dy b))

/-- A tied layer applied to each of `B` rows. -/
def batch (B : Nat) (f : TiedLayer R m n) : TiedLayer R (B * m) (B * n) := batchIdx B fun _ => f

end TiedLayer

/-! ## Towers -/

/-- The blocks of a tower run one after the other, the first of them nearest the input. -/
def towerFwd : (k : Nat) → (Idx k → Layer R n n) → Map R n n
  | 0, _ => Map.id R n
  | k + 1, w => towerFwd k (fun i => w (.succ i)) ⊚ (w .zero).fwd

/-- The reverse of a tower: each block's rendered backward function at its saved input. -/
def towerBack : (k : Nat) → (Idx k → TiedLayer R n n) → Vec R n → Vec R n → Vec R n
  | 0, _, _, dy => dy
  | k + 1, w, x, dy =>
    (w .zero).back x (towerBack k (fun i => w (.succ i)) ((w .zero).fwd x) dy)

/-- A tower of layers as one layer. -/
def tower : (k : Nat) → (Idx k → Layer R n n) → Layer R n n
  | 0, _ => Layer.id R n
  | k + 1, w => (tower k fun i => w (.succ i)).comp (w .zero)

theorem tower_fwd : (k : Nat) → (w : Idx k → Layer R n n) → (tower k w).fwd = towerFwd k w
  | 0, _ => rfl
  | k + 1, w => congrArg (fun f => f ⊚ (w .zero).fwd) (tower_fwd k fun i => w (.succ i))

/-- The tie of a tower, by induction on its depth. -/
theorem towerBack_eq_vjp : (k : Nat) → (w : Idx k → TiedLayer R n n) → (x dy : Vec R n) →
    towerBack k w x dy = (tower k fun i => (w i).toLayer).vjp.backward x dy
  | 0, _, _, _ => rfl
  | k + 1, w, x, dy => by
    rw [towerBack, (w .zero).back_eq_vjp, towerBack_eq_vjp k]
    rfl

/-- The input of each block of a tower. -/
def towerInputs : (k : Nat) → (Idx k → TiedLayer R n n) → Vec R n → Idx k → Vec R n
  | _ + 1, _, x, .zero => x
  | k + 1, w, x, .succ j => towerInputs k (fun i => w (.succ i)) ((w .zero).fwd x) j

/-- The cotangent that the reverse of a tower delivers at the output of each block. -/
def towerCots : (k : Nat) → (Idx k → TiedLayer R n n) → Vec R n → Vec R n → Idx k → Vec R n
  | k + 1, w, x, dy, .zero => towerBack k (fun i => w (.succ i)) ((w .zero).fwd x) dy
  | k + 1, w, x, dy, .succ j => towerCots k (fun i => w (.succ i)) ((w .zero).fwd x) dy j

/-- The blocks of a tower after each block, as one layer. -/
def towerAfter : (k : Nat) → (Idx k → Layer R n n) → Idx k → Layer R n n
  | k + 1, w, .zero => tower k fun i => w (.succ i)
  | k + 1, w, .succ j => towerAfter k (fun i => w (.succ i)) j

/-- The cotangent delivered at a block's output is the certified backward function of the blocks
after it. -/
theorem towerCots_eq_vjp : (k : Nat) → (w : Idx k → TiedLayer R n n) → (x dy : Vec R n) →
    (j : Idx k) → towerCots k w x dy j =
      (towerAfter k (fun i => (w i).toLayer) j).vjp.backward
        ((w j).fwd (towerInputs k w x j)) dy
  | k + 1, w, x, dy, .zero => towerBack_eq_vjp k (fun i => w (.succ i)) ((w .zero).fwd x) dy
  | k + 1, w, x, dy, .succ j =>
    towerCots_eq_vjp k (fun i => w (.succ i)) ((w .zero).fwd x) dy j

/-- A tower of tied layers is tied. -/
def tiedTower (k : Nat) (w : Idx k → TiedLayer R n n) : TiedLayer R n n where
  toLayer := tower k fun i => (w i).toLayer
  back := towerBack k w
  back_eq_vjp := towerBack_eq_vjp k w

end NetTies
