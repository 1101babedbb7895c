"""Operating characteristics of designs, simulated or exact."""
