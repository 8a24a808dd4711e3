import NetTies.Layers.Matrix

/-! # Convolution

A convolution is a product, linear in the weights and in the image, so one definition gives the layer,
its transposed backward and its weight gradient.

* `Bilinear.stencil src`: one channel. Output position `p` reads, through tap `k`, input position
  `src p k`, or zero where the tap falls outside the image (padding). Stride, padding and kernel size
  are in `src`.
* `Bilinear.matrix O C β`: `O` output channels, each the sum over `C` input channels of a product.
* `convLayer` is the full convolution, `depthwiseLayer` the one that keeps channels apart.

The rendered backward functions are the transposes: the cotangent of input position `q` collects, over
all output positions and taps that read `q`, the weight times the output cotangent.

Answers: ConvNeXt-T's batched tie, item 3: stem, depthwise and downsampling convolutions. -/

namespace NetTies

variable {R S : Type} [CommRing R] [CommRing S] {K P P' O C a b c : Nat}

/-! ## Reading through a tap -/

/-- The entry at a position, or zero outside. -/
def pick (x : Vec S P) : Option (Idx P) → S
  | none => 0
  | some q => x q

/-- One at the position a tap reads, zero elsewhere. -/
def hit : Option (Idx P) → Vec R P
  | none => 0
  | some q => delta q

theorem pick_eq_sum (x : Vec R P) : (s : Option (Idx P)) → pick x s = ∑ q, x q * hit s q
  | none => (dot_zero x).symm
  | some q => (dot_delta x q).symm

theorem pick_jet (x v : Vec R P) : (s : Option (Idx P)) →
    pick (jet x v) s = (⟨pick x s, pick v s⟩ : Dual R)
  | none => rfl
  | some _ => rfl

/-! ## One channel -/

/-- The weighted sum of what the taps read. -/
def stencil (src : Idx P' → Idx K → Option (Idx P)) (w : Vec S K) (x : Vec S P) : Vec S P' :=
  fun p => w ⬝ fun k => pick x (src p k)

/-- The weight gradient of one channel. -/
def stencilWeightGrad (src : Idx P' → Idx K → Option (Idx P)) (x : Vec R P) (dy : Vec R P') :
    Vec R K := fun k => ∑ p, pick x (src p k) * dy p

/-- The transposed stencil. -/
def stencilBack (src : Idx P' → Idx K → Option (Idx P)) (w : Vec R K) (dy : Vec R P') : Vec R P :=
  fun q => ∑ p, ∑ k, w k * hit (src p k) q * dy p

/-- One channel of a convolution, linear in weights and image. -/
def Bilinear.stencil (src : Idx P' → Idx K → Option (Idx P)) : Bilinear R K P P' where
  op := NetTies.stencil src
  onDual := NetTies.stencil src
  backL := stencilWeightGrad src
  backR := stencilBack src
  onDual_jet w u x v := funext fun p => by
    show jet w u ⬝ (fun k => pick (jet x v) (src p k)) = _
    rw [show (fun k => pick (jet x v) (src p k)) =
      jet (fun k => pick x (src p k)) fun k => pick v (src p k) from
      funext fun k => pick_jet x v (src p k), dot_jet]
    exact Dual.ext rfl (add_comm _ _)
  adjointL x u dy := by
    show ∑ p, (∑ k, u k * pick x (src p k)) * dy p = ∑ k, u k * (∑ p, pick x (src p k) * dy p)
    simp only [sum_mul, mul_sum]
    rw [sum_comm]
    exact sum_congr fun k => sum_congr fun p => mul_assoc _ _ _
  adjointR w v dy := by
    show ∑ p, (∑ k, w k * pick v (src p k)) * dy p =
      ∑ q, v q * (∑ p, ∑ k, w k * hit (src p k) q * dy p)
    simp only [pick_eq_sum, sum_mul, mul_sum]
    rw [sum_comm (fun q p => ∑ k, v q * (w k * hit (src p k) q * dy p))]
    refine sum_congr fun p => ?_
    rw [sum_comm]
    exact sum_congr fun q => sum_congr fun k => by simp only [ring_laws]

/-! ## All channels -/

/-- `O` sums over `C` of products. -/
def Bilinear.matrix (O C : Nat) (β : Bilinear R a b c) :
    Bilinear R (O * (C * a)) (C * b) (O * c) where
  op W x := flatten fun o => vecSum fun i => β.op (row (row W o) i) (row x i)
  onDual W x := flatten fun o => vecSum fun i => β.onDual (row (row W o) i) (row x i)
  backL x dy := flatten fun o => flatten fun i => β.backL (row x i) (row dy o)
  backR W dy := flatten fun i => vecSum fun o => β.backR (row (row W o) i) (row dy o)
  onDual_jet W U x v :=
    show _ = flatten fun o => jet (vecSum fun i => β.op (row (row W o) i) (row x i))
      ((vecSum fun i => β.op (row (row U o) i) (row x i)) +
        vecSum fun i => β.op (row (row W o) i) (row v i)) from
    congrArg flatten (funext fun o => funext fun j => by
      show ∑ i, β.onDual (jet (row (row W o) i) (row (row U o) i)) (jet (row x i) (row v i)) j = _
      simp only [β.onDual_jet]
      exact (sum_dual (fun i => β.op (row (row W o) i) (row x i) j) _).trans
        (Dual.ext rfl (sum_add (fun i => β.op (row (row U o) i) (row x i) j)
          fun i => β.op (row (row W o) i) (row v i) j)))
  adjointL x U dy := by
    rw [dot_batch, dot_batch U]
    refine sum_congr fun o => ?_
    rw [row_flatten, row_flatten, vecSum_dot, dot_batch]
    exact sum_congr fun i => by rw [row_flatten, β.adjointL (row x i)]
  adjointR W v dy := by
    rw [dot_batch, dot_batch v]
    simp only [row_flatten, vecSum_dot, dot_vecSum]
    rw [sum_comm]
    exact sum_congr fun i => sum_congr fun o => β.adjointR (row (row W o) i) (row v i) (row dy o)

/-! ## Geometry -/

/-- The position at a number, if there is one. -/
def Idx.ofNat? : (n : Nat) → Nat → Option (Idx n)
  | 0, _ => none
  | _ + 1, 0 => some .zero
  | n + 1, u + 1 =>
    match Idx.ofNat? n u with
    | none => none
    | some i => some (.succ i)

/-- The position at `u - pad`, if there is one. -/
def unpad (n : Nat) : Nat → Nat → Option (Idx n)
  | 0, u => Idx.ofNat? n u
  | _ + 1, 0 => none
  | pad + 1, u + 1 => unpad n pad u

/-- The geometry of a convolution along one axis. -/
structure Axis where
  /-- Input positions. -/
  size : Nat
  /-- Output positions. -/
  out : Nat
  /-- Taps. -/
  taps : Nat
  stride : Nat
  /-- Zeros before the first input position. -/
  pad : Nat

/-- Output position `i` reads, through tap `k`, input position `i * stride + k - pad`. -/
def Axis.src (α : Axis) (i : Idx α.out) (k : Idx α.taps) : Option (Idx α.size) :=
  unpad α.size α.pad (i.val * α.stride + k.val)

/- Five positions, three taps, stride two, one zero before: the outer taps at the ends fall outside. -/
example : (⟨5, 3, 3, 2, 1⟩ : Axis).src 0 0 = none := rfl
example : (⟨5, 3, 3, 2, 1⟩ : Axis).src 0 1 = some 0 := rfl
example : (⟨5, 3, 3, 2, 1⟩ : Axis).src 1 0 = some 1 := rfl
example : (⟨5, 3, 3, 2, 1⟩ : Axis).src 2 2 = none := rfl

/-- A position in the plane from one on each axis. -/
def Idx.pair? {m n : Nat} : Option (Idx m) → Option (Idx n) → Option (Idx (m * n))
  | some i, some j => some (.pair i j)
  | _, _ => none

/-- The taps of a convolution in the plane: rows by `α`, columns by `β`. -/
def planeSrc (α β : Axis) (p : Idx (α.out * β.out)) (k : Idx (α.taps * β.taps)) :
    Option (Idx (α.size * β.size)) :=
  Idx.pair? (α.src p.unpair.fst k.unpair.fst) (β.src p.unpair.snd k.unpair.snd)

/-! ## The layers -/

/-- One number for each channel, at all its positions. -/
def perChannel (P : Nat) (x : Vec S O) : Vec S (O * P) := flatten fun o _ => x o

/-- Convolution with a bias for each output channel. -/
def convLayer (O C : Nat) (src : Idx P' → Idx K → Option (Idx P)) (W : Vec R (O * (C * K)))
    (b : Vec R O) : Layer R (C * P) (O * P') :=
  ((Bilinear.matrix O C (.stencil src)).right W).layer.bias (perChannel P' b)

/-- The rendered backward function: for each input channel, the transposed stencils of all output
channels. -/
def convBack (O C : Nat) (src : Idx P' → Idx K → Option (Idx P)) (W : Vec R (O * (C * K)))
    (dy : Vec R (O * P')) : Vec R (C * P) :=
  flatten fun i => vecSum fun o => stencilBack src (row (row W o) i) (row dy o)

theorem convLayer_apply (src : Idx P' → Idx K → Option (Idx P)) (W : Vec R (O * (C * K)))
    (b : Vec R O) (x : Vec R (C * P)) (o : Idx O) (p : Idx P') :
    row ((convLayer O C src W b).fwd x) o p =
      ∑ i, (∑ k, row (row W o) i k * pick (row x i) (src p k)) + b o := by
  show row (flatten fun o => vecSum fun i => stencil src (row (row W o) i) (row x i)) o p +
    row (flatten fun (o : Idx O) (_ : Idx P') => b o) o p = _
  rw [row_flatten, row_flatten]
  rfl

/-- The leaf tie of convolution. -/
theorem convBack_eq_vjp (src : Idx P' → Idx K → Option (Idx P)) (W : Vec R (O * (C * K)))
    (b : Vec R O) (x : Vec R (C * P)) (dy : Vec R (O * P')) :
    convBack O C src W dy = (convLayer O C src W b).vjp.backward x dy := rfl

/-- Depthwise convolution: each channel has weights of its own. -/
def depthwiseLayer (C : Nat) (src : Idx P' → Idx K → Option (Idx P)) (W : Vec R (C * K))
    (b : Vec R C) : Layer R (C * P) (C * P') :=
  (((Bilinear.stencil src).batch C).right W).layer.bias (perChannel P' b)

/-- The rendered backward function: each channel's transposed stencil. -/
def depthwiseBack (C : Nat) (src : Idx P' → Idx K → Option (Idx P)) (W : Vec R (C * K))
    (dy : Vec R (C * P')) : Vec R (C * P) :=
  batchMapAux C (stencilBack src) W dy

/-- The leaf tie of depthwise convolution. -/
theorem depthwiseBack_eq_vjp (src : Idx P' → Idx K → Option (Idx P)) (W : Vec R (C * K))
    (b : Vec R C) (x : Vec R (C * P)) (dy : Vec R (C * P')) :
    depthwiseBack C src W dy = (depthwiseLayer C src W b).vjp.backward x dy := rfl

end NetTies
