"""What the forms of the pages send."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form

Text = Annotated[str, Form()]
