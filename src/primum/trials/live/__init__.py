"""Live trials: real participants, and a journal that nobody can rewrite unnoticed."""

from primum.trials.live.analysing import Statistics as Statistics
from primum.trials.live.errors import DecisionFailed as DecisionFailed
from primum.trials.live.errors import JournalUnavailable as JournalUnavailable
from primum.trials.live.errors import Refused as Refused
from primum.trials.live.folded_journal import journal_at as journal_at
from primum.trials.live.live import Live as Live
from primum.trials.live.settings import LiveSettings as LiveSettings
from primum.trials.live.software import predictable_share as predictable_share
from primum.trials.live.state import ROLES as ROLES
from primum.trials.live.state import UNBLINDED_ROLES as UNBLINDED_ROLES
from primum.trials.live.verifying import Verification as Verification
from primum.trials.live.verifying import verify as verify
