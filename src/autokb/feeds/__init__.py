"""What sources over the network give, item by item: web pages, articles of a help centre, tickets of trackers."""
