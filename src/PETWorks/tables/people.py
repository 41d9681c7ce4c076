"""Names of people, in Chinese and English."""

import re
from functools import cache

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
# What names of columns have and given names hardly ever have: 高血壓, 溫度計, 曾吸菸.
_NOT_GIVEN = frozenset(
    "度壓率值量數別碼號日期史型類費額病症級科名稱齡區縣市鄉鎮所院況序次球脂險入證劑藥測者素事用孕菸煙酒術醫診療業職"
)
_IN_NAMES = str.maketrans("", "", ".'’-")  # signs that are part of names
# Family names that are no other words.
FAMILY_NAMES = """
    smith johnson williams jones garcia miller davis rodriguez martinez hernandez lopez gonzalez gonzales wilson
    anderson thomas taylor moore jackson martin lee perez thompson harris sanchez clark ramirez lewis robinson walker
    allen wright torres nguyen flores adams nelson rivera campbell mitchell carter roberts gomez phillips evans turner
    diaz edwards collins reyes stewart morris morales murphy rogers gutierrez ortiz morgan cooper peterson reed bailey
    ramos kim cox howard richardson watson brooks chavez bennett mendoza ruiz hughes alvarez castillo sanders patel
    myers ross foster jimenez powell jenkins sullivan chen lin huang chang wang liu tsai yang hsu cheng hsieh kuo chiu
    tseng liao chou yeh chuang chiang hsiao kao zhang zhao zhou guo tanaka suzuki sato schmidt mueller kowalski"""
# Given names that are common in English. Two in five full names have one of them.
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
def _listed(names: str) -> frozenset[str]:
    return frozenset(names.split())


def is_chinese_name(text: str) -> bool:
    """Whether a text is a Chinese surname and one or two further characters, perhaps masked or with a title."""
    return _CHINESE.fullmatch(text) is not None


def is_english_name(text: str) -> bool:
    """Whether a text is two to five words of letters, one of them a common given name."""
    words = text.replace(",", " ").split()
    return (
        2 <= len(words) <= 5
        and all(word.translate(_IN_NAMES).isalpha() for word in words)
        and any(word.lower() in _listed(GIVEN_NAMES) for word in words)
    )


def names_a_person(text: str) -> bool:
    """Whether a text that could name a column rather names a person.

    >>> [names_a_person(text) for text in ("王小明", "歐陽怡君", "Mary Smith", "Jones", "SMITH, JOHN")]
    [True, True, True, True, True]
    >>> [names_a_person(text) for text in ("高血壓", "溫度", "White", "Mark", "total mark", "sex", "曾吸菸")]
    [False, False, False, False, False, False, False]
    """
    if is_chinese_name(text):
        return len(text) >= 3 and not _NOT_GIVEN & set(text[1:])
    if is_english_name(text):
        return all(word[0].isupper() for word in text.replace(",", " ").split() if word[0].isalpha())
    return text.istitle() and text.lower() in _listed(FAMILY_NAMES) | _listed(GIVEN_NAMES) - {"mark"}
