"""``autokb evaluate`` with all its commands, which register themselves as they are imported."""

from autokb.plugins.lab.commands import evaluate_chunking as evaluate_chunking
from autokb.plugins.lab.commands import evaluate_paper as evaluate_paper
from autokb.plugins.lab.commands import evaluate_retrievers as evaluate_retrievers
from autokb.plugins.lab.commands import evaluate_suggestions as evaluate_suggestions
from autokb.plugins.lab.commands import evaluate_tickets as evaluate_tickets
from autokb.plugins.lab.commands.evaluate_commands import evaluate as evaluate
