"""What each type of source gives: web pages, articles of a help centre, tickets of trackers, checkouts of git."""
