"""In which other words could somebody ask for this?"""
