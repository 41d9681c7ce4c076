"""Make up the table of the quick start: hospital stays, one for each person. Nobody in it exists.

python docs/quickstart/make_people.py    writes people.xlsx and zh-TW/people.xlsx where this file is
"""

import random
from datetime import date, timedelta
from pathlib import Path

from openpyxl import Workbook

RECORDS, SEED = 2000, 5
HEADER = ("name", "patient_id", "sex", "birth_date", "postcode", "admitted", "diagnosis", "days")
FIRST = {
    "f": "Ada Alice Amy Beth Carol Clara Dora Edith Ella Emma Grace Hannah Iris Jane Kate Lucy Mary Nora Rose Ruth",
    "m": "Adam Alan Ben Carl David Eric Frank George Henry Ian Jack Karl Leo Mark Neil Owen Paul Robert Sam Tom",
}
LAST = (
    "Adams Baker Brown Clark Cook Davis Evans Foster Green Hall Hill Jones King Lee Miller Moore Reed Smith Ward Young"
)
POSTCODES = {"40120": 5, "40122": 5, "40127": 4, "40211": 4, "40215": 4, "40218": 3, "41003": 2, "41009": 2, "43750": 1}
# Diagnosis: how many stays, mean age, mean days.
DIAGNOSES = {
    "pneumonia": (20, 62, 6),
    "fracture": (18, 58, 7),
    "heart failure": (16, 71, 8),
    "appendicitis": (14, 31, 3),
    "diabetes": (12, 57, 5),
    "depression": (10, 43, 16),
    "breast cancer": (6, 55, 5),
    "HIV": (4, 38, 9),
}
# The same table in Chinese: each word has one of its own, so all counts are the same.
CHINESE_HEADER = ("姓名", "病歷號", "性別", "出生日期", "郵遞區號", "入院日期", "診斷", "住院天數")
CHINESE_FIRST = {
    "f": "淑芬 美玲 怡君 雅婷 麗華 秀英 佳穎 詩涵 欣怡 惠美 玉蘭 雅雯 心怡 宜蓁 月娥 品妤 筱涵 婉婷 靜宜 佩君",
    "m": "志明 家豪 俊傑 建宏 冠宇 宗翰 承恩 柏翰 文雄 國華 信宏 明哲 彥廷 宇軒 金龍 正雄 志偉 建志 哲瑋 聖傑",
}
CHINESE_LAST = "陳 林 黃 張 李 王 吳 劉 蔡 楊 許 鄭 謝 洪 郭 邱 曾 廖 賴 徐"
CHINESE_DIAGNOSES = "肺炎 骨折 心臟衰竭 闌尾炎 糖尿病 憂鬱症 乳癌 愛滋病"


def people(records=RECORDS, seed=SEED):
    """The rows of the table, the header first."""
    chance = random.Random(seed)
    yield HEADER
    for number in range(records):
        diagnosis = chance.choices(list(DIAGNOSES), [stays for stays, _, _ in DIAGNOSES.values()])[0]
        _, age, days = DIAGNOSES[diagnosis]
        sex = "f" if diagnosis == "breast cancer" else chance.choice("fm")
        name = f"{chance.choice(FIRST[sex].split())} {chance.choice(LAST.split())}"
        born = date(2025, 7, 1) - timedelta(days=int(365 * min(max(chance.gauss(age, 14), 18), 97)))
        admitted = date(2025, 1, 1) + timedelta(days=chance.randrange(365))
        postcode = chance.choices(list(POSTCODES), list(POSTCODES.values()))[0]
        stayed = 1 + int(chance.expovariate(1 / days))
        patient = f"P{chance.randrange(900) + 100}{number:04}"
        yield name, patient, sex, born, postcode, admitted, diagnosis, stayed


def people_in_chinese():
    """The same rows in Chinese."""
    first = {sex: dict(zip(FIRST[sex].split(), CHINESE_FIRST[sex].split(), strict=True)) for sex in FIRST}
    last = dict(zip(LAST.split(), CHINESE_LAST.split(), strict=True))
    diagnoses = dict(zip(DIAGNOSES, CHINESE_DIAGNOSES.split(), strict=True))
    yield CHINESE_HEADER
    for name, patient, sex, born, postcode, admitted, diagnosis, days in list(people())[1:]:
        given, surname = name.split()
        own = last[surname] + first[sex][given]
        yield own, patient, {"f": "女", "m": "男"}[sex], born, postcode, admitted, diagnoses[diagnosis], days


if __name__ == "__main__":
    for file, rows in (("people.xlsx", people()), ("zh-TW/people.xlsx", people_in_chinese())):
        book = Workbook()
        for row in rows:
            book.active.append(row)
        book.save(Path(__file__).parent / file)
