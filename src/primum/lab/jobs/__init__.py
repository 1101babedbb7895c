"""Runs: the job manager, the scheduler, jobs and their buffer of pulls."""
