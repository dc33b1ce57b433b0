"""What the sample lecture shows and asks for: a mean that leaves out the padding."""


def lengths(kept):
    """Return how many words each text has: (batch,)."""
    return kept.sum(axis=1)


def masked_mean(x, kept):
    """Return the mean over the kept places of each text: (batch, channels)."""
    total = (x * kept[:, :, None]).sum(axis=1)
    return total / lengths(kept)[:, None]
