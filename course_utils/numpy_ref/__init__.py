"""Each architecture in plain NumPy, as on the slide; no Keras."""
