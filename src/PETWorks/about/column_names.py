"""The words in column names, in English and Chinese, and the roles they suggest."""

import re
import unicodedata
from functools import cache, reduce

from PETWorks.attributetypes import IDENTIFIER, INSENSITIVE_ATTRIBUTE, QUASI_IDENTIFIER, SENSITIVE_ATTRIBUTE

# The meanings of names, and the words for each. Latin words match as whole words, Chinese ones anywhere
# unless they are between `_`; if one match contains another, the longer one counts.
A_NAME, A_PERSON_NUMBER, A_RECORD_NUMBER = (
    "a person's name",
    "a number given to one person",
    "a number given to a record",
)
AN_ADDRESS, A_CONTACT, AN_ACCOUNT = "an address", "a way to reach a person", "an account, a card or a plate"
A_DEVICE, A_HOUSEHOLD = "a device, or a trace on the net", "a number given to a household"
SEEN = "where or when a person was seen"
SEX, AGE, ORIGIN, BODY = "sex", "age or birth", "origin, language or family", "how a person is built"
A_PLACE, WORK, A_DATE, MARITAL_STATUS = "a place", "work or schooling", "a date", "marital status"
IDENTIFYING = {
    A_NAME: """first name, last name, full name, given name, family name, middle name, maiden name, surname, forename,
        nickname, lname, fname, vorname, nachname, prenom, apellido, 姓名, 全名, 名字, 姓氏, 中文名, 英文名, 暱稱,
        _姓_, _名_""",
    A_PERSON_NUMBER: """ssn, social security, national id, identity card, identity number, identity no, id card,
        id number, id no, passport, tax id, driver license, driving licence, mrn, medical record number,
        medical record no, chart number, chart no, chart, ptno, health insurance number, patid, ptid, subjid, usubjid,
        resp id, resp no, cust id, cust no, emp id, emp no, mbr id, mbr no, usr id, 身分證, 身分字號,
        居留證, 護照, 統一證號, 健保卡, 駕照, 駕駛執照, 病歷號, 病歷編號, 病歷碼, 學號, 員編, 工號,
        社保號, 社會保障號""",
    A_CONTACT: """email, e mail, email address, phone, phone number, telephone, tel, mobile, cell phone,
        fax, line id, wechat, 電話, 手機, 傳真, 電子郵件, 電郵, 信箱, 郵箱, 聯絡方式, 微信""",
    AN_ADDRESS: "address, street, house number, 地址, 住址, 通訊處, 門牌, 街道, 通訊地",
    AN_ACCOUNT: """account, iban, credit card, card number, card no, license plate, plate number,
        vin, policy number, policy no, 帳號, 帳戶, 信用卡, 卡號, 車牌, 車號, 保單號, 統一編號, 統編, 稅籍編號""",
    A_DEVICE: """ip, ipv, ip address, mac address, imei, device id, serial number, url,
        website, username, login id, password, fingerprint, photo, signature, 網址, 位址, 指紋, 照片, 簽名""",
    A_HOUSEHOLD: """hhid, hh id, hh no, hh number, household serial, household id,
        household number, household no, household code, family id, family number, family no,
        戶號, 家戶編號, 家庭編號, 家戶代號, 戶口編號""",
    A_RECORD_NUMBER: "row number, row no, rowid, 流水號, 案號, 單號",
}
POSTCODES = "zip, zip code, postal, postal code, post code, 郵遞區號, 郵政編碼, 郵編"
PLACES = f"""{POSTCODES}, country, county, city, town, home town, township,
    village, district, region, province, state, municipality, residence, location, place, birth place, latitude,
    longitude, lat, lon, lng, gps, geo, 區號, 縣市, 縣別, 城市, 鄉鎮, 市區, 地區, 區域,
    行政區, 省分, 省別, 居住, 戶籍, 籍貫, 村里, 里別, 國家, 國別, 經度, 緯度, 所在地, 地名, _縣_, _市_, _區_, _省_"""
# Institutions may be named after people, like places.
INSTITUTIONS = """school, university, college, company, hospital, clinic, ward, 學校, 公司, 醫院, 診所, 院所, 病房,
    科別, 科系"""
QUASI_IDENTIFYING = {
    SEX: "sex, gender, 性別",
    AGE: "age, age group, birth, birthday, birth date, birth year, dob, yob, 年齡, 年紀, 歲數, 生日, 出生",
    A_PLACE: PLACES,
    ORIGIN: """nationality, citizenship, native, race, ethnicity, ethnic, tribe, language,
        mother tongue, marital, marital status, marriage, household, child, children, 國籍, 族群, 種族, 民族, 族別,
        原住民, 語言, 母語, 婚姻, 婚況, 配偶, 子女, 家庭, 戶長""",
    WORK: """occupation, job, profession, employer, employment, workclass, industry, company, position,
        education, degree, school, university, college, military, veteran, 職業, 工作, 行業, 職稱, 職位, 職務, 公司,
        任職, 雇主, 就業, 教育, 學歷, 學校, 科系, 畢業, 兵役""",
    BODY: "height, weight, eye color, hair color, blood type, 身高, 體重, 血型",
    SEEN: """hospital, clinic, ward, admission, discharge, visit, year, month, day, time,
        醫院, 診所, 院所, 就醫, 就診, 住院, 入院, 出院, 看診, 科別, 病房, 年度, 年月, 月分, 年分""",
}
BIRTH, MARITAL = "birth, birthday, dob, 生日, 出生", "marital, marital status, marriage, 婚姻, 婚況"
# These stay the same for life, or nearly, and hardly any place, institution or product decides two of them.
BLOOD_AND_COLOUR = "blood type, blood group, eye color, hair color, 血型"
DESCENT = """nationality, citizenship, native, race, ethnicity, ethnic, tribe, mother tongue, birth place,
    place of birth, home town, 國籍, 族群, 種族, 民族, 族別, 原住民, 母語, 籍貫, 出生地"""
SCHOOLING, OCCUPATION = "education, degree, 教育, 學歷", "occupation, profession, 職業"
FIRST_NAMES = "first name, given name, forename, fname, vorname, prenom, 名字, _名_"
LAST_NAMES = "last name, family name, surname, lname, nachname, apellido, 姓氏, _姓_"
# These decide the role of a column even if another word of its name is sensitive; others may not (`mental state`).
PERSONAL_ATTRIBUTES = """age, sex, gender, zip, zip code, postal code, post code, country, county, city, town, township,
    village, district, province, municipality, residence, 年齡, 性別, 郵遞區號, 縣市, 鄉鎮, 行政區, 居住地, 戶籍地"""
SAMPLING_WEIGHTS = """sampling weight, sample weight, survey weight, design weight, final weight, base weight,
    person weight, household weight, weighting factor, weight factor, expansion factor, raising factor, grossing factor,
    inflation factor, wgt, fnlwgt, perwt, hhwt, pweight, wtfinl, 權數, 權重, 加權, 擴大係數, 膨脹係數, 推估係數,
    放大倍數"""
WEIGHTS = "weight, wt, weights"  # of a record, or of a body
HOUSEHOLDS = "household, hh, 家戶, 戶"  # a household, if its values are numbers of households
REMARKS = """remark, remarks, note, notes, comment, comments, memo, free text, description, 備註, 附註, 備考, 註記,
    評語, 說明, 描述, 紀要"""
DATES = "date, datetime, timestamp, created at, updated at, 日期, 時間"
SENSITIVE = {
    "health": """diagnosis, diagnose, diagnostic, diag, dx, icd, disease, illness, condition, symptom, disorder,
        syndrome, medication, medicine, drug, prescription, treatment, therapy, surgery, procedure, allergy, lab result,
        test result, hiv, cancer, tumor, diabetes, disability, handicap, mental, psychiatric, depression, pregnant,
        pregnancy, genetic, genotype, gene, dna, blood pressure, cholesterol, glucose, hba, bmi, smoking, alcohol,
        vaccination, vaccine, covid, cause of death, medical history, medical record, family history, health,
        comorbidity, 診斷, 疾病, 病名, 病史, 病因, 病症, 病況, 病情, 病程, 病歷, 傳染病, 慢性病, 性病, 糖尿病, 心臟病,
        精神, 職業病, 遺傳, 癌, 腫瘤, 愛滋, 憂鬱, 自殺, 懷孕, 流產, 基因, 障礙, 殘疾, 過敏, 症狀, 主訴, 處方, 手術, 藥,
        治療, 檢驗, 檢查結果, 血壓, 血糖, 膽固醇, 抽菸, 吸菸, 吸煙, 飲酒, 疫苗, 死因, 健康, 醫囑""",
    "money": """salary, income, wage, earnings, pay, payroll, bonus, asset, debt, loan, mortgage, balance,
        account balance, cost, charge, price, fee, bill, payment, credit score, net worth, capital gain, capital loss,
        tax, expenditure, 薪, 工資, 所得, 收入, 資產, 財產, 存款, 負債, 債務, 貸款, 餘額, 帳戶餘額, 信用評分, 補助, 稅,
        保費, 理賠, 金額, 費用""",
    "belief, opinion or private life": """counselling, counseling, bullying, special needs, religion, religious,
        faith, politics, political, vote, voting, trade union, sexual, sexuality, gender identity, 宗教, 信仰, 政黨,
        政治, 投票, 工會, 性傾向, 性取向, 性別認同, 輔導, 諮商, 霸凌, 中輟, 特教, 懲處, 獎懲, 弱勢""",
    "crime or violence": """crime, criminal, conviction, arrest, offense, victim, violence, abuse, addiction, 犯罪,
        前科, 罪, 刑, 受害, 家暴, 虐待, 成癮, 吸毒""",
    "results of a person": "gpa, exam score, test score, performance rating, 成績, 考績",
}
# Results of people that few outsiders know: `petworks init` proposes a sensitive attribute, and says when it is none.
RESULTS = """outcome, result, finding, screening, screened, infection, infected, tested, relapse, recurrence, remission,
    complication, adverse event, side effect, smoker, smoke, drinker,
    default, defaulted, delinquency, delinquent, fraud, recidivism, churn, churned, affair, extramarital, infidelity,
    adultery, 結果, 篩檢, 檢測, 陽性, 陰性, 感染, 預後, 復發, 併發症, 副作用, 不良反應, 違約, 呆帳, 詐欺, 再犯,
    流失, 外遇, 婚外情"""
# Results that outsiders may know, or that say nothing of their kind.
PERHAPS_RESULTS = """participation, participate, participated, died, death, dead, alive, survived, survival, mortality,
    deceased, hired, promoted, graduated, passed, enrolled, employed, unemployed, purchased, bought, clicked, converted,
    approved, accepted, rejected, subscribed, readmitted, readmission, dropout, response, responder, target, label,
    dependent, insurance, insured, uninsured, 參與, 保險, 死亡, 存活, 錄取, 通過, 退學, 購買, 回應, 離職"""
# These contain words from above, but are harmless.
HARMLESS = """phone model, phone brand, phone type, email domain, email type, address type, account type,
    account status, 手機型號, 手機品牌, 電話費, 英文名稱, 中文名稱, 帳戶類型, 帳號類型, 地址類型"""
COUNT_PHRASES = (" number of ", " no of ", " num of ", " no show ")
# After a word for a person or a record these form an identifier: `patient no`, `客戶編號`.
LABEL_WORDS = """id, identifier, no, number, num, nr, code, key, uid, uuid, guid, hash, token, serial, 編號, 代號, 號碼,
    序號, 識別, 代碼, 字號, 標識"""
NAME_WORDS = "name, 名稱, 大名"
SUBJECTS = """patient, person, customer, client, user, member, employee, staff, worker, student, pupil, subject,
    respondent, participant, individual, citizen, resident, tenant, applicant, borrower, policyholder, insured, donor,
    beneficiary, passenger, voter, buyer, consumer, 病人, 病患, 患者, 個案, 客戶, 顧客, 會員, 用戶, 使用者, 員工, 職員,
    學生, 受試者, 受訪者, 民眾, 被保險人, 保戶, 當事人, 個人"""
# Names of columns with numbers that stand for people, without a word for a person.
PSEUDONYMS = "pseudonym, alias, case, key, token, hash, code, account, 代碼, 化名, 假名, 帳號"
OTHER_PEOPLE = """doctor, physician, nurse, provider, teacher, agent, surgeon, therapist, counsellor, counselor,
    caseworker, interviewer, examiner, observer, coach, trainer, instructor, salesperson, cashier, supervisor, manager,
    mother, father, parent, spouse, contact, emergency, next of kin, guardian, 醫師, 醫生, 護理師,
    家屬, 聯絡人, 聯繫人, 父親, 母親"""
# Organisations: many people share their phone or device.
OFFICES = f"""{INSTITUTIONS}, office, department, dept, branch, store, shop, business, 部門, 單位, 分店, 門市,
    辦公室"""
# Groups of people or things: the members of one may have sex, age or place in common, but a group is not a person.
GROUP_WORDS = """team, squad, crew, choir, club, league, class, classroom, grade, course, session, group, subgroup,
    cohort, arm, stratum, strata, segment, cluster, quota, category, type, level, room, hall, cabin, cell, cage,
    dorm, dormitory, shift, heat, event, competition, contest, tournament, match, game, pair, batch, lot, product,
    plan, program, programme, tariff, ticket, route, bus, vehicle, car, model, machine, 班級, 班別, 年級, 組別, 隊,
    社團, 課程, 賽事, 場次, 梯次, 班次, 路線, 層別, 分層, 類別, 種類, 房號, 寢室, 宿舍, 車型"""
# Mailboxes that several people read.
SHARED_MAILBOXES = """info, contact, office, admin, support, help, helpdesk, service, sales, mail, hello, team, hr,
    desk, reception, booking, billing, noreply, no reply, webmaster, postmaster, enquiry, inquiry, press, secretary"""
NOT_DEVICES = "url, website, password, photo, signature, 網址, 照片, 簽名"
RECORD_WORDS = """record, row, case, visit, encounter, claim, order, transaction, event, sample, specimen, document,
    invoice, application, 案件, 訂單, 檢體, 紀錄, 記錄, 交易, 就醫, 就診"""
LABELLED_WORDS = (
    (SUBJECTS, LABEL_WORDS, A_PERSON_NUMBER),
    (f"{SUBJECTS}, {OTHER_PEOPLE}", NAME_WORDS, A_NAME),
    (RECORD_WORDS, LABEL_WORDS, A_RECORD_NUMBER),
)
WHOLE_NAMES = {
    A_PERSON_NUMBER: "id, identifier, uid, uuid, guid, pid, 編號, 代號, 識別碼",
    A_RECORD_NUMBER: "序號, 項次",
    A_NAME: "name",
    A_DEVICE: "login, handle, imsi, msisdn, screen name",
}


# Simplified characters and variants, and below each the character used in Taiwan.
_TAIWAN = str.maketrans(
    "电话机邮编码号证証份诊断龄县乡镇职业国种资别学历区递帐账賬车户传执驶驾护联络系网纹签处药术疗检验压烟饮产"
    "负债贷余评税赔额党倾会员顾称识标财绩试岁纪体语务间残碍过状诉肿爱忧郁杀怀脏遗单费类经纬贯讯门医师属亲订访"
    "众险当个记补瘾毕录结认嘱据数时昵况统长胆",
    "電話機郵編碼號證證分診斷齡縣鄉鎮職業國種資別學歷區遞帳帳帳車戶傳執駛駕護聯絡繫網紋簽處藥術療檢驗壓煙飲產"
    "負債貸餘評稅賠額黨傾會員顧稱識標財績試歲紀體語務間殘礙過狀訴腫愛憂鬱殺懷臟遺單費類經緯貫訊門醫師屬親訂訪"
    "眾險當個記補癮畢錄結認囑據數時暱況統長膽",
)
# A word is all capitals, or lower case with or without a first capital, or Chinese; digits and signs separate words.
_WORD = re.compile(r"[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|[\u3400-\u9fff]+")
LONGEST = 400  # characters of a name that are examined


def words_of(name: str) -> str:
    """The words of a name between blanks: lower case, singular, in Taiwanese characters, without digits and signs.

    >>> words_of("patientIDs"), words_of("ZIPCode_2"), words_of("患者ID")
    (' patient id ', ' zip code ', ' 患者 id ')
    """
    # Accents are removed, and full-width letters become plain ones.
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name[:LONGEST]) if not unicodedata.combining(sign))
    words = (_singular(word.lower()) for word in _WORD.findall(plain.translate(_TAIWAN)) if word != "s")
    return reduce(lambda text, other: text.replace(other, " "), COUNT_PHRASES, f" {' '.join(words)} ")


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@cache
def terms(words: str, whole: bool = False) -> list[str]:
    """Search terms for words of the vocabulary: whole words if Latin (or `whole`), several words also joined."""
    found: list[str] = []
    for entry in words.split(","):
        bare = words_of(entry).strip()
        padded = whole or "_" in entry or bare.isascii()
        found += [f" {bare} ", f" {bare.replace(' ', '')} "] if padded else [bare]
    return found


@cache
def _vocabulary() -> dict[str, tuple[str, str]]:
    """Role and subject of each term; if a term has two meanings, the last one counts."""
    groups = [
        (QUASI_IDENTIFIER, QUASI_IDENTIFYING),
        (SENSITIVE_ATTRIBUTE, SENSITIVE),
        (INSENSITIVE_ATTRIBUTE, {"": HARMLESS}),
        ("date", {A_DATE: DATES}),
        (IDENTIFIER, IDENTIFYING),
    ]
    return {term: (role, what) for role, group in groups for what, words in group.items() for term in terms(words)}


@cache
def _label_pattern(people: str, labels: str) -> re.Pattern[str]:
    """One of these people with one of these labels: `patient no`, `patientno`, `id of patient`, `患者 id`."""
    person, label = ("|".join(term.strip() for term in terms(words)) for words in (people, labels))
    return re.compile(f"(?<![a-z])(({person}) ?({label})|{labels.partition(',')[0]} (of )?({person}))(?![a-z])")


def roles_by_name(words: str) -> dict[str, str]:
    """The roles that a name suggests, each with the likely content of the column."""
    vocabulary, roles = _vocabulary(), dict[str, str]()
    found = [term for term in vocabulary if term in words]
    for term in found:
        if not any(term != other and term in other for other in found):
            roles.setdefault(*vocabulary[term])
    for people, labels, what in LABELLED_WORDS:
        if _label_pattern(people, labels).search(words):
            roles.setdefault(IDENTIFIER, what)
    for what, names in WHOLE_NAMES.items():
        if words in terms(names, whole=True):
            roles[IDENTIFIER] = what
    if (
        SENSITIVE_ATTRIBUTE in roles
        and roles.get(QUASI_IDENTIFIER) in (SEX, AGE, A_PLACE)
        and _is_about_a_person(words)
    ):
        del roles[SENSITIVE_ATTRIBUTE]
    if "date" in roles:
        # The date of something sensitive is known to more people than the thing itself.
        roles = {QUASI_IDENTIFIER: roles["date"]} | ({IDENTIFIER: roles[IDENTIFIER]} if IDENTIFIER in roles else {})
    return roles


def names_a_sampling_weight(words: str) -> bool:
    """Whether a name means a sampling weight."""
    return any(term in words for term in terms(SAMPLING_WEIGHTS))


def may_name_a_household(words: str) -> bool:
    """Whether a name may mean the number of a household; it may also mean its kind."""
    return words.strip() in (term.strip() for term in terms(HOUSEHOLDS))


def may_name_a_sampling_weight(words: str) -> bool:
    """Whether a name may mean a sampling weight; it may also mean the weight of a body."""
    return words.strip() in (term.strip() for term in terms(WEIGHTS))


def names_a_result(words: str) -> bool:
    """Whether a name means a result of a person that few outsiders know.

    >>> [names_a_result(words_of(name)) for name in ("outcome", "loan_default", "篩檢結果", "results", "age")]
    [True, True, True, True, False]
    """
    return any(term in words for term in terms(RESULTS))


def may_name_a_result(words: str) -> bool:
    """Whether a name may mean the result that a table is about."""
    return any(term in words for term in terms(PERHAPS_RESULTS))


_COUNT = re.compile(
    r"(?<![A-Za-z])(visits|admissions|consultations|appointments|hospitali[sz]ations|hospital stays)(?![A-Za-z])|次數",
    re.I,
)


def counts_visits(name: str) -> bool:
    """Whether a name counts visits, stays or appointments, and does not number or date them.

    >>> [counts_visits(name) for name in ("visits", "doctor_visits", "門診次數", "visit", "visit_date", "visitsite")]
    [True, True, True, False, False, False]
    """
    return _COUNT.search(name[:LONGEST]) is not None


def _is_about_a_person(words: str) -> bool:
    """Whether a name is that of a person's sex, age or place, also in something sensitive.

    >>> [_is_about_a_person(words_of(name)) for name in ("victim_age", "age at diagnosis", "診斷年齡", "drug city")]
    [True, True, True, True]
    >>> [_is_about_a_person(words_of(name)) for name in ("birth defect", "state of health", "mental state")]
    [False, False, False]
    """
    first = f"{words.partition(' at ')[0].rstrip()} "
    return any(first.endswith(term if term.isascii() else f"{term} ") for term in terms(PERSONAL_ATTRIBUTES))


def names_a_place(words: str) -> bool:
    """Whether a name suggests that the column has places or institutions."""
    return any(term in words for term in (*terms(PLACES), *terms(INSTITUTIONS)))
