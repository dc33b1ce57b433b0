# ---
# jupyter:
#   title: A sample lecture
# ---

# %% [markdown] slideshow={"slide_type": "slide"} tags=["title"]
# # A sample lecture
#
# Small and quick: what the tests of the toolchain build.

# %% [markdown] slideshow={"slide_type": "notes"}
# Say that nobody will ever give this lecture.

# %% slideshow={"slide_type": "slide"} name="start"
import os

print(os.environ["COURSE_PROFILE"], os.environ.get("OMP_NUM_THREADS"))
print("hash", hash("text"))

from tests.odd.sample_library import _plain, numbered

# %% shows="tests.odd.sample_library.counted" slideshow={"slide_type": "subslide"}
# filled by the build

# %% shows="tests.odd.sample_library.Pair.swap" slideshow={"slide_type": "subslide"}
# filled by the build

# %% slideshow={"slide_type": "fragment"} tags=["nbval-check-output"]
for word in ("one", "two"):
    print(counted(word))
import sys

sys.stdout.flush()
print(counted.calls)

# %% slideshow={"slide_type": "skip"} tags=["no-output"]
import time

print(time.time())

# %% slideshow={"slide_type": "skip"} tags=["raises-exception"]
{}["missing"]

# %% [markdown] slideshow={"slide_type": "slide"} tags=["exercise"]
# ## Exercise x · Double a number

# %% builds="tests.odd.sample_library.double" slideshow={"slide_type": "-"} tags=["exercise"]
# filled by the build

# %% slideshow={"slide_type": "-"} tags=["check"]
solved = double(2) == 4
assert solved or not os.environ.get("COURSE_STRICT")
print("correct" if solved else "not solved yet")

# %% slideshow={"slide_type": "slide"} tags=["headline"]
print("what it is about:")
print(f"words counted {counted.calls}")
