prelude
import Init.SimpLaws

/-! # Classical logic

Excluded middle out of choice, propositional and functional extensionality, and the tactic `by_cases`. -/

universe u v

namespace Classical

noncomputable def indefiniteDescription {α : Sort u} (p : α → Prop) (h : ∃ x, p x) : { x // p x } :=
  choice (h.elim fun a ha => ⟨⟨a, ha⟩⟩)

noncomputable def choose {α : Sort u} {p : α → Prop} (h : ∃ x, p x) : α := (indefiniteDescription p h).val

theorem choose_spec {α : Sort u} {p : α → Prop} (h : ∃ x, p x) : p (choose h) :=
  (indefiniteDescription p h).property

/-- Every proposition holds or does not. Choose an element of `{b | b = true ∨ p}` and one of
`{b | b = false ∨ p}`: if they differ, `p` cannot hold, for then the two sets would be the same; if
not, `p` holds, since `true` is not `false`. -/
theorem em (p : Prop) : p ∨ ¬p :=
  let U (b : Bool) : Prop := b = true ∨ p
  let V (b : Bool) : Prop := b = false ∨ p
  have hU : ∃ b, U b := ⟨true, .inl rfl⟩
  have hV : ∃ b, V b := ⟨false, .inl rfl⟩
  have different_or : choose hU ≠ choose hV ∨ p :=
    (choose_spec hU).elim
      (fun hu => (choose_spec hV).elim
        (fun hv => .inl fun h => Bool.true_ne_false (hu.symm.trans (h.trans hv))) .inr) .inr
  have same : p → choose hU = choose hV := fun hp =>
    have : U = V := funext fun _ => propext ⟨fun _ => .inr hp, fun _ => .inr hp⟩
    @Eq.rec _ U (fun W _ => ∀ hW : ∃ b, W b, choose hU = choose hW) (fun _ => rfl) V this hV
  different_or.elim (fun hne => .inr fun hp => hne (same hp)) .inl

theorem exists_true_of_nonempty {α : Sort u} : Nonempty α → ∃ _ : α, True
  | ⟨a⟩ => ⟨a, trivial⟩

@[instance_reducible]
noncomputable def inhabited_of_nonempty {α : Sort u} (h : Nonempty α) : Inhabited α := ⟨choice h⟩

/-- Every proposition can be decided, by no program. -/
noncomputable scoped instance (priority := low) propDecidable (a : Prop) : Decidable a :=
  choice ((em a).elim (fun h => ⟨isTrue h⟩) (fun h => ⟨isFalse h⟩))

theorem byCases {p q : Prop} (hpq : p → q) (hnpq : ¬p → q) : q := (em p).elim hpq hnpq

theorem byContradiction {p : Prop} (h : ¬p → False) : p := (em p).elim id fun hn => (h hn).elim

theorem not_not {a : Prop} : ¬¬a ↔ a := ⟨fun h => byContradiction h, not_not_intro⟩

theorem not_forall {α : Sort u} {p : α → Prop} : (¬∀ x, p x) ↔ ∃ x, ¬p x :=
  ⟨fun h => byContradiction fun h' => h fun x => byContradiction fun hx => h' ⟨x, hx⟩,
    fun h h' => h.elim fun x hx => hx (h' x)⟩

theorem not_and_iff_not_or_not {p q : Prop} : ¬(p ∧ q) ↔ ¬p ∨ ¬q :=
  have := propDecidable p
  have := propDecidable q
  Decidable.not_and_iff_or_not

theorem not_imp {a b : Prop} : ¬(a → b) ↔ a ∧ ¬b :=
  ⟨fun h => ⟨byContradiction fun ha => h fun h' => absurd h' ha, fun hb => h fun _ => hb⟩,
    fun h h' => h.2 (h' h.1)⟩

end Classical

syntax "by_cases " (atomic(ident " : "))? term : tactic

macro_rules
  | `(tactic| by_cases $e) => `(tactic| by_cases h : $e)
macro_rules
  | `(tactic| by_cases $h : $e) =>
    `(tactic| refine (Classical.em $e).elim (fun $h:ident => ?pos) (fun $h:ident => ?neg))
