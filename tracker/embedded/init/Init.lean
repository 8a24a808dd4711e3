prelude
import Init.Tactics
