-- Two spellings of one large numeral, compared step by step.
-- expect: max-rec-depth elaborator - Orchard.far -
noncomputable section
namespace Orchard
def double (n : Nat) : Nat := Nat.rec (motive := fun _ => Nat) Nat.zero (fun _ below => below.succ.succ) n
def many : Nat := double (double (double (double (double (double (double (double (double (double
  (double (double (double (Nat.succ Nat.zero)))))))))))))

theorem far : many + Nat.zero.succ = Nat.zero.succ + many := Eq.refl (many + Nat.zero.succ)
end Orchard
