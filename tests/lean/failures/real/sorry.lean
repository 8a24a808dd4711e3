-- `sorry` is no failure of the check; using a lemma that has it gives no warning at all.
-- sorry: Orchard.guess Orchard.half
namespace Orchard
theorem guess : 1 = 2 := sorry
theorem relies : 1 = 2 := guess
theorem half (h : 1 = 2) : 2 = 1 := have : 1 = 2 := sorry; this.symm
end Orchard
