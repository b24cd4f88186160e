"""One task per question that a model can be asked; every task also answers offline."""
