"""Documents into estates: one module or package per language, all filling the same model."""
