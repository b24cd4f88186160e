"""What can be asked that these chunks answer?"""
