"""Whether column names are names or data (a missing header line), and Chinese and English names of people."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from PETWorks.errors import Counted, Phrase, quoted
from PETWorks.tables.cells import is_number
from PETWorks.tables.source import Source

SURNAMES = (
    "陳林黃張李王吳劉蔡楊許鄭謝洪郭邱曾廖賴徐周葉蘇莊呂江何蕭羅高潘簡朱鍾彭游詹胡施沈余盧梁趙顏柯翁魏孫戴"
    "范方宋鄧杜傅侯曹薛丁卓馬董溫唐藍石蔣田康鄒白涂尤韓龔嚴袁陈黄张吴刘杨许郑谢赖叶苏庄吕萧罗简钟卢赵颜孙"
    "邓马温蓝蒋邹韩龚严歐夏程汪任阮倪嵇巫柳辛鄔池甘符殷樊姜龍湯伍岳顧孔邵尹錢賀郝黎孟秦閻俞翟裴聶覃鮑祝霍"
    "竇魯柴耿喬關姚陸崔譚陶鄺龐駱鄢沙桂聞靳岑凌牛紀梅祁阎汤顾钱贺龙闫谭陆鲁乔关纪聂"
)
SURNAMES_OF_TWO = "歐陽|司馬|上官|諸葛|張簡|范姜|司徒|令狐|皇甫|夏侯|尉遲|公孫|慕容|端木|欧阳|司马|诸葛|张简"
_TITLES = "先生|小姐|女士|太太|老師|醫師|醫生|教授|同學|君"
_CHINESE = re.compile(
    rf"({SURNAMES_OF_TWO}|[{SURNAMES}])(\s?[\u4e00-\u9fff○〇OX*＊]){{1,2}}\s?({_TITLES})?\s?(\([男女MF]\))?"
    r"|[\u4e00-\u9fff]{2,6}([·‧・•][\u4e00-\u9fff]{2,6}){1,3}"  # indigenous and foreign names
)
# Characters in column names that given names rarely have: 高血壓, 溫度計, 曾吸菸.
_NOT_GIVEN = frozenset(
    "度壓率值量數別碼號日期史型類費額病症級科名稱齡區縣市鄉鎮所院況序次球脂險入證劑藥測者素事用孕菸煙酒術醫診療業職"
)
_IN_NAMES = str.maketrans("", "", ".'’-")  # signs that are part of names
# Family names that are not also other words.
FAMILY_NAMES = """
    smith johnson williams jones garcia miller davis rodriguez martinez hernandez lopez gonzalez gonzales wilson
    anderson thomas taylor moore jackson martin lee perez thompson harris sanchez clark ramirez lewis robinson walker
    allen wright torres nguyen flores adams nelson rivera campbell mitchell carter roberts gomez phillips evans turner
    diaz edwards collins reyes stewart morris morales murphy rogers gutierrez ortiz morgan cooper peterson reed bailey
    ramos kim cox howard richardson watson brooks chavez bennett mendoza ruiz hughes alvarez castillo sanders patel
    myers ross foster jimenez powell jenkins sullivan chen lin huang chang wang liu tsai yang hsu cheng hsieh kuo chiu
    tseng liao chou yeh chuang chiang hsiao kao zhang zhao zhou guo tanaka suzuki sato schmidt mueller kowalski"""
# Common English given names. Two in five full names have one of them.
GIVEN_NAMES = """
    james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark
    donald steven paul andrew joshua kenneth kevin brian george timothy ronald edward jason jeffrey ryan jacob gary
    nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory alexander patrick frank
    raymond jack dennis jerry tyler aaron jose adam nathan henry zachary douglas peter kyle noah ethan jeremy walter
    keith roger terry sean gerald carl harold dylan arthur lawrence jesse bryan bruce gabriel joe alan juan albert
    elijah wayne randy vincent roy ralph russell bradley philip eugene bob tom jim mike dave steve chris ben sam
    mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley
    kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca laura sharon cynthia dorothy amy
    kathleen angela shirley brenda emma anna pamela nicole samantha katherine christine helen debra rachel carolyn
    janet maria catherine heather diane olivia julie joyce victoria ruth lauren kelly christina joan evelyn judith
    andrea hannah megan cheryl jacqueline martha teresa gloria sara janice ann anne kathryn abigail sophia frances
    jean alice judy isabella julia denise danielle marilyn beverly charlotte natalie theresa diana brittany doris
    kayla lori marie kate jane lucy ellen sue dora"""


@cache
def name_set(names: str) -> frozenset[str]:
    """The names in one of these lists."""
    return frozenset(names.split())


def is_chinese_name(text: str) -> bool:
    """Whether a text is a Chinese surname and one or two further characters, possibly masked or with a title."""
    return _CHINESE.fullmatch(text) is not None


def is_english_name(text: str) -> bool:
    """Whether a text is two to five words of letters, one of them a common given name."""
    words = text.replace(",", " ").split()
    return (
        2 <= len(words) <= 5
        and all(word.translate(_IN_NAMES).isalpha() for word in words)
        and any(word.lower() in name_set(GIVEN_NAMES) for word in words)
    )


def is_given_name(text: str) -> bool:
    """Whether a text is a common English given name alone, with a capital letter."""
    return text[:1].isupper() and text.lower() in name_set(GIVEN_NAMES)


def names_a_person(text: str) -> bool:
    """Whether a text that could be a column name is more likely the name of a person.

    >>> [names_a_person(text) for text in ("王小明", "歐陽怡君", "Mary Smith", "Jones", "SMITH, JOHN")]
    [True, True, True, True, True]
    >>> [names_a_person(text) for text in ("高血壓", "溫度", "White", "Mark", "total mark", "sex", "曾吸菸")]
    [False, False, False, False, False, False, False]
    """
    if is_chinese_name(text):
        return len(text) >= 3 and not _NOT_GIVEN & set(text[1:])
    if is_english_name(text):
        return all(word[0].isupper() for word in text.replace(",", " ").split() if word[0].isalpha())
    return text.istitle() and text.lower() in name_set(FAMILY_NAMES) | name_set(GIVEN_NAMES) - {"mark"}


LONGEST_NAME = 60
VALUES = {"male", "female", "true", "false", "null", "nan", "none", "男", "女", "男性", "女性"}

_NUMBERED = re.compile(r"[A-Za-z_]{1,3}\d{1,3}")  # column names made by programs: V10


def looks_like_data(name: str) -> bool:
    """Whether a name looks like a value: a number, a date, an address, an identity number, a person, a long text.

    >>> [looks_like_data(name) for name in ("35", "2020-01-31", "A123456789", "ann@example.org", "47*", "")]
    [True, True, True, True, True, True]
    >>> [looks_like_data(name) for name in ("age", "V10", "income 2020", "5-year survival", "No.", "血型")]
    [False, False, False, False, False, False]
    """
    signs = [sign for sign in name if sign.isalnum()]
    digits = sum(sign.isdigit() for sign in signs)
    return (
        not signs
        or len(name) > LONGEST_NAME
        or "*" in name
        or re.search(r"\S@\S+\.\S", name) is not None
        or name.casefold() in VALUES
        or is_number(name)
        or names_a_person(name)
        or (digits >= 2 and 2 * digits >= len(signs) and not _NUMBERED.fullmatch(name))
    )


def count_suspicious_names(source: Source) -> int:
    """The number of column names that look like data, or are also values of their own column."""
    repeated: frozenset[str] = getattr(source, "repeated_names", frozenset())
    return sum(looks_like_data(name) or name in repeated for name in source.names)


def has_header_line(source: Source) -> bool:
    """Whether the names are cells of the first line, which could also be a record."""
    return source.encoding is not None or getattr(source, "has_header_row", False)


def columns_of(source: Source, columns: Sequence[str] | None = None) -> Phrase:
    """Columns of a table, by default all, for a message; only their number if names look like data."""
    shown = source.names if columns is None else columns
    return column_count_phrase(source, len(shown)) if count_suspicious_names(source) else quoted(shown)


def column_count_phrase(source: Source, number: int) -> Phrase:
    """The number of columns, and the reason why they are not named."""
    columns = Counted("1 column", "{n} columns", n=number)
    names = {"columns": columns, "strange": count_suspicious_names(source), "names": len(source.names)}
    if not has_header_line(source):
        return Phrase("{columns}; {strange} of {names} names look like data and are not shown", **names)
    return Phrase("{columns}; the first line looks like data ({strange} of {names} names); add a header", **names)


def repeated_names(names: Sequence[str], rows: Iterable[Sequence[str]]) -> frozenset[str]:
    """Names that are also values in their column."""
    return frozenset(
        name for row in rows for name, cell in zip(names, row, strict=False) if name and name == cell.strip()
    )
