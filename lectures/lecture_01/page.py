"""What the results page of lecture 1 plots, and what its recorded models are called."""

TITLE = "Words as numbers"
REAL_DATA = ["course_utils.data.load_imdb('text')"]
STARTS = {
    "learned": "embedding learned with the task",
    "frozen": "skip-gram embedding, frozen",
    "fine_tuned": "skip-gram embedding, fine-tuned",
}
LABELS = (200, 2_000, 20_000)
COUNTING = "logistic regression on"
MODELS = {
    "bigrams_200k": f"{COUNTING} 200,000 single words and word pairs",
    "bigrams_200k_log_ratios": f"{COUNTING} 200,000 words and word pairs, each weighted by its "
    "log-count ratio",
    "tf_idf_10k": f"{COUNTING} 10,000 words, tf-idf",
    "tf_idf_bigrams_200k": f"{COUNTING} 200,000 words and bigrams, tf-idf",
    "multi_hot_10k": f"{COUNTING} the 10,000 most frequent words (multi-hot)",
    "flatten_first_20": "Embedding(10000, 8), Flatten, Dense(1), on the first 20 words",
    "flatten_last_20": "Embedding(10000, 8), Flatten, Dense(1), on the last 20 words",
    "counted_500": f"{COUNTING} words and word pairs of the last 500 words, 5,000 known, "
    "each weighted by its log-count ratio",
    "counted_200": f"{COUNTING} words and bigrams of the last 200 words, tf-idf, 200 labels",
    "mean_vector_200": f"{COUNTING} the mean skip-gram vector, 200 labels",
    "exchanged_200": f"{COUNTING} the mean of exchanged vectors, 200 labels",
    "skip_gram": "skip-gram vectors, 100 wide, trained on the training and unlabelled texts",
} | {
    f"{start}_{n}": f"mean of embeddings, {said}, {n:,} labels"
    for start, said in STARTS.items()
    for n in LABELS
}
MODELS |= {
    f"words_{keep}_20": f"{COUNTING} which words are among the {keep} 20"
    for keep in ("first", "last")
}
PLOTS = {
    "imdb": {
        "title": "Reading IMDB",
        "runs": "{arm} imdb test_accuracy",
        "arms": {
            "n-grams, log ratios": "bigrams_200k_log_ratios",
            "n-grams, tf-idf": "tf_idf_bigrams_200k",
            "n-grams, last 500 words": "counted_500",
            "n-grams, 200,000": "bigrams_200k",
            "words, tf-idf": "tf_idf_10k",
            "words, 10,000": "multi_hot_10k",
            "last 20 words, counted": "words_last_20",
            "Embedding, last 20 words": "flatten_last_20",
            "first 20 words, counted": "words_first_20",
            "Embedding, first 20 words": "flatten_first_20",
        },
    },
    "labels": {
        "title": "Embeddings brought along, by number of labels",
        "runs": "{arm}_{by} imdb test_accuracy",
        "arms": {
            "learned with the task": "learned",
            "skip-gram, frozen": "frozen",
            "skip-gram, fine-tuned": "fine_tuned",
        },
        "by": {f"{n:,} labels": n for n in LABELS},
    },
}
FINDINGS = {
    2: {
        "title": "Word pairs on IMDB",
        "sentence": "A linear model on words and word pairs of the whole review reads IMDB "
        "better than each network of lectures 2 to 6, trained from scratch on its last 500 or "
        "550 words",
        "runs": "{arm} imdb test_accuracy",
        "above": {"words and word pairs": "bigrams_200k_log_ratios"},
        "below": {
            "convolution + GRU": "04_conv1d/conv_gru",
            "GRU": "03_lstm_gru/gru_32",
            "LSTM": "03_lstm_gru/lstm_32",
            "Transformer encoder": "06_transformer/encoder",
            "SimpleRNN": "02_simple_rnn/simple_rnn_32",
        },
    }
}
