theorem Gradients.draft : 1 = 1 := rfl
