"""What a student reads when an answer raises: their own line, not a library's."""

import numpy as np
import pytest

from course_utils import checks


def splits_wrongly(x):
    return np.split(x, 3)


def test_an_error_inside_numpy_quotes_the_students_line():
    with pytest.raises(Exception, match=r"ValueError.*in the line `return np.split\(x, 3\)`"):
        checks.call(splits_wrongly, np.zeros(4))


def test_a_call_that_fails_itself_quotes_no_line():
    with pytest.raises(Exception, match="TypeError") as caught:
        checks.call(splits_wrongly)
    assert "in the line" not in str(caught.value)
