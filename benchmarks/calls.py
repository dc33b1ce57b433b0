"""Time a call of Keras' `predict` beside other ways to the same numbers.

    python -m benchmarks.calls

One example, by `predict`, by the model itself and by a compiled function; and a thousand, in
small batches and in large ones.
"""

import keras
import numpy as np
from keras import ops

import course_utils as cu
from benchmarks import worker
from benchmarks.peers_ours import MODELS
from benchmarks.timing import interleaved, processor
from course_utils import results
from course_utils.decoding import compiled

EXAMPLES = 1_000


def ways(name):
    """Return functions without arguments that call one of the models, by name."""
    keras.utils.set_random_seed(0)
    x, _ = worker.batches(name)
    x = np.resize(x, (EXAMPLES, *x.shape[1:]))
    one, model = x[:1], MODELS[name]()
    model.compile(jit_compile="auto")
    step = compiled(lambda given: model(given, training=False), model)
    return {
        "predict, 1 example": lambda: model.predict(one, verbose=0),
        "model(x), 1 example": lambda: ops.convert_to_numpy(model(one, training=False)),
        "compiled, 1 example": lambda: ops.convert_to_numpy(step(one)),
        f"predict, {EXAMPLES:,} by 32": lambda: model.predict(x, 32, verbose=0),
        f"predict, {EXAMPLES:,} by 500": lambda: model.predict(x, 500, verbose=0),
    }


def main(repeats=7):
    """Measure, print and record."""
    session, rows = cu.start(seed=0), []
    for name in ("Vision Transformer", "LSTM", "encoder"):
        for way, seconds in interleaved(ways(name), repeats).items():
            row = {"model": name, "call": way, "backend": session.backend}
            rows.append(row | {"milliseconds": f"{1e3 * seconds:.1f}"})
            print(rows[-1], flush=True)
    note = f"milliseconds a call, in turn; median of {repeats}"
    results.record_table("speed", f"calls-{session.backend}-{processor()}", rows, note)


if __name__ == "__main__":
    main()
