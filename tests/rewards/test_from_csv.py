"""Arms from files, good and bad."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from primum import Problem
from primum.errors import ParameterError, PrimumError
from primum.rewards import Empirical, from_csv


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "trial.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_groups_in_order_of_appearance(write):
    path = write("patient,arm,outcome\n1,new,0.5\n2,old,1\n3,new,0.25\n")
    arms = from_csv(path)
    assert arms == {"new": Empirical([0.5, 0.25]), "old": Empirical([1.0])}
    assert list(arms) == ["new", "old"]
    assert Problem(arms, "mean").names == ["new", "old"]


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffarm,days\r\nA,10\r\nB,30\r\n\r\n ,\r\n",
        'days,"arm"\n"10",A\n30,"B"\n\n\n',
        " arm , days \n A , 1e1 \n B , 30 ",
        'note,arm,days\n"a, ""b""\nand more",A,10\n,B,30\n',
    ],
)
def test_as_programs_write_them(write, content):
    assert from_csv(write(content), outcome="days") == {"A": Empirical([10.0]), "B": Empirical([30.0])}


def test_rescaling(write):
    path = write("arm,outcome\na,-5\na,5\nb,0\n")
    assert from_csv(path, low=-5, high=5) == {"a": Empirical([0, 1]), "b": Empirical([0.5])}


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("", {}, "{} has no first line that names its columns"),
        ("\n\n", {}, "{} has no first line that names its columns"),
        ("arm,outcome\n", {}, "{} has no outcomes: nothing follows its first line"),
        ("arm,outcome\n\n ,\n", {}, "{} has no outcomes: nothing follows its first line"),
        (
            "arms,outcome\na,1\n",
            {},
            "{}: no column named 'arm'; did you mean 'arms'? (columns: arms, outcome)",
        ),
        ("arm,days\na,1\n", {}, "{}: no column named 'outcome'; known: arm, days (columns: arm, days)"),
        ("arm,arm,outcome\na,b,1\n", {}, "{}: column 'arm' appears twice (columns: arm, arm, outcome)"),
        ("arm,outcome\na,1\nb,good\n", {}, "{}, line 3: outcome must be a finite number, got 'good'"),
        ("arm,outcome\na,\n", {}, "{}, line 2: outcome must be a finite number, got ''"),
        ("arm,outcome\na,inf\n", {}, "{}, line 2: outcome must be a finite number, got 'inf'"),
        ("arm,outcome\n ,1\n", {}, "{}, line 2: arm must name an arm, got ''"),
        ("arm,outcome\na,1,2\n", {}, "{}, line 2: must have 2 values, as the first line has, got 3"),
        ("arm,outcome\na\n", {}, "{}, line 2: must have 2 values, as the first line has, got 1"),
        ('arm,outcome\n"a,1\n', {}, "{}, line 2: unexpected end of data"),
        (b"arm,outcome\na,1\n\xe4,2\n", {}, "{} is not a text file in UTF-8 (at line 3: invalid continuation byte)"),
        ("arm,outcome\na,7\n", {"low": 0, "high": 5}, "{}, line 2: outcome must be in [0, 5], got '7'"),
        ("arm,outcome\na,1\n", {"low": 5, "high": 5}, "from_csv: low must be less than high, got low=5 and high=5"),
        ("arm,outcome\na,1\n", {"low": 5}, "from_csv: low and high must be given together, got low=5 and high=None"),
        ("arm,outcome\na,1\n", {"low": "x", "high": 5}, "from_csv: low must be a finite number, got 'x'"),
    ],
)
def test_bad_files_get_a_sentence(write, content, options, sentence):
    path = write(content)
    with pytest.raises(PrimumError) as caught:
        from_csv(path, **options)
    assert str(caught.value) == sentence.format(path)


def test_no_file(tmp_path):
    for path, reason in (
        (tmp_path / "no.csv", "No such file"),
        (tmp_path, "Is a directory"),
        ("a\0b", "null"),
        (None, ""),
    ):
        with pytest.raises(PrimumError, match=f"cannot read .*{reason}"):
            from_csv(path)


def test_a_wide_file_has_a_column_for_each_arm(write):
    path = write("patient,new,old,note\n1,0.5,1,x\n2,0.25,,y\n3,1,,\n")
    arms = from_csv(path, arms=["new", "old"])
    assert arms == {"new": Empirical([0.5, 0.25, 1]), "old": Empirical([1.0])}
    assert list(from_csv(path, arms=("old", "new"))) == ["old", "new"]
    assert from_csv(write("a;b\n1,5;2\n;4\n"), arms=["b"], delimiter=";") == {"b": Empirical([2, 4])}
    assert from_csv(write("a,b\n-5,5\n,0\n"), arms="all", low=-5, high=5) == {
        "a": Empirical([0]),
        "b": Empirical([1, 0.5]),
    }


@pytest.mark.parametrize("missing", ["", "NA", "na", "NaN", "nan", ".", "n/a"])
def test_missing_outcomes_are_refused_or_left_out(write, missing):
    long = write(f"arm,outcome\na,1\nb,2\na,{missing}\na,3\n")
    with pytest.raises(ParameterError, match=f"line 4: outcome must be a finite number, got '{missing}'"):
        from_csv(long)
    assert from_csv(long, drop_missing=True) == {"a": Empirical([1, 3]), "b": Empirical([2])}
    wide = write(f"a,b\n1,2\n{missing},3\n4,5\n")
    with pytest.raises(ParameterError, match=f"line 3: a must be a finite number, got '{missing}'"):
        from_csv(wide, arms="all")
    assert from_csv(wide, arms="all", drop_missing=True) == {"a": Empirical([1, 4]), "b": Empirical([2, 3, 5])}


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("a,b\n1,x\n", {"arms": "all"}, "{}, line 2: b must be a finite number, got 'x'"),
        ("a,b\n1,x\n", {"arms": "all", "drop_missing": True}, "{}, line 2: b must be a finite number, got 'x'"),
        ("a,b\n1,\n", {"arms": "all"}, "{}: column 'b' has no outcomes"),
        ("a,\n1,2\n", {"arms": "all"}, "{}: column 2 has no name, which would be that of its arm"),
        ("a,a\n1,2\n", {"arms": "all"}, "{}: column 'a' appears twice (columns: a, a)"),
        ("a,b\n1,2\n", {"arms": ["a", "a"]}, "{}: column 'a' is given twice"),
        ("a,b\n1,2\n", {"arms": ["c"]}, "{}: no column named 'c'; known: a, b (columns: a, b)"),
        ("a,b\n", {"arms": "all"}, "{} has no outcomes: nothing follows its first line"),
        ("a,b\n1,2\n", {"arms": "a"}, "from_csv: arms must be a list of columns, or 'all', got 'a'"),
        ("a,b\n1,2\n", {"arms": []}, "from_csv: arms must be a list of columns, or 'all', got []"),
        ("a,b\n1,2\n", {"arms": [1]}, "from_csv: arms must be a list of columns, or 'all', got [1]"),
        ("arm,outcome\na,1\nb,NA\n", {"drop_missing": True}, "{}: arm 'b' has only missing outcomes"),
        ("a,b\n1,NA\n", {"arms": "all", "drop_missing": True}, "{}: arm 'b' has only missing outcomes"),
        ("arm,outcome\na,inf\n", {"drop_missing": True}, "{}, line 2: outcome must be a finite number, got 'inf'"),
    ],
)
def test_bad_wide_files_and_missing_outcomes_get_a_sentence(write, content, options, sentence):
    path = write(content)
    with pytest.raises(PrimumError) as caught:
        from_csv(path, **options)
    assert str(caught.value) == sentence.format(path)


@given(st.binary(max_size=200))
def test_any_file_is_read_or_refused_in_a_sentence(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    for head in (b"", b"arm,outcome\n"):
        path.write_bytes(head + content)
        for options in ({}, {"arms": "all", "drop_missing": True}):
            try:
                arms = from_csv(path, **options)
            except PrimumError:
                continue
            assert all(isinstance(arm, Empirical) for arm in arms.values())


def test_another_delimiter_is_suggested_and_taken(tmp_path):
    file = tmp_path / "trial.csv"
    file.write_text("arm;outcome\na;0.5\nb;1\n")
    with pytest.raises(ParameterError, match="if they are separated by ';', give delimiter=';'"):
        from_csv(file)
    assert list(from_csv(file, delimiter=";")) == ["a", "b"]
    with pytest.raises(ParameterError, match="delimiter must be a single character, got ''"):
        from_csv(file, delimiter="")


def test_between_semicolons_a_comma_is_the_decimal_sign(tmp_path):
    file = tmp_path / "outcomes.csv"
    file.write_text("arm;outcome\na;0,25\na;0.5\nb;-1,5e1\n")
    assert from_csv(file, delimiter=";") == {"a": Empirical((0.25, 0.5)), "b": Empirical((-15.0,))}
    for text in ("1.234,5", "1,234,5"):
        file.write_text(f"arm;outcome\na;{text}\n")
        with pytest.raises(ParameterError, match=f"line 2: outcome must be a finite number, got '{text}'"):
            from_csv(file, delimiter=";")
    file.write_text("arm\toutcome\na\t1,234\n")  # it may be a thousand
    with pytest.raises(ParameterError, match="got '1,234'"):
        from_csv(file, delimiter="\t")
