"""What the test suite costs: ``python -m benchmarks.suite`` runs ``make test`` without its slow tests, and stores it.

Which slow tests CI runs follows from the commit, so they are left out. CPU seconds are user and system time of the
workers and of every process that they start and wait for. budget.toml holds the stored figure
(``tests/check_budget.py``).
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

from benchmarks.figures import RESULTS


def main() -> None:
    """Run the suite, and store what it took where no test failed."""
    started = time.perf_counter()
    asked = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "worksteal"]
    alone = {"SLOW": "", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
    status = subprocess.run(asked, env=os.environ | alone, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {
        "cpu_seconds": round(used.ru_utime + used.ru_stime),
        "seconds": round(time.perf_counter() - started),
        "cores": os.cpu_count(),
    }
    print(json.dumps(found))
    if status:
        raise SystemExit(f"The suite ended with {status}; nothing is stored.")
    (RESULTS / "suite.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
