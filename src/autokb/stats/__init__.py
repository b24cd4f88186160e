"""How sure a figure is: bootstrap intervals over cases and clusters, shares, paired differences, agreement."""
