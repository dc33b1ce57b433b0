"""What the sample lecture shows."""


def _plain(function):
    return function


def numbered(start):
    """Decorate: number the calls from `start`."""

    def decorate(function):
        def inner(*arguments):
            inner.calls += 1
            return function(*arguments)

        inner.calls = start
        return inner

    return decorate


@_plain
@numbered(
    start=0,
)
def counted(word):
    """Return the word and its length."""
    # A comment stays where it is.
    return word, len(word)


def double(number):
    """Return twice the number."""
    return 2 * number


class Pair:
    """Two things."""

    def __init__(self, first, second):
        self.first, self.second = first, second

    @property
    def swap(self):
        """The pair the other way round."""
        return Pair(self.second, self.first)
