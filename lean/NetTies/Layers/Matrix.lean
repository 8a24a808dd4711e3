import NetTies.Layers.Dense
import NetTies.Layers.LinearMaps

/-! # Products of matrices and of vectors

The products of the networks, each linear in both factors with its two transposes: the matrix
product `a b` and the product `a bᵀ` (attention), the product of a vector with a number (softmax and
normalisation), the dot product (variance) and the product of each row with a number of its own
(squeeze-excitation). The transposes are spelled with the forward products, as a training step spells
them: for `y = a b`, `da = dy bᵀ` and `db = aᵀ dy`.

Answers: the attention-block chain: products spelled with `matMulFlat` and `transposeFlat`. -/

namespace NetTies

variable {R S : Type} [CommRing R] [CommRing S] {m n k B : Nat}

/-! ## Matrix products -/

/-- The product of two flattened matrices. -/
def matMulFlat (a : Vec S (m * n)) (b : Vec S (n * k)) : Vec S (m * k) :=
  flatten fun i j => ∑ t, row a i t * row b t j

/-- The product of a flattened matrix with the transpose of another. -/
def matMulTFlat (a : Vec S (m * n)) (b : Vec S (k * n)) : Vec S (m * k) :=
  flatten fun i j => ∑ t, row a i t * row b j t

theorem row_matMulFlat (a : Vec S (m * n)) (b : Vec S (n * k)) (i : Idx m) :
    row (matMulFlat a b) i = fun j => ∑ t, row a i t * row b t j := row_flatten _ i

theorem row_matMulTFlat (a : Vec S (m * n)) (b : Vec S (k * n)) (i : Idx m) :
    row (matMulTFlat a b) i = fun j => ∑ t, row a i t * row b j t := row_flatten _ i

/-- `a bᵀ` is the product with the transpose. -/
theorem matMulTFlat_eq (a : Vec S (m * n)) (b : Vec S (k * n)) :
    matMulTFlat a b = matMulFlat a (transposeFlat b) := by
  rw [matMulTFlat, matMulFlat]
  simp only [row_transposeFlat]

/-- `(u b) ⬝ dy = u ⬝ (dy bᵀ)`. -/
theorem matMulFlat_adjoint_left (b : Vec R (n * k)) :
    Adjoint (fun u : Vec R (m * n) => matMulFlat u b) fun dy => matMulFlat dy (transposeFlat b) :=
  fun u dy => by
    rw [dot_batch, dot_batch u]
    simp only [row_matMulFlat, row_transposeFlat]
    exact sum_congr fun i => (denseBack_adjoint (row b) (row u i) (row dy i)).trans
      (sum_congr fun t => congrArg (fun s => row u i t * s)
        (sum_congr fun j => mul_comm (row b t j) (row dy i j)))

/-- `(a v) ⬝ dy = v ⬝ (aᵀ dy)`. -/
theorem matMulFlat_adjoint_right (a : Vec R (m * n)) :
    Adjoint (matMulFlat (k := k) a) fun dy => matMulFlat (transposeFlat a) dy := fun v dy => by
  rw [dot_batch, dot_batch v]
  simp only [row_matMulFlat, row_transposeFlat, dot, sum_mul, mul_sum]
  rw [sum_comm (fun t j => ∑ i, row v t j * (row a i t * row dy i j)), sum_comm]
  refine sum_congr fun j => ?_
  rw [sum_comm]
  exact sum_congr fun t => sum_congr fun i => by simp only [ring_laws]

/-- `(u bᵀ) ⬝ dy = u ⬝ (dy b)`. -/
theorem matMulTFlat_adjoint_left (b : Vec R (k * n)) :
    Adjoint (fun u : Vec R (m * n) => matMulTFlat u b) fun dy => matMulFlat dy b := fun u dy => by
  simp only [matMulTFlat_eq]
  rw [matMulFlat_adjoint_left (transposeFlat b) u dy, transposeFlat_transposeFlat]

/-- `(a vᵀ) ⬝ dy = v ⬝ (dyᵀ a)`. -/
theorem matMulTFlat_adjoint_right (a : Vec R (m * n)) :
    Adjoint (matMulTFlat (k := k) a) fun dy => matMulFlat (transposeFlat dy) a := fun v dy => by
  rw [matMulTFlat_eq, matMulFlat_adjoint_right a (transposeFlat v) dy, transposeFlat_adjoint]
  refine congrArg (dot v) (batch_ext fun j => ?_)
  simp only [row_matMulFlat, row_transposeFlat]
  exact funext fun t => sum_congr fun i => mul_comm _ _

/-- The product rule of the matrix product. -/
theorem matMulFlat_jet (p u : Vec R (m * n)) (q v : Vec R (n * k)) :
    matMulFlat (jet p u) (jet q v) =
      jet (matMulFlat p q) (matMulFlat u q + matMulFlat p v) :=
  show _ = flatten fun i j => (⟨row p i ⬝ fun t => row q t j,
    (row u i ⬝ fun t => row q t j) + row p i ⬝ fun t => row v t j⟩ : Dual R) from
  congrArg flatten (funext fun i => funext fun j =>
    (dot_jet (row p i) (row u i) (fun t => row q t j) fun t => row v t j).trans
      (Dual.ext rfl (add_comm _ _)))

/-- The product rule of the product with a transpose. -/
theorem matMulTFlat_jet (p u : Vec R (m * n)) (q v : Vec R (k * n)) :
    matMulTFlat (jet p u) (jet q v) =
      jet (matMulTFlat p q) (matMulTFlat u q + matMulTFlat p v) := by
  rw [matMulTFlat_eq, matMulTFlat_eq, matMulTFlat_eq, matMulTFlat_eq]
  exact matMulFlat_jet p u (transposeFlat q) (transposeFlat v)

namespace Bilinear

/-- The matrix product `a b`. -/
def matMul (R : Type) [CommRing R] (m n k : Nat) : Bilinear R (m * n) (n * k) (m * k) where
  op := matMulFlat
  onDual := matMulFlat
  backL b dy := matMulFlat dy (transposeFlat b)
  backR a dy := matMulFlat (transposeFlat a) dy
  onDual_jet := matMulFlat_jet
  adjointL := matMulFlat_adjoint_left
  adjointR := matMulFlat_adjoint_right

/-- The matrix product `a bᵀ`. -/
def matMulT (R : Type) [CommRing R] (m n k : Nat) : Bilinear R (m * n) (k * n) (m * k) where
  op := matMulTFlat
  onDual := matMulTFlat
  backL b dy := matMulFlat dy b
  backR a dy := matMulFlat (transposeFlat dy) a
  onDual_jet := matMulTFlat_jet
  adjointL := matMulTFlat_adjoint_left
  adjointR := matMulTFlat_adjoint_right

/-! ## Products of vectors -/

/-- The dot product. -/
def dot (R : Type) [CommRing R] (n : Nat) : Bilinear R n n 1 where
  op p q _ := p ⬝ q
  onDual p q _ := p ⬝ q
  backL q dy i := q i * dy .zero
  backR p dy i := p i * dy .zero
  onDual_jet p u q v := funext fun _ => (dot_jet p u q v).trans (Dual.ext rfl (add_comm _ _))
  adjointL q v dy := (add_zero _).trans ((sum_mul (fun i => v i * q i) (dy .zero)).trans
    (sum_congr fun i => mul_assoc (v i) (q i) (dy .zero)))
  adjointR p v dy := (add_zero _).trans ((sum_mul (fun i => p i * v i) (dy .zero)).trans
    (sum_congr fun i => by simp only [ring_laws]))

/-- A vector times a number. -/
def scaleBy (R : Type) [CommRing R] (n : Nat) : Bilinear R n 1 n where
  op p s i := p i * s .zero
  onDual p s i := p i * s .zero
  backL s dy i := s .zero * dy i
  backR p dy _ := p ⬝ dy
  onDual_jet p u q v := funext fun i => Dual.ext rfl (add_comm _ _)
  adjointL s v dy := sum_congr fun i => mul_assoc (v i) (s .zero) (dy i)
  adjointR p v dy := by
    show ∑ i, p i * v .zero * dy i = v .zero * (∑ i, p i * dy i) + 0
    rw [add_zero, mul_sum]
    exact sum_congr fun i => by simp only [ring_laws]

end Bilinear

end NetTies
