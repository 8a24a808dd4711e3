prelude
import Init.Core
