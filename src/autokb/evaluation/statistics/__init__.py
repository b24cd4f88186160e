"""How sure a figure is: bootstrap intervals over queries and over clusters, and paired differences."""
