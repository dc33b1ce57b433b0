# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   title: Lecture 9 · A sample lecture
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # A sample lecture
#
# **Lecture 9** · the smallest whole lecture: copied to `lectures/lecture_09`, it is built,
# checked and presented as all others are

# %% [markdown] slideshow={"slide_type": "notes"}
# (60 minutes) Nobody will ever give this lecture, so there is time to say that a lecture is a
# folder: its text, its code, its exercises, its sheet and its drawings lie side by side.

# %% slideshow={"slide_type": "skip"} name="start"
import course_utils as cu

session = cu.start(seed=0)

import numpy as np

from lectures import lecture_09

# %% [markdown] slideshow={"slide_type": "slide"}
# ## A mean that leaves out the padding
#
# Texts of unequal length share an array when the shorter ones are filled up with padding. Their
# mean is the sum of the words' vectors, divided by how many words there are:
#
# $$m = \frac{\sum_t k_t x_t}{\sum_t k_t}$$
#
# Here $k_t$ is 1 for a word and 0 for padding.

# %% slideshow={"slide_type": "-"}
cu.figures.show("09_mean")
# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes) Ask what the plain mean of the four places in the drawing would be, and why a
# network that takes it would tell long texts from short ones.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## How many words a text has
#
# The number of words is the sum of $k$ over the places of a text; the library keeps it for a
# whole batch, one number per text.

# %% shows="lectures.lecture_09.lengths" slideshow={"slide_type": "-"}
# filled by the build

# %% slideshow={"slide_type": "fragment"} tags=["nbval-check-output"]
kept = np.array([[1, 1, 1, 0], [1, 0, 0, 0]])
print(lengths(kept))

# %% [markdown] slideshow={"slide_type": "notes"}
# (5 minutes) Let them say the two numbers before they appear.

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise 09.1 · The mean of the words
#
# Write `masked_mean(x, kept)`: the mean over the places of each text, padding left out. `x` has
# the shape (batch, places, channels), `kept` (batch, places), the result (batch, channels).

# %% builds="lectures.lecture_09.masked_mean" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
masked_mean = cu.exercises.use("09.1", masked_mean)

# %% [markdown] slideshow={"slide_type": "notes"}
# (10 minutes) Two lines of NumPy; the mistake to expect is a division by all places.

# %% slideshow={"slide_type": "slide"} tags=["headline"]
x = np.arange(8.0).reshape(1, 4, 2)
mean = masked_mean(x, kept[:1])
print(f"mean of three words: {mean[0, 0]:.0f} and {mean[0, 1]:.0f}")
assert np.array_equal(mean, lecture_09.masked_mean(x, kept[:1]))

# %% [markdown] slideshow={"slide_type": "fragment"}
# The fourth place holds the largest numbers, and does not count.

# %% [markdown] slideshow={"slide_type": "notes"}
# (1 minute) Three words count; the fourth place, whose numbers are the largest, does not.
