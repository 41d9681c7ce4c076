"""The command `demo`: a made-up table of hospital stays becomes a release that passes, step by step."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import click

from PETWorks.cli.arguments import DOES_NOT_HOLD, HOLDS, shown_path
from PETWorks.errors import InputError, PETWorksError
from PETWorks.locale import ENGLISH
from PETWorks.render.language.messages import VARIABLE, language


def _taiwanese_date(day: date, number: int) -> str:
    """A date in the calendar of Taiwan, in one of two common spellings."""
    year = day.year - 1911
    return f"{year:03}{day:%m%d}" if number % 3 else f"民國{year}年{day.month}月{day.day}日"


class Words(NamedTuple):
    """The words of the made-up table in one language."""

    header: str
    surnames: str
    men: str
    women: str
    name: str
    born: Callable[[date, int], str]
    admitted: str
    values: Mapping[str, str]  # words for sexes and departments, by the Chinese ones


# By language; those of English are used for the others.
WORDS = {
    "zh-TW": Words(
        header="姓名,病歷號,性別,出生日期,郵遞區號,入院日期,科別,診斷碼,住院天數,費用",
        surnames="陳 林 黃 張 李 王 吳 劉 蔡 楊 許 鄭 謝 洪 郭 邱 曾 廖 賴 徐 周 葉 蘇 莊 呂 江 何 蕭 羅 高",
        men="志明 家豪 俊傑 建宏 冠宇 宗翰 承恩 柏翰 文雄 國華 信宏 明哲 彥廷 宇軒 金龍 正雄",
        women="淑芬 美玲 怡君 雅婷 麗華 秀英 佳穎 詩涵 欣怡 惠美 玉蘭 雅雯 心怡 宜蓁 月娥 品妤",
        name="{surname}{given}",
        born=_taiwanese_date,
        admitted="%Y/%m/%d",
        values={},
    ),
    ENGLISH: Words(
        header="name,record_number,sex,date_of_birth,postcode,admitted,department,diagnosis,days,cost",
        surnames=(
            "Adams Baker Brown Clark Cook Davis Evans Foster Green Hall Hill Jones King Lee Miller Moore Reed Young"
        ),
        men="Adam Alan Ben Carl David Eric Frank George Henry Ian Jack Leo Mark Owen Paul Tom",
        women="Ada Alice Beth Carol Clara Edith Emma Grace Hannah Iris Jane Kate Lucy Mary Nora Ruth",
        name="{given} {surname}",
        born=lambda day, _: day.isoformat(),
        admitted="%Y-%m-%d",
        values={
            "男": "m",
            "女": "f",
            "內科": "medicine",
            "外科": "surgery",
            "骨科": "orthopaedics",
            "婦產科": "obstetrics",
            "小兒科": "paediatrics",
            "精神科": "psychiatry",
        },
    ),
}
# Districts of one city and of the counties around it: the hospital's patients live nearby.
POSTCODES = {"404": 18, "406": 16, "407": 22, "408": 14, "411": 9, "412": 8, "420": 7, "500": 4, "540": 3, "600": 1}
# Department: weight, mean age, mean days, mean cost of a day, diagnoses from common to rare.
DEPARTMENTS = {
    "內科": (34, 66, 6, 5200, "J18.9 I50.9 N39.0 E11.9 K92.2 J44.1 I10 A41.9 C34.9 B20"),
    "外科": (20, 55, 5, 9800, "K35.8 K80.2 K40.9 C18.9 C50.9 S06.0 C22.0"),
    "骨科": (15, 60, 6, 8800, "S72.0 M17.1 S52.5 M51.2 S82.1 M80.0"),
    "婦產科": (12, 33, 4, 7200, "O80 O82 D25.9 N80.0 C53.9 O14.1"),
    "小兒科": (12, 5, 4, 4300, "J20.9 A08.4 J18.9 J45.9 R56.0 P07.3"),
    "精神科": (7, 42, 20, 3100, "F20.9 F32.9 F31.9 F10.2 F41.1"),
}


def write_hospital(path: Path | str, records: int = 5_000, lang: str = "zh-TW") -> None:
    """Write a made-up table of one year's hospital stays, one for each person."""
    import random

    rng = random.Random(3)  # noqa: S311 - made-up data, reproducible by its seed
    words = WORDS.get(lang, WORDS[ENGLISH])
    rows = []
    for number in range(records):
        department, (_, age, days, cost, codes) = rng.choices(
            list(DEPARTMENTS.items()), [department[0] for department in DEPARTMENTS.values()]
        )[0]
        sex = "女" if department == "婦產科" else rng.choice("男女")
        born = date(2025, 7, 1) - timedelta(days=int(365 * min(max(rng.gauss(age, age / 4), 0.1), 101)))
        surname = rng.choice(words.surnames.split())
        given_name = rng.choice((words.women if sex == "女" else words.men).split())
        postcode = rng.choices(list(POSTCODES), list(POSTCODES.values()))[0]
        admitted = date(2025, 1, 1) + timedelta(days=rng.randrange(365))
        days_stayed = 1 + int(rng.expovariate(1 / days))
        code_list = codes.split()
        code = rng.choices(code_list, [1 / (place + 1) for place in range(len(code_list))])[0]
        paid = round(days_stayed * cost * rng.lognormvariate(0, 0.3))
        record = rng.randrange(10**7, 10**8)
        name = words.name.format(surname=surname, given=given_name)
        sex, department = (words.values.get(word, word) for word in (sex, department))
        dates = (words.born(born, number), admitted.strftime(words.admitted))
        rows.append(f"{name},{record},{sex},{dates[0]},{postcode},{dates[1]},{department},{code},{days_stayed},{paid}")
    Path(path).write_text("\n".join([words.header, *rows]) + "\n", "utf-8")


RECORDS = 2_000
TABLE, POLICY = "hospital.csv", "hospital_policy.yaml"
RELEASED, RELEASED_POLICY, REPORT = "hospital_released.csv", "hospital_released_policy.yaml", "report.html"


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path), default="petworks-demo")
def demo_command(folder: Path) -> None:
    """See in a minute how a raw table becomes a release that passes.

    Makes up a hospital's table in FOLDER, which must be new or empty, runs the commands that you would type, and says
    what they do. Nothing is written anywhere else.

    \b
    Examples:
      petworks demo
      petworks demo somewhere/new --lang zh-TW
    """
    from PETWorks.render.language.language import message_text

    lang = language()
    _check_empty(folder)
    folder.mkdir(parents=True, exist_ok=True)
    shown = shown_path(folder.absolute())
    write_hospital(folder / TABLE, RECORDS, lang=lang)
    _explain("table", lang)
    _show_file(folder / TABLE)
    _explain("roles", lang)
    _run(folder, ["init", TABLE], HOLDS, lang, lines=18)
    _explain("raw", lang)
    _run(folder, ["check", POLICY], DOES_NOT_HOLD, lang, lines=9)
    _explain("anonymize", lang)
    _run(folder, ["anonymize", POLICY, "-o", RELEASED, "--html", REPORT], HOLDS, lang, lines=20)
    _explain("released", lang)
    _run(folder, ["check", RELEASED_POLICY], HOLDS, lang, lines=2)
    _show_file(folder / RELEASED)
    _explain("report", lang)
    click.echo(f"  {shown_path((folder / REPORT).absolute())}\n  petworks studio {shown}")
    _explain("own", lang)
    for suffix in ("csv", "xlsx"):
        click.echo(f"  petworks init {message_text(lang, 'demo.your-table')}.{suffix}")


def _check_empty(folder: Path) -> None:
    """Raise if the folder is not empty."""
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError("{folder!r} is not an empty folder; name another one", folder=str(folder))
    except PermissionError:
        raise InputError("cannot write {path!r}: the folder is not writable", path=str(folder)) from None


def _explain(step: str, lang: str) -> None:
    """Print what comes next and why, in two lines."""
    from PETWorks.render.language.language import message_text

    click.secho("\n" + message_text(lang, f"demo.{step}"), bold=True)


def _show_file(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        click.echo("".join(f"  {line}" for line in islice(file, 3)), nl=False)


def _run(folder: Path, arguments: Sequence[str], code: int, lang: str, lines: int) -> None:
    """Run a command as the user would, and show the first lines of its output."""
    import subprocess

    from PETWorks.render.language.language import message_text

    click.secho(f"$ petworks {' '.join(arguments)}", fg="cyan")
    process = subprocess.run(  # noqa: S603 - this program itself, without a shell
        [sys.executable, "-P", "-m", "PETWorks", *arguments],
        cwd=folder,
        env={**os.environ, VARIABLE: lang, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if process.returncode != code:
        click.echo(process.stderr, err=True)
        raise PETWorksError("the demonstration did not work as it should; the lines above say why")
    printed = process.stdout.splitlines()
    click.echo("".join(f"  {line}".rstrip() + "\n" for line in printed[:lines]), nl=False)
    if len(printed) > lines:
        click.echo("  " + message_text(lang, "demo.more", n=len(printed) - lines))
