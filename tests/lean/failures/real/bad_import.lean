-- Whatever the file says after a broken header means nothing.
-- expect: bad-import environment unknown_prefix - -
import Nowhere.At.All
theorem fine : 1 = 1 := rfl
