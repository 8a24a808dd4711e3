-- expect: kernel-rejects kernel non_positive_occurrence Orchard.Bad -
namespace Orchard
inductive Bad where
  | mk : (Bad → Nat) → Bad
end Orchard
