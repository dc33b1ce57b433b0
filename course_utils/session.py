"""Start a lecture: profile, seed, device and precision, said in one printed line."""

import contextlib
import importlib
import os
import platform
import socket
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PROFILES = ("quick", "full")
NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
WITH_CUDA = {"tensorflow": "tensorflow[and-cuda]", "jax": "jax[cuda12]"}

_current = None


@dataclass(frozen=True)
class Session:
    """What `start` has set up; `pick` chooses between the two profiles' settings."""

    profile: str
    seed: int
    backend: str
    device: str
    precision: str

    def pick(self, *, quick, full):
        return quick if self.profile == "quick" else full


def start(seed=0):
    """Set seeds, pick device and precision, quieten the logs and print one line about it.

    With COURSE_DETERMINISTIC=1, which the build sets, TensorFlow works on one thread and with
    deterministic operations, so that a second run prints the same digits.

    seed: a whole number from 0 to 2³² − 1; the environment variable COURSE_SEED goes before it.
    Several machines train as one if each has COURSE_WORKERS and its own COURSE_WORKER set (see
    `workers`); the call waits until all of them have come.
    Returns a `Session`. Raises ValueError for a seed or an environment that is not allowed.
    """
    global _current
    chosen = profile()
    seed = _seed(seed)
    with _quiet_backend():
        import keras

        backend = keras.backend.backend()
        if backend == "tensorflow":
            _set_up_tensorflow()
        number, addresses = workers()
        if len(addresses) > 1:
            _join(number, addresses, backend)
        devices = accelerators()
        keras.utils.set_random_seed(seed)  # which imports TensorFlow, whatever the backend
        _register_classes()
    precision = precision_for(devices)
    keras.config.set_dtype_policy(precision)
    if len(devices) > 1 or len(addresses) > 1:
        _share_work_over(backend)
    device = f"{len(devices)} × {devices[0].name}" if devices else processor(backend)
    device += f", worker {number} of {len(addresses)}" if len(addresses) > 1 else ""
    session = _current = Session(chosen, seed, backend, device, precision)
    print(
        f"{chosen} profile · seed {seed} · {backend} {backend_version()} on {device} · "
        f"{precision} · Keras {keras.__version__} · Python {platform.python_version()}"
    )
    return session


def current():
    return _current


def profile():
    """Return "quick" or "full", from the environment variable COURSE_PROFILE; else quick."""
    chosen = os.environ.get("COURSE_PROFILE", "quick")
    if chosen not in PROFILES:
        allowed = " and ".join(map(repr, PROFILES))
        raise ValueError(f"COURSE_PROFILE is {chosen!r}; allowed are {allowed}")
    return chosen


def workers():
    """Return this process' number, from 0, and the addresses of all that train as one.

    They come from COURSE_WORKER and COURSE_WORKERS ("host:port,host:port"); without them this
    process is alone. Raises ValueError for a number that has no address.
    """
    number = os.environ.get("COURSE_WORKER", "0")
    given = os.environ.get("COURSE_WORKERS", "")
    addresses = given.split(",")
    if number not in map(str, range(len(addresses))):
        raise ValueError(
            f"COURSE_WORKER is {number!r}, but COURSE_WORKERS is {given!r}: the addresses' "
            "numbers begin with 0"
        )
    return int(number), addresses


@contextlib.contextmanager
def full_precision():
    """Compute in full float32 inside the block, whatever the session's precision.

    A GPU otherwise multiplies in TF32 or in 16 bits, which is too coarse for equality tests.
    """
    import keras

    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("float32")
    try:
        with _no_tf32(keras.backend.backend()):
            yield
    finally:
        keras.config.set_dtype_policy(policy)


@dataclass(frozen=True)
class Accelerator:
    """A GPU or TPU: its name, "gpu" or "tpu", and (GPUs) its CUDA compute capability."""

    name: str
    kind: str
    capability: float = 0.0


def accelerators():
    """Return the `Accelerator`s that the current backend sees here; none on a CPU."""
    import keras

    found = {"tensorflow": _tensorflow_accelerators, "jax": _jax_accelerators}
    return found.get(keras.backend.backend(), list)()


def precision_for(devices):
    """Return Keras' dtype policy: bfloat16 where every device has it in hardware.

    That is a TPU, or compute capability 8 (Ampere). float16, which older GPUs have, is left
    out: its range ends at 65,504, and a gradient that passes the norms of tokens that are all
    zero, such as blank patches in lecture 08's gMLP, does not fit in, even with no loss scale.
    """
    if devices and all(device.kind == "tpu" or device.capability >= 8 for device in devices):
        return "mixed_bfloat16"
    return "float32"


def processor(backend):
    """Return "CPU", and what to install where a GPU's driver is there and no library for it."""
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1")
    if hidden or backend not in WITH_CUDA or not NVIDIA_DRIVER.exists():
        return "CPU"
    return f"CPU (for the GPU here: pip install '{WITH_CUDA[backend]}')"


def backend_version():
    import keras

    return sys.modules[keras.backend.backend()].__version__


def peak_memory_bytes():
    """Return the most memory used so far: the accelerator's, or else this process'."""
    import keras

    if accelerators() and keras.backend.backend() == "tensorflow":
        import tensorflow

        return tensorflow.config.experimental.get_memory_info("GPU:0")["peak"]
    if accelerators():
        import jax

        return (jax.local_devices()[0].memory_stats() or {}).get("peak_bytes_in_use")
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _seed(seed):
    value = os.environ.get("COURSE_SEED", seed)
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if not 0 <= number < 2**32 or number != float(value):
        raise ValueError(f"the seed {value!r} is no whole number from 0 to 2**32 - 1")
    return number


@contextlib.contextmanager
def _quiet_backend():
    """Hold back what the backend's C++ code writes to stderr, unless its start fails."""
    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        try:
            yield
        except BaseException:
            log.seek(0)
            os.write(saved, log.read())
            raise
        finally:
            os.dup2(saved, 2)
            os.close(saved)


def _set_up_tensorflow():
    import tensorflow

    if os.environ.get("COURSE_DETERMINISTIC") == "1":
        _use_one_thread(tensorflow)
        tensorflow.config.experimental.enable_op_determinism()
    for device in tensorflow.config.list_physical_devices("GPU"):
        with contextlib.suppress(RuntimeError):
            tensorflow.config.experimental.set_memory_growth(device, True)
    tensorflow.get_logger().setLevel("ERROR")  # its import has set INFO: warnings of retracing
    tensorflow.constant(0.0)


def _register_classes():
    """Import what `keras.models.load_model` may meet: here, as Keras starts its backend."""
    for name in ("layers", "models", "schedules"):
        importlib.import_module(f"course_utils.{name}")


def _use_one_thread(tensorflow):
    """The thread count decides in which order sums are taken, and so their last digits."""
    import threadpoolctl

    threadpoolctl.threadpool_limits(1)
    threading = tensorflow.config.threading
    with contextlib.suppress(RuntimeError):
        threading.set_intra_op_parallelism_threads(1)
        threading.set_inter_op_parallelism_threads(1)


def _tensorflow_accelerators():
    import tensorflow

    found = []
    for device in tensorflow.config.list_physical_devices("GPU"):
        details = tensorflow.config.experimental.get_device_details(device)
        major, minor = details.get("compute_capability", (0, 0))
        found.append(Accelerator(details.get("device_name", "GPU"), "gpu", major + minor / 10))
    return found


def _jax_accelerators():
    import jax

    found = []
    for device in jax.local_devices():
        if device.platform != "cpu":
            capability = float(getattr(device, "compute_capability", 0) or 0)
            found.append(Accelerator(device.device_kind, device.platform, capability))
    return found


def _join(number, addresses, backend):
    """Start JAX' service at the first worker's address; wait for the others."""
    if backend != "jax":
        raise ValueError("COURSE_WORKERS needs KERAS_BACKEND=jax: only that trains on several")
    import jax

    if jax.distributed.is_initialized():
        return
    port = addresses[0].rpartition(":")[2]
    try:
        if number == 0:  # gRPC would share the port with whoever has it
            socket.create_server(("", int(port))).close()
    except (OSError, ValueError, OverflowError):
        raise ValueError(
            f"port {port!r} of the first of COURSE_WORKERS is in use, or none: choose another, "
            "the same for all workers"
        ) from None
    jax.distributed.initialize(addresses[0], len(addresses), number)


def _share_work_over(backend):
    """Split every batch over the local devices, by the backend's own data parallelism."""
    if backend == "tensorflow":
        import tensorflow

        strategy = tensorflow.distribute.MirroredStrategy()
        tensorflow.distribute.experimental_set_strategy(strategy)
    else:
        import keras

        parallel = keras.distribution.DataParallel(auto_shard_dataset=False)
        keras.distribution.set_distribution(parallel)


@contextlib.contextmanager
def _no_tf32(backend):
    if backend == "tensorflow":
        from tensorflow.config import experimental

        before = experimental.tensor_float_32_execution_enabled()
        experimental.enable_tensor_float_32_execution(False)
        try:
            yield
        finally:
            experimental.enable_tensor_float_32_execution(before)
    elif backend == "jax":
        import jax

        with jax.default_matmul_precision("highest"):
            yield
    else:
        yield
