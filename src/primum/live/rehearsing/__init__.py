"""A rehearsal of a live trial: made-up patients, real requests to the real service, and the analysis at the end."""
