"""Files that people and strangers send."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from primum.errors import ParameterError
from primum.lab.drafts.csv_arms import MOST_OUTCOMES, arms_from_csv, sample_outcomes
from primum.lab.http.schemas import CsvArms
from primum.web.middleware import LARGEST_BODY


def names(told: CsvArms) -> list[str]:
    return [arm["name"] for arm in told.arms]


def data(told: CsvArms) -> list[list[float]]:
    return [arm["distribution"]["data"] for arm in told.arms]


def test_outcomes_are_rescaled_to_the_unit_interval():
    told = arms_from_csv(b"arm,outcome\nold,10\nnew,30\nold,20\n")
    assert (names(told), data(told)) == (["old", "new"], [[0, 0.5], [1]])
    assert [arm["outcomes"] for arm in told.arms] == [2, 1]
    assert (told.smallest, told.largest, told.low, told.high) == (10, 30, 10, 30)
    assert told.sentence == (
        "3 outcomes in 2 arms: arms from column 'arm', outcomes from column 'outcome'; rescaled 10 -> 0, 30 -> 1"
    )
    wider = arms_from_csv(b"arm,outcome\nold,10\nnew,30\nold,20\n", low=0, high=40)
    assert data(wider) == [[0.25, 0.5], [0.75]]
    assert data(arms_from_csv(b"arm,outcome\nold,10\nnew,30\n", high=110)) == [[0], [0.2]]


def test_outcomes_outside_the_range_can_be_clipped():
    content = b"arm,outcome\nold,-3\nnew,30\nold,20.1\nnew,40\n"
    told = arms_from_csv(content, low=0, high=30, clip=True)
    assert (names(told), data(told)) == (["old", "new"], [[0, 20.1 / 30], [1, 1]])
    assert (told.smallest, told.largest, told.low, told.high) == (-3, 40, 0, 30)
    assert told.sentence.endswith("; rescaled 0 -> 0, 30 -> 1; 2 outcomes clipped")
    assert arms_from_csv(content, low=0, clip=True).sentence.endswith("; 1 outcome clipped")
    assert arms_from_csv(content, clip=True) == arms_from_csv(content), "nothing is outside"
    with pytest.raises(ParameterError, match="line 2: outcome must be in"):
        arms_from_csv(content, low=0, high=30)
    with pytest.raises(ParameterError, match="line 3: outcome must be a finite number, got 'x'"):
        arms_from_csv(b"arm,outcome\nold,5\nnew,x\n", low=0, high=3, clip=True)


def test_decimal_commas_can_be_clipped():
    told = arms_from_csv(b"arm;outcome\nold;-1,5\nnew;2,5\nold;0,5\n", low=0, high=2, clip=True)
    assert (names(told), data(told)) == (["old", "new"], [[0, 0.25], [1]])


@pytest.mark.parametrize(
    ("outcomes", "interval", "moved"),
    [
        ("0.25 0.5", (0, 1), [0.25, 0.5]),
        ("0.5 0.5", (0, 1), [0.5, 0.5]),
        ("5 5", (0, 5), [1, 1]),
        ("-5 -5", (-5, 0), [0, 0]),
        ("-1 0.5", (-1, 0.5), [0, 1]),
    ],
)
def test_what_the_interval_is_if_it_is_not_given(outcomes, interval, moved):
    told = arms_from_csv("\n".join(["arm,outcome", *(f"a,{number}" for number in outcomes.split())]).encode())
    assert ((told.low, told.high), data(told)) == (interval, [moved])


@pytest.mark.parametrize(
    ("text", "arm", "outcome"),
    [
        ("group,days\na,10\nb,20\n", "group", "days"),
        ("group;days\na;1,5\nb;2,5\n", "group", "days"),  # with decimal commas
        ("days;group\n10;a\n20;b\n", "group", "days"),  # only the first can be outcomes
        ("first|second\n1|5\n2|7\n1|6\n2|8\n", "first", "second"),
        ("treatment,response\n0,1\n1,0\n1,1\n0,0\n", "treatment", "response"),
        ("drug,days\na,NA\nb,20\na,10\n", "drug", "days"),
        ("id\tweight\tdrug\n1\t60.5\tA\n2\t71.5\tB\n3\t58\tA\n", "drug", "weight"),
        ("treatment,cell,time,status\n1,x,72,1\n1,y,411,1\n2,x,30,1\n2,y,384,0\n", "treatment", "time"),
        ("Outcome,site,Arm\n1,x,a\n2,y,b\n", "Arm", "Outcome"),
    ],
)
def test_columns_and_separators_are_guessed(text, arm, outcome):
    told = arms_from_csv(text.encode(), drop_missing=True)
    assert (told.layout, told.arm, told.outcome, told.arm_columns) == ("long", arm, outcome, [])


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("old,new\n10,20\n12,25\n", ["old", "new"]),
        ("old;new\n1,5;2\n;4\n", ["old", "new"]),  # a column that ends before the other
        ("patient,old,new\n1,10,20\n2,12,25\n", ["old", "new"]),  # one that counts
        ("patient,old,new\np1,10,20\np2,12,NA\np3,12,20\n", ["old", "new"]),  # one of texts that do not repeat
        ("a,b\n1,0\n0,1\n1,1\n0,0\n", ["a", "b"]),  # of zeros and ones
        ("a,b,c\n1,2,3\n", ["a", "b", "c"]),
    ],
)
def test_wide_files_are_recognised(text, columns):
    told = arms_from_csv(text.encode(), drop_missing=True)
    assert (told.layout, told.arm_columns, told.arm, told.outcome) == ("wide", columns, None, None)
    assert names(told) == columns


def test_a_wide_file_is_rescaled_as_a_whole():
    told = arms_from_csv(b"id,old,new\n7,10,30\n9,20,\n", arms=["old", "new"])
    assert (names(told), data(told)) == (["old", "new"], [[0, 0.5], [1]])
    assert told.sentence == "3 outcomes in 2 arms: a column for each arm; rescaled 10 -> 0, 30 -> 1"
    assert told.columns == ["id", "old", "new"]


def test_the_layout_can_be_given():
    text = b"a,b\n1,0\n2,1\n1,1\n2,0\n"
    assert (arms_from_csv(text).layout, names(arms_from_csv(text))) == ("long", ["1", "2"])
    assert names(arms_from_csv(text, layout="wide")) == ["a", "b"]
    assert names(arms_from_csv(text, arms=["b"])) == ["b"]
    assert names(arms_from_csv(b"a,b\n1,5\n2,7\n", layout="long")) == ["1", "2"]


@pytest.mark.parametrize("text", ["arm,days\na,10\nb,\na,.\nb,30\n", "a,b\n10,NA\nnan,30\n"])
def test_missing_outcomes_are_refused_with_their_line_or_left_out(text):
    with pytest.raises(ParameterError) as caught:
        arms_from_csv(text.encode(), name="x.csv")
    assert str(caught.value).startswith("x.csv, line 3: ")
    assert caught.value.path == ("drop_missing",)
    told = arms_from_csv(text.encode(), drop_missing=True)
    assert (data(told), told.missing) == ([[0], [1]], 2)
    assert told.sentence.endswith("rescaled 10 -> 0, 30 -> 1; 2 missing outcomes left out")
    assert arms_from_csv(b"arm,days\na,10\nb,30\n", drop_missing=True).missing == 0


@pytest.mark.parametrize("layout", ["long", "wide"])
def test_the_sample_files_are_read_as_they_are(layout):
    told = arms_from_csv(sample_outcomes(layout).encode())
    assert (told.layout, names(told)) == (layout, ["standard", "test"])
    assert [arm["outcomes"] for arm in told.arms] == [69, 68]
    assert (told.smallest, told.largest) == (1, 999)


def test_columns_can_be_given():
    text = b"site,drug,days,cost\nx,a,10,1\ny,b,20,2\nx,b,30,9\n"
    assert names(arms_from_csv(text)) == ["x", "y"]
    told = arms_from_csv(text, arm="drug", outcome="cost")
    assert (names(told), told.largest) == (["a", "b"], 9)
    assert told.columns == ["site", "drug", "days", "cost"]
    assert arms_from_csv(text, outcome="cost").arm == "site"


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffarm,outcome\r\n=cmd|' /C calc'!A0,1\r\n<b>,2\r\n".encode(),
        b'"outcome";"arm"\n"1";"=cmd|\' /C calc\'!A0"\n2;<b>',
    ],
)
def test_names_are_plain_text(content):
    assert names(arms_from_csv(content)) == ["=cmd|' /C calc'!A0", "<b>"]


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        (b"", {}, "{} has no first line that names its columns"),
        (b"arm,outcome\n", {}, "{} has no outcomes: nothing follows its first line"),
        (b"\x89PNG\r\n\x1a\n", {}, "{} is not a text file in UTF-8 (at line 1: invalid start byte)"),
        ("arm,outcome\na,1\n".encode("utf-16"), {}, "{} is not a text file in UTF-8 (at line 1: invalid start byte)"),
        ("arm,outcome\na,1\n".encode("utf-16-le"), {}, "{} is not a text file in UTF-8: it has null characters"),
        (b'arm,outcome\n"a,1\n', {}, "{}, line 2: unexpected end of data"),
        (b"arm,outcome\na,1\nb,x\n", {}, "{}, line 3: outcome must be a finite number, got 'x'"),
        (b"arm,outcome\na,1\n,2\n", {}, "{}, line 3: arm must name an arm, got ''"),
        (b"arm,outcome\na,1\nb,9\n", {"low": 0, "high": 5}, "{}, line 3: outcome must be in [0, 5], got '9'"),
        (b"arm,outcome\na,1\n", {"low": 5, "high": 5}, "rescaling: low must be less than high, got low=5 and high=5"),
        (b"arm,outcome\na,1\n", {"low": float("nan")}, "low must be a finite number, got nan"),
        (
            b"arm,outcome\na,1\n",
            {"arm": "arms"},
            "{}: no column named 'arms'; did you mean 'arm'? (columns: arm, outcome)",
        ),
        (b"arm,arm,x\na,b,1\n", {"arm": "arm"}, "{}: column 'arm' appears twice (columns: arm, arm, x)"),
        (
            b"a,b,c\np1,good,3\np2,bad,4\n",
            {},
            "{}: cannot tell which column names the arms (columns: a, b, c); name them arm and outcome, or choose them",
        ),
        (b"a,b\nx,y\n", {"layout": "wide"}, "{}: no column has outcomes only (columns: a, b)"),
        (b"a,b\n1,x\n2,3\n", {"arms": ["b"]}, "{}, line 2: b must be a finite number, got 'x'"),
        (b"a,b\n1,2\n", {"arms": ["B"]}, "{}: no column named 'B'; did you mean 'b'? (columns: a, b)"),
        (b"a,b\n1,2\n", {"arms": ["a", "a"]}, "{}: column 'a' is given twice"),
        (b"a,a\n1,2\n", {"layout": "wide"}, "{}: column 'a' appears twice (columns: a, a)"),
        (b"a,\n1,2\n", {"layout": "wide"}, "{}: column 2 has no name, which would be that of its arm"),
        (b"arm,outcome\na,1\nb,NA\n", {"drop_missing": True}, "{}: arm 'b' has only missing outcomes"),
        (
            b",".join(b"%d" % i for i in range(51)) + b"\n" + b",".join(b"%d" % (i * i) for i in range(51)),
            {},
            "{}: 51 columns are arms, but at most 50 are allowed; choose another column",
        ),
        (
            b"a,b\n" + b"1,2\n" * (MOST_OUTCOMES // 2 + 1),
            {"layout": "wide"},
            "{} has more than 20000 outcomes, the limit",
        ),
        (
            b"x,y,z\na,b,c\na,b,d\n",
            {},
            "{}: cannot tell which column holds the outcomes (columns: x, y, z); "
            "name them arm and outcome, or choose them",
        ),
        (b"," * 1_000_000, {}, "{} has no first line that names its columns"),
        (b"a," * 900_000, {}, "{} has 900001 columns, but at most 200 are allowed"),
        (b"arm,outcome\n" + b"a" * 200_000 + b",1", {}, "{}, line 2: field larger than field limit (131072)"),
        (b" " * (LARGEST_BODY + 100_000), {}, "{} has 2.1 MB, but at most 2 MB can be sent"),
        (
            b"arm,outcome\n" + b"a,1\n" * (MOST_OUTCOMES + 1),
            {},
            "{} has more than 20000 outcomes, the limit",
        ),
        (
            b"arm,outcome\n" + b"".join(b"%d,1\n" % i for i in range(51)),
            {},
            "{}: the column 'arm' names 51 arms, but at most 50 are allowed; choose another column",
        ),
        (
            b"arm,outcome\n" + b"a" * 101 + b",1\n",
            {},
            "{}: the name of an arm can have at most 100 characters, got '" + "a" * 29 + "…' with 101",
        ),
    ],
)
def test_bad_files_get_a_sentence(content, options, sentence):
    with pytest.raises(ParameterError) as caught:
        arms_from_csv(content, name="trial.csv", **options)
    assert str(caught.value) == sentence.format("trial.csv")


def test_a_long_file_name_is_shortened():
    with pytest.raises(ParameterError, match="^x{59}… has no first line"):
        arms_from_csv(b"", name="x" * 200)
    with pytest.raises(ParameterError, match="^the file has no first line"):
        arms_from_csv(b"")


def test_the_most_there_can_be():
    told = arms_from_csv(b"arm,outcome\n" + b"".join(b"%d,%d\n" % (i % 50, i) for i in range(MOST_OUTCOMES)))
    assert len(told.arms) == 50
    assert sum(arm["outcomes"] for arm in told.arms) == MOST_OUTCOMES


ends = st.none() | st.floats() | st.integers(-3, 3)


@given(
    content=st.one_of(st.binary(max_size=300), st.text("aA1.-,;\t|\"'\n\r\0=e", max_size=80).map(str.encode)),
    low=ends,
    high=ends,
    clip=st.booleans(),
    layout=st.sampled_from([None, "long", "wide"]),
    drop_missing=st.booleans(),
)
@example(content=b"a;1,5\nb;2,5\n", low=0, high=2, clip=True, layout=None, drop_missing=False)
@example(content=b"1;NA\n;2\n.;\n", low=None, high=None, clip=False, layout="wide", drop_missing=True)
def test_any_bytes_become_arms_or_a_sentence(content, low, high, clip, layout, drop_missing):
    for head in (b"", b"arm,outcome\n", b"arm;outcome\n", b"x;y;z\n"):
        try:
            told = arms_from_csv(
                head + content, low=low, high=high, clip=clip, layout=layout, drop_missing=drop_missing
            )
        except ParameterError:
            continue
        assert all(0 <= reward <= 1 for rewards in data(told) for reward in rewards)
