"""What nobody sends on purpose but somebody will: five groups of cases, each made by a few lines of ours."""
