"""GELU in plain NumPy (Hendrycks and Gimpel, "Gaussian error linear units", 2016)."""

from scipy.special import erf


def gelu(x):
    """x Φ(x), with Φ(x) = (1 + erf(x / √2)) / 2, the share of a normal draw below x."""
    return x * (1 + erf(x / 2**0.5)) / 2
