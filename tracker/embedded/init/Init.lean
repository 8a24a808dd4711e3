prelude
import Init.Conv
import Init.NatLaws
import Init.Classical
