"""What the results page of lab 6d plots, and what its recorded models are called."""

TITLE = "Lab: a decoder of today"
MODELS = {
    "ablation": "decoder-only Transformers that differ in one part",
    "positions": "decoder-only Transformers: no positions, waves, rotary positions",
    "longer": "the same decoders as of `positions`, trained three times as long",
    "counting": "counted n-grams, length and smoothing chosen on validation",
}
PLOTS = {
    "ablation": {
        "title": "A base decoder and its parts of today, own reviews",
        "label": "test perplexity",
        "runs": "ablation reviews {arm}: test",
        "arms": {
            "base": "2018",
            "rotary positions": "rotary positions",
            "RMSNorm": "RMSNorm",
            "SwiGLU": "SwiGLU",
            "2 key-value heads": "2 key-value heads",
            "all four": "all four",
        },
        "ordered": True,
        "caption": "Base: waves added, LayerNorm before each sublayer, GELU, four key-value "
        "heads. Trained on 200 batches of 32 rows, fewer than two passes through the texts.",
    },
    "positions": {
        "title": "Positions in rows that are longer than in training, own reviews",
        "label": "test perplexity",
        "xlabel": "position in the row",
        "runs": "positions reviews {arm}, {by}: test",
        "arms": ["no positions", "waves", "rotary"],
        "by": ["1–8", "9–16", "17–32", "33–64", "65–128", "129–256"],
        "caption": "Trained on 200 batches of 32 rows of 64 tokens.",
    },
    "longer": {
        "title": "The same after three times as many batches, own reviews",
        "label": "test perplexity",
        "xlabel": "position in the row",
        "runs": "longer reviews {arm}, {by}: test",
        "arms": ["no positions", "waves", "rotary"],
        "by": ["1–8", "9–16", "17–32", "33–64", "65–128", "129–256"],
        "caption": "Trained on 600 batches of 32 rows of 64 tokens; learning rates chosen for "
        "200.",
    },
}
