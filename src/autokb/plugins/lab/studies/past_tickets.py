"""All that studies use of past tickets: no other module here knows the packages that have it."""

from autokb.pipeline.tickets import as_embedded as as_embedded
from autokb.pipeline.tickets import load_index as load_index
from autokb.ticket_answers.ask_tickets import FoundForQuestion as FoundForQuestion
from autokb.ticket_answers.ask_tickets import Gathered as Gathered
from autokb.ticket_answers.ask_tickets import TicketAnswerer as TicketAnswerer
from autokb.ticket_answers.ask_tickets import TicketQuestionRun as TicketQuestionRun
from autokb.ticket_answers.open_tickets import NO_TICKETS as NO_TICKETS
from autokb.ticket_answers.open_tickets import open_tickets as open_tickets
from autokb.ticket_answers.report import resolution_times as resolution_times
from autokb.tickets.answers import text_passages as text_passages
from autokb.tickets.index import TicketIndex as TicketIndex
from autokb.tickets.index import day_of as day_of
from autokb.tickets.index import fold_names as fold_names
from autokb.tickets.search import TicketQuestion as TicketQuestion
from autokb.tickets.search import score_tickets as score_tickets
