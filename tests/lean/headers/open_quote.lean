import «A
