import Größe.α₁
import ℕ.𝔸
