import A
public import B
