import NetTies.Nets.ViT.ViTBlock

/-! # The attention-block cotangent chain

The cotangent that the backward chain of a transformer block delivers at each of its sites, per
example, composed of the rendered backward functions: per-token dense (`rowDenseBack`), the GELU mask
at the saved pre-activation, rowwise layer normalisation (`rowLNBack`), the rowwise softmax backward
from the saved scores, and the attention products spelled with the forward products on cotangents.

The MLP residual passes the cotangent on *and* sends it down the LN₂ branch (`vitCotH`); the attention
residual likewise (`vitCotXin`). At the output of LN₁ three cotangents meet, those of queries, keys
and values, and are added (`vitCotLn1`).

The attention segments are the closed forms: `vitCotD{Q,K,V}_eq_sdpaBack{Q,K,V}`; and each closed
form is a certified backward function (`NetTies.Layers.Attention`).

Answers: the attention-block chain, all of it for one head. -/

namespace NetTies

variable {R : Type} [Scalars R] {T H D d M : Nat}

/-- The rendered backward function of layer normalisation on each token, from the saved input. -/
def rowLNBack (T : Nat) (ε : R) (γ : Vec R D) (x dy : Vec R (T * D)) : Vec R (T * D) :=
  batchMapAux T (vecLNBack ε γ) x dy

/-- The tie of rowwise layer normalisation. -/
theorem rowLNBack_eq_vjp (T : Nat) (ε : R) (hε : 0 < ε) (γ β : Vec R D) (x dy : Vec R (T * D)) :
    rowLNBack T ε γ x dy = ((vecLN ε hε γ β).batch T).vjp.backward x dy :=
  (vecLN ε hε γ β).batchMapAux_eq_vjp (vecLNBack_eq_vjp ε hε γ β) T x dy

/-- With one scale for all entries, it is the backward function of the scalar normalisation. -/
theorem rowLNBack_scalar (T : Nat) (ε γ : R) (x dy : Vec R (T * D)) :
    rowLNBack T ε (fun _ => γ) x dy = batchMapAux T (scalarLNBack ε γ) x dy := rfl

/-! ## The MLP branch -/

/-- At the pre-activation: the second dense layer's input gradient, masked by GELU. -/
def vitCotM1 (g : GeluForm) (W₂ : Mat R M D) (m1 : Vec R (T * M)) (dy : Vec R (T * D)) :
    Vec R (T * M) := g.back m1 (rowDenseBack T W₂ dy)

theorem vitCotM1_apply (g : GeluForm) (W₂ : Mat R M D) (m1 : Vec R (T * M)) (dy : Vec R (T * D))
    (i : Idx (T * M)) :
    vitCotM1 g W₂ m1 dy i = rowDenseBack T W₂ dy i * g.scalarDeriv (m1 i) := rfl

/-- At the output of LN₂. -/
def vitCotLn2 (W₁ : Mat R D M) (cotM1 : Vec R (T * M)) : Vec R (T * D) := rowDenseBack T W₁ cotM1

/-- At `h`: the residual's cotangent and that of the LN₂ branch. -/
def vitCotH (ε : R) (γ₂ : Vec R D) (h cotLn2 dy : Vec R (T * D)) : Vec R (T * D) :=
  dy + rowLNBack T ε γ₂ h cotLn2

/-! ## The attention branch -/

/-- At the attention output, before the output projection. -/
def vitCotAtt (Wo : Mat R D D) (dy : Vec R (T * D)) : Vec R (T * D) := rowDenseBack T Wo dy

/-- At the weights of one head: `dP = dO Vᵀ`. -/
def vitCotDP (V dO : Vec R (T * d)) : Vec R (T * T) := matMulFlat dO (transposeFlat V)

/-- At the unscaled scores of one head: the softmax backward at the saved scores, scaled. -/
def vitCotDS (c : R) (scores dP : Vec R (T * T)) : Vec R (T * T) := fun i =>
  c * rowSoftmaxBack T scores dP i

/-- At the queries of one head: `dQ = dS K`. -/
def vitCotDQ (K : Vec R (T * d)) (dS : Vec R (T * T)) : Vec R (T * d) := matMulFlat dS K

/-- At the keys of one head: `dK = dSᵀ Q`. -/
def vitCotDK (Q : Vec R (T * d)) (dS : Vec R (T * T)) : Vec R (T * d) :=
  matMulFlat (transposeFlat dS) Q

/-- At the values of one head: `dV = Pᵀ dO`. -/
def vitCotDV (P : Vec R (T * T)) (dO : Vec R (T * d)) : Vec R (T * d) :=
  matMulFlat (transposeFlat P) dO

/-- At the output of LN₁: the three-way fan-in of queries, keys and values. -/
def vitCotLn1 (Wq Wk Wv : Mat R D D) (dQ dK dV : Vec R (T * D)) : Vec R (T * D) :=
  rowDenseBack T Wq dQ + rowDenseBack T Wk dK + rowDenseBack T Wv dV

/-- At the block's input: the residual's cotangent and that of the LN₁ branch. -/
def vitCotXin (ε : R) (γ₁ : Vec R D) (x cotLn1 cotH : Vec R (T * D)) : Vec R (T * D) :=
  cotH + rowLNBack T ε γ₁ x cotLn1

/-! ## The chain is the closed form -/

/-- At the saved values, `vitCotDP` is the closed form. -/
theorem vitCotDP_eq_sdpaDWeights (V dO : Vec R (T * d)) :
    vitCotDP V dO = flatten (sdpaDWeights (row V) (row dO)) :=
  batch_ext fun i => (row_dWeightsFlat V dO i).trans (row_flatten _ i).symm

/-- At the saved scores, `vitCotDS` is the closed form. -/
theorem vitCotDS_eq_sdpaDScaled (c : R) (Q K V dO : Vec R (T * d)) :
    vitCotDS c (scoresFlat c Q K) (vitCotDP V dO) =
      flatten (sdpaDScaled c (row Q) (row K) (row V) (row dO)) :=
  batch_ext fun i => (row_dScaledFlat c Q K V dO i).trans (row_flatten _ i).symm

theorem vitCotDQ_eq_sdpaBackQ (c : R) (Q K V dO : Vec R (T * d)) :
    vitCotDQ K (vitCotDS c (scoresFlat c Q K) (vitCotDP V dO)) =
      flatten (sdpaBackQ c (row Q) (row K) (row V) (row dO)) := sdpaBackQ_flat c Q K V dO

theorem vitCotDK_eq_sdpaBackK (c : R) (Q K V dO : Vec R (T * d)) :
    vitCotDK Q (vitCotDS c (scoresFlat c Q K) (vitCotDP V dO)) =
      flatten (sdpaBackK c (row Q) (row K) (row V) (row dO)) := sdpaBackK_flat c Q K V dO

theorem vitCotDV_eq_sdpaBackV (c : R) (Q K dO : Vec R (T * d)) :
    vitCotDV (rowSoftmax T (scoresFlat c Q K)) dO =
      flatten (sdpaBackV c (row Q) (row K) (row dO)) := sdpaBackV_flat c Q K dO

end NetTies
