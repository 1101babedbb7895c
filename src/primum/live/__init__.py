"""Live trials: real participants, and a journal that nobody can rewrite unnoticed."""

from primum.live.analysing import Statistics as Statistics
from primum.live.errors import DecisionFailed as DecisionFailed
from primum.live.errors import JournalUnavailable as JournalUnavailable
from primum.live.errors import Refused as Refused
from primum.live.journal.folded_journal import journal_at as journal_at
from primum.live.live import Live as Live
from primum.live.people.roles import ROLES as ROLES
from primum.live.people.roles import UNBLINDED_ROLES as UNBLINDED_ROLES
from primum.live.software import predictable_share as predictable_share
from primum.live.verifying import Verification as Verification
from primum.live.verifying import verify as verify
from primum.trials.live_settings import LiveSettings as LiveSettings
