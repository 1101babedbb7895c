"""Evidence that may be looked at at any time: bets on labels, and intervals that hold at all times together."""
