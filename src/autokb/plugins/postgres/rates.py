"""How far each key has emptied its bucket of requests, for all processes of the service together, on Postgres.

The table is not logged: a crash of the server empties it, which lets each key send a burst more. What adds to it is one
statement of its own, and waits for no writer of the workspace.
"""

from __future__ import annotations

_NOW = "extract(epoch FROM now())"  # of the server, so that clocks of machines may differ
# In the order of keys: two processes that lock the same rows never wait for each other in a circle.
SHARE = f"""
INSERT INTO request_rate (key, full_at)
SELECT key, {_NOW} + seconds FROM unnest(CAST(? AS text[]), CAST(? AS float8[])) AS told (key, seconds) ORDER BY key
ON CONFLICT (key) DO UPDATE SET full_at = greatest(request_rate.full_at, {_NOW}) + excluded.full_at - {_NOW}
RETURNING key, full_at - {_NOW}
"""
