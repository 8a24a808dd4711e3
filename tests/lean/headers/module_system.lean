module -- the keyword

public import A
meta import B
public meta import C
import all D
public import all E.F

public section
import No
