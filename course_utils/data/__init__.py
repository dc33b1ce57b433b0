"""Datasets, words and batches. Loaders return a `Dataset` of three `Split`s."""

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
from course_utils.data.images import load_digits
from course_utils.data.imdb import load_imdb
from course_utils.data.reviews import load_reviews
