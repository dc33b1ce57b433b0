"""What the results page of lab 6d plots, and what its recorded models are called."""

TITLE = "Lab: a decoder of today"
MODELS = {"ablation": "decoder-only Transformers that differ in one part"}
PLOTS = {
    "ablation": {
        "title": "A decoder of 2018 and its parts of today, own reviews",
        "label": "test perplexity",
        "runs": "ablation reviews {arm}: test",
        "arms": [
            "2018",
            "rotary positions",
            "RMSNorm",
            "SwiGLU",
            "2 key-value heads",
            "all four",
        ],
        "ordered": True,
    }
}
