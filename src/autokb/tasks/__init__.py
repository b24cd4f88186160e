"""One room per question that a model can be asked; every room also answers offline."""
