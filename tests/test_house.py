"""The library holds nothing that nobody uses, and its modules import in one direction."""

from tools.unused import Module, circles, modules, unused_names, users


def test_every_public_name_is_used_by_a_lecture_a_tool_or_a_benchmark():
    assert unused_names(modules(), users()) == []


def test_no_modules_import_each_other_and_no_function_imports_the_course():
    assert circles(modules()) == []


def test_what_is_unused_or_in_a_circle_is_found():
    known = {
        "course_utils.one": Module(
            "course_utils.one", "from course_utils import two\ndef used():\n    return two.b()"
        ),
        "course_utils.two": Module(
            "course_utils.two",
            "def b():\n    from course_utils.one import used\n    return used\ndef dead(): ...",
        ),
    }
    user = Module("lecture", "from course_utils import one\none.used()")
    assert unused_names(known, [user]) == ["course_utils.two.dead"]
    assert len(circles(known)) == 2


def test_a_lecture_imports_nothing_of_a_later_one():
    for name, module in modules().items():
        number = name.rpartition("lecture_")[2]
        for target in module.bound.values():
            if target.startswith("lectures.lecture_") and number != name:
                later = target.removeprefix("lectures.lecture_").partition(".")[0]
                assert later.partition("_")[0] <= number.partition("_")[0], (
                    f"{name} imports {target}"
                )
