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
        COURSE_SEED="7",
        KERAS_BACKEND="tensorflow",
    )
    line, picked = printed.strip().splitlines()
    assert line.startswith("full profile · seed 7 · tensorflow")
    assert "float32" in line
    assert picked == "2"
    assert errors == ""


def test_seed_decides_the_numbers_and_exact_the_precision():
    code = """
import course_utils as cu
cu.start(seed=1)
import keras
first = keras.random.normal((3,)).numpy().tolist()
cu.start(seed=1)
print(first == keras.random.normal((3,)).numpy().tolist())
cu.start(seed=2)
print(first == keras.random.normal((3,)).numpy().tolist())
keras.config.set_dtype_policy("mixed_bfloat16")
with cu.full_precision():
    print(keras.layers.Dense(1).dtype_policy.name)
print(keras.config.dtype_policy().name)
"""
    printed, _ = python(code, KERAS_BACKEND="tensorflow")
    lines = [line for line in printed.splitlines() if "profile" not in line]
    assert lines == ["True", "False", "float32", "mixed_bfloat16"]


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
data = cu.data.load_reviews(vocab_size=200, length=20)
model = keras.Sequential([
    keras.Input((20,)),
    keras.layers.Embedding(200, 4, mask_zero=True),
    keras.layers.SimpleRNN(4),
    keras.layers.Dense(1, "sigmoid"),
])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
run = cu.training.fit(model, data, epochs=1)
with cu.full_precision():
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
        ([session.Accelerator("T4", "gpu", 7.5)], "float32"),
        ([session.Accelerator("P100", "gpu", 6.0)], "float32"),
        ([session.Accelerator("v5e", "tpu")] * 8, "mixed_bfloat16"),
        (
            [session.Accelerator("H100", "gpu", 9.0), session.Accelerator("T4", "gpu", 7.5)],
            "float32",
        ),
    ],
)
def test_precision_follows_the_weakest_device(devices, precision):
    assert session.precision_for(devices) == precision


TWO_TENSORFLOW_DEVICES = """
import tensorflow
processor = tensorflow.config.list_physical_devices("CPU")[0]
two = [tensorflow.config.LogicalDeviceConfiguration()] * 2
tensorflow.config.set_logical_device_configuration(processor, two)
from course_utils import session
session._share_work_over("tensorflow", ["CPU:0", "CPU:1"])
"""
TWO_JAX_DEVICES = """
from course_utils import session
session._share_work_over("jax")
"""
TRAIN_ON_BOTH = """
import numpy as np
import keras
import course_utils as cu
from course_utils.data import Split
inputs = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
split = Split(inputs, (inputs[:, 0] > 0).astype("int32"))
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, "sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
cu.training.fit(model, (split, split), epochs=1, batch_size=16)
kernel = model.layers[0].kernel.value
print(len(kernel.values if hasattr(kernel, "values") else kernel.sharding.device_set))
"""


@pytest.mark.parametrize(
    ("backend", "devices"),
    [("tensorflow", TWO_TENSORFLOW_DEVICES), ("jax", TWO_JAX_DEVICES)],
    ids=["tensorflow", "jax"],
)
def test_two_devices_share_the_work(backend, devices):
    flags = "--xla_force_host_platform_device_count=2"
    printed, _ = python(devices + TRAIN_ON_BOTH, KERAS_BACKEND=backend, XLA_FLAGS=flags)
    assert printed.strip().splitlines()[-1] == "2"
