"""Datasets, words, series and batches. Loaders return a `Dataset` of three `Split`s."""

from course_utils.data.augment import random_flip, random_translate
from course_utils.data.base import (
    END,
    PAD,
    START,
    UNKNOWN,
    Dataset,
    Split,
    Vocabulary,
    pad,
    tokenize,
)
from course_utils.data.batching import length_buckets
from course_utils.data.images import load_digits, load_images
from course_utils.data.imdb import load_imdb, load_imdb_corpus, load_imdb_texts
from course_utils.data.phrases import load_phrases
from course_utils.data.reviews import load_reviews, unlabelled_reviews
from course_utils.data.series import (
    Series,
    cut_windows,
    load_series,
    training_scale,
    window_pairs,
)
from course_utils.data.translation import (
    decode_sentence,
    encode_sentence,
    load_pairs,
    tokenize_sentence,
)
