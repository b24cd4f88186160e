"""Do the cited passages bear this suggestion out?"""
