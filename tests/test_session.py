import json
import os
import subprocess
import sys

import pytest

from course_utils import session


def python(code, **environment):
    """Run code in a fresh Python; return what it printed and what it wrote to stderr."""
    finished = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout, finished.stderr


def test_importing_the_library_is_quick_and_loads_no_backend():
    code = (
        "import sys, time; began = time.perf_counter(); import course_utils; "
        "seconds = time.perf_counter() - began; "
        "print(seconds, [n for n in ('keras', 'tensorflow', 'sklearn') if n in sys.modules])"
    )
    printed, _ = python(code)
    seconds, loaded = printed.split(" ", 1)
    assert float(seconds) < 1
    assert loaded.strip() == "[]"


def test_start_prints_one_line_and_nothing_on_stderr():
    printed, errors = python(
        "import course_utils as cu; s = cu.start(seed=3); print(s.pick(quick=1, full=2))",
        COURSE_PROFILE="full",
        KERAS_BACKEND="tensorflow",
    )
    line, picked = printed.strip().splitlines()
    assert line.startswith("full profile · seed 3 · tensorflow")
    assert "float32" in line
    assert picked == "2"
    assert errors == ""


def test_seed_of_the_environment_goes_first():
    printed, _ = python("import course_utils as cu; cu.start(seed=3)", COURSE_SEED="7")
    assert "seed 7" in printed


def test_same_seed_gives_the_same_numbers():
    code = (
        "import course_utils as cu; cu.start(seed=1); import keras; "
        "print(keras.random.normal((3,)).numpy().tolist())"
    )
    first, second = python(code, KERAS_BACKEND="tensorflow")[0], python(code)[0]
    assert first.splitlines()[1] == second.splitlines()[1]


JAX = """
import sys

class NoTensorFlow:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("tensorflow", "tensorflow_datasets"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoTensorFlow())
"""

TRAIN_ON_JAX = (
    JAX
    + """
import course_utils as cu
session = cu.start()
import jax, json, keras
data = cu.data.load_reviews(vocabulary_size=200, length=20)
model = keras.Sequential([
    keras.Input((20,)),
    keras.layers.Embedding(200, 4, mask_zero=True),
    keras.layers.SimpleRNN(4),
    keras.layers.Dense(1, "sigmoid"),
])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
run = cu.training.fit(model, data, epochs=1)
with cu.exact():
    pass
print(json.dumps([session.backend, jax.local_device_count(), run.history["loss"][0]]))
"""
)


def test_everything_works_on_jax_without_tensorflow():
    printed, _ = python(TRAIN_ON_JAX, KERAS_BACKEND="jax")
    backend, devices, loss = json.loads(printed.splitlines()[-1])
    assert (backend, devices) == ("jax", 1)
    assert 0.1 < loss < 1


@pytest.mark.parametrize(
    ("devices", "precision"),
    [
        ([], "float32"),
        ([session.Accelerator("H100", "gpu", 9.0)], "mixed_bfloat16"),
        ([session.Accelerator("T4", "gpu", 7.5)], "mixed_float16"),
        ([session.Accelerator("P100", "gpu", 6.0)], "float32"),
        ([session.Accelerator("v5e", "tpu")] * 8, "mixed_bfloat16"),
        (
            [session.Accelerator("H100", "gpu", 9.0), session.Accelerator("T4", "gpu", 7.5)],
            "mixed_float16",
        ),
    ],
)
def test_precision_follows_the_weakest_device(devices, precision):
    assert session.precision_for(devices) == precision


def test_exact_computes_in_float32_inside_a_mixed_session():
    code = (
        "import course_utils as cu; cu.start(); import keras; "
        "keras.config.set_dtype_policy('mixed_bfloat16')\n"
        "with cu.exact(): print(keras.layers.Dense(1).dtype_policy.name)\n"
        "print(keras.config.dtype_policy().name)"
    )
    printed, _ = python(code)
    assert printed.splitlines()[1:] == ["float32", "mixed_bfloat16"]


TWO_DEVICES = """
import numpy as np
import course_utils as cu
from course_utils import session
session.start()
session._share_work_over("jax")
import keras
from course_utils.data import Split
inputs = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
split = Split(inputs, (inputs[:, 0] > 0).astype("int32"))
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, "sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
cu.training.fit(model, (split, split), epochs=1, batch_size=16)
print(len(model.layers[0].kernel.value.sharding.device_set))
"""


def test_two_devices_share_the_work():
    printed, _ = python(
        TWO_DEVICES, KERAS_BACKEND="jax", XLA_FLAGS="--xla_force_host_platform_device_count=2"
    )
    assert printed.strip().splitlines()[-1] == "2"
