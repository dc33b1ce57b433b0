import functools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from jupyter_client.manager import run_kernel

from course_utils import session
from tools import execute, source
from tools.shows import ROOT

pytestmark = pytest.mark.slow


def python(code, **environment):
    """Run code in a fresh Python; return what it printed and what it wrote to stderr."""
    command, env = [sys.executable, "-c", code], {**os.environ, **environment}
    finished = subprocess.run(command, env=env, capture_output=True, encoding="utf-8")
    assert finished.returncode == 0, finished.stderr
    return finished.stdout, finished.stderr


def test_importing_the_library_loads_no_backend():
    heavy = {"keras", "tensorflow", "jax", "sklearn"}
    printed, _ = python(f"import sys, course_utils; print(sys.modules.keys() & {heavy})")
    assert printed.strip() == "set()"


def test_start_says_in_one_line_what_was_set_and_threads_belong_to_the_build():
    code = """
import course_utils as cu
session = cu.start(seed=3)
from tensorflow.python.framework import config
print(session.pick(quick=1, full=2), config.get_intra_op_parallelism_threads())
print(config.is_op_determinism_enabled())
"""
    full = {"KERAS_BACKEND": "tensorflow", "COURSE_PROFILE": "full", "COURSE_SEED": "7"}
    printed, errors = python(code, **full, COURSE_DETERMINISTIC="0")
    line, *rest = printed.splitlines()
    assert all(word in line for word in ("full", "seed 7", "tensorflow", "float32"))
    assert (rest, errors) == (["2 0", "False"], "")
    assert python(code, **(full | execute.QUICK))[0].splitlines()[1:] == ["1 1", "True"]


def test_saved_models_load_once_the_session_has_started(tmp_path):
    path = str(tmp_path / "model.keras")
    start = "import course_utils as cu; cu.start(); import keras"
    python(f"{start}; cu.models.transformer_encoder(30, max_length=20).save({path!r})")
    printed, _ = python(f"{start}; print(keras.models.load_model({path!r}).name)")
    assert printed.split()[-1] == "encoder"


def test_seeds_that_no_generator_takes_and_unknown_profiles_are_refused(monkeypatch):
    monkeypatch.delenv("COURSE_SEED", raising=False)
    for seed in (-1, 1.5, "one", 2**40):
        with pytest.raises(ValueError, match="seed"):
            session.start(seed)
    monkeypatch.setenv("COURSE_PROFILE", "slow")
    with pytest.raises(ValueError, match="quick.*full"):
        session.start()


def first_of_their_kind():
    """A lecture of each kind: others import the same modules in the same order at first."""
    kinds = {}
    for path in source.lectures([]):
        text = path.read_text(encoding="utf-8")
        first = text[: text.index("# %%", text.index("cu.start("))]
        kinds.setdefault(tuple(re.findall(r"^(?:from|import) (\S+)", first, re.M)), path)
    return kinds.values()


@pytest.mark.parametrize("lecture", first_of_their_kind(), ids=lambda path: path.stem)
def test_first_cells_write_nothing_to_stderr_in_plain_jupyter(lecture):
    code = [cell.source for cell in source.assemble(lecture).cells if cell.cell_type == "code"]
    number = next(place for place, text in enumerate(code) if "cu.start(" in text)
    bare = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    said = {"stdout": "", "stderr": ""}

    def hear(message):
        content = message["content"]
        assert message["msg_type"] != "error", content
        if message["msg_type"] == "stream":
            said[content["name"]] += content["text"]

    with run_kernel(env=bare, cwd=str(ROOT)) as kernel:
        # What a library writes past Python comes a moment later: hence the last cell.
        for text in [*code[: number + 1], "import time; time.sleep(0.5)"]:
            kernel.execute_interactive(text, timeout=120, output_hook=hear)
    assert said["stderr"] == ""
    assert "quick profile" in said["stdout"]


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


TRAIN_ON_JAX = """
import sys

class NoTensorFlow:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("tensorflow", "tensorflow_datasets"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoTensorFlow())
import course_utils as cu
session = cu.start()
import jax, json, keras
data = cu.data.load_reviews(vocab_size=200, length=20)
layers = keras.layers
reader = layers.Embedding(200, 4, mask_zero=True), layers.SimpleRNN(4)
model = keras.Sequential([keras.Input((20,)), *reader, layers.Dense(1, "sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
run = cu.training.fit(model, data, epochs=1)
with cu.full_precision():
    pass
print(json.dumps([session.backend, jax.local_device_count(), run.history["loss"][0]]))
"""


def test_everything_works_on_jax_without_tensorflow():
    printed, _ = python(TRAIN_ON_JAX, KERAS_BACKEND="jax")
    backend, devices, loss = json.loads(printed.splitlines()[-1])
    assert (backend, devices) == ("jax", 1)
    assert 0.1 < loss < 1


H100, T4 = session.Accelerator("H100", "gpu", 9.0), session.Accelerator("T4", "gpu", 7.5)
P100, V5E = session.Accelerator("P100", "gpu", 6.0), session.Accelerator("v5e", "tpu")


@pytest.mark.parametrize(
    ("devices", "precision"),
    [
        ([], "float32"),
        ([H100], "mixed_bfloat16"),
        ([T4], "float32"),
        ([P100], "float32"),
        ([V5E] * 8, "mixed_bfloat16"),
        ([H100, T4], "float32"),
    ],
)
def test_precision_follows_the_weakest_device(devices, precision):
    assert session.precision_for(devices) == precision


def test_a_gpu_without_its_library_is_told(monkeypatch, tmp_path):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(session, "NVIDIA_DRIVER", tmp_path)
    assert "pip install 'jax[cuda12]'" in session.processor("jax")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert session.processor("jax") == "CPU"


TWO_TENSORFLOW_DEVICES = """
import tensorflow
processor = tensorflow.config.list_physical_devices("CPU")[0]
two = [tensorflow.config.LogicalDeviceConfiguration()] * 2
tensorflow.config.set_logical_device_configuration(processor, two)
from course_utils import session
mirrored, two = tensorflow.distribute.MirroredStrategy, ["CPU:0", "CPU:1"]
tensorflow.distribute.MirroredStrategy = lambda: mirrored(two)  # it looks for GPUs alone
session._share_work_over("tensorflow")
"""
TWO_JAX_DEVICES = "from course_utils import session\nsession._share_work_over('jax')\n"
TWO_DEVICES = {"tensorflow": TWO_TENSORFLOW_DEVICES, "jax": TWO_JAX_DEVICES}
TRAIN = """
import json
import numpy as np
import course_utils as cu
from course_utils.data import Split
from course_utils import session
session.workers()[1][1:] and cu.start()
import keras
keras.utils.set_random_seed(0)
inputs = np.random.default_rng(0).normal(size=(84, 4)).astype("float32")
split = Split(inputs, (inputs[:, 0] > 0).astype("int32"))
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, "sigmoid")])
model.compile(keras.optimizers.Adam(0.1), "binary_crossentropy", metrics=["accuracy"])
cu.training.CHECKPOINTS = cu.training.Path(folder)
parts = split.take(slice(64)), split.take(slice(64, None))
run = cu.training.fit(model, parts, epochs=2, batch_size=16, resume=True)
kernel = model.layers[0].kernel.value
shards = kernel.sharding.device_set if hasattr(kernel, "sharding") else [0]
devices = len(getattr(kernel, "values", shards))
print(json.dumps([devices, run.history["loss"] + run.history["val_loss"]]))
"""


def trained(devices, folder, **environment):
    """Train on devices that this code sets up; return how many they were, and the losses."""
    code = devices + f"folder = {str(folder)!r}" + TRAIN
    return json.loads(python(code, **environment)[0].splitlines()[-1])


@functools.cache
def alone(backend):
    """The losses of a training on one device."""
    with tempfile.TemporaryDirectory() as folder:
        return trained("", folder, KERAS_BACKEND=backend)[1]


@pytest.mark.weekly
@pytest.mark.parametrize("backend", TWO_DEVICES)
def test_two_devices_give_the_losses_of_one(backend, tmp_path):
    two = {"KERAS_BACKEND": backend, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    count, losses = trained(TWO_DEVICES[backend], tmp_path, **two)
    assert count == 2
    assert losses == pytest.approx(alone(backend), abs=1e-5)


@pytest.mark.weekly
def test_two_processes_give_the_losses_of_one(tmp_path):
    with socket.create_server(("", 0)) as free:
        port = free.getsockname()[1]
    two = {"KERAS_BACKEND": "jax", "COURSE_WORKERS": f"localhost:{port},localhost:0"}
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(trained, "", tmp_path, COURSE_WORKER=one, **two) for one in "01"]
        for count, losses in (job.result() for job in jobs):
            assert count == 2
            assert losses == pytest.approx(alone("jax"), abs=1e-5)


def test_workers_that_cannot_meet_are_refused(monkeypatch):
    monkeypatch.setenv("COURSE_WORKERS", "localhost:1,localhost:2")
    monkeypatch.setenv("COURSE_WORKER", "2")
    with pytest.raises(ValueError, match="COURSE_WORKERS is 'localhost:1,localhost:2'"):
        session.workers()
    with pytest.raises(ValueError, match="KERAS_BACKEND=jax"):
        session._join(0, ["localhost:1", "localhost:2"], "tensorflow")
    with socket.create_server(("", 0)) as taken:
        address = f"localhost:{taken.getsockname()[1]}"
        for first in (address, "localhost", "localhost:high"):
            with pytest.raises(ValueError, match="choose another"):
                session._join(0, [first, "localhost:2"], "jax")
