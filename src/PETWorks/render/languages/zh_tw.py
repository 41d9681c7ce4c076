"""Traditional Chinese as used in Taiwan."""

NAME = "正體中文"
ALIASES = ("zh", "zh_tw", "zh-hant")

MEASURES = {
    "aecs": ("平均等價類大小", "平均等價類愈小，數值愈高：與原始資料表相同為 1，所有資料列同屬一個等價類為 0。"),
    "alpha-k-anonymity": ("(α, k)-匿名性", "最小等價類的大小，以及單一敏感屬性值在等價類中所占的最大比例。"),
    "ambiguity": ("模糊度", "資料列可能代表的原始值組合愈少，數值愈高：僅有一種為 1，所有組合皆有可能為 0。"),
    "attribute-inference": ("屬性推論", "隨機選取一人，在已知其準識別符的情況下，猜中其敏感屬性值的機率。"),
    "average-risk": (
        "平均風險",
        "找出資料列的平均機率，即等價類個數除以資料列數；若另設最高機率的上限，則為嚴格平均風險。",
    ),
    "basic-beta-likeness": (
        "基本 β-相似性",
        "敏感屬性值在等價類中的比例，相較於其在整個資料表中的比例，最大的相對增幅。",
    ),
    "delta-disclosure": (
        "δ-揭露隱私性",
        "等價類所含敏感屬性值之 |log(q/p)| 的最大值，q 為該值在等價類中的比例，p 為其在整個資料表中的比例。",
    ),
    "delta-presence": ("δ-存在性", "原始資料表中的某人出現在釋出資料中的機率範圍。"),
    "discernibility": ("可區辨度", "資料列仍可彼此區辨的程度：與原始資料表相同為 1，所有資料列同屬一個等價類為 0。"),
    "enhanced-beta-likeness": (
        "強化 β-相似性",
        "敏感屬性值比例的最大相對增幅；若有任一值的增幅超過 -ln p（p 為該值在整個資料表中的比例），則無數值。",
    ),
    "entropy-l-diversity": (
        "熵 l-多樣性",
        "各等價類中敏感屬性值之 exp(熵) 的最小值，即該等價類相當於有幾個同樣常見的值。",
    ),
    "fidelity": ("保真度", "1 減去各欄位在釋出資料與原始資料表之間總變異距離的平均值。"),
    "granularity": ("細緻度", "儲存格的值與「涵蓋整個值域」相距多遠：1 減去其值所涵蓋葉節點比例的平均值。"),
    "journalist-risk": ("記者情境風險", "攻擊者以母體名冊比對時，找出任何一人之資料列的最高機率。"),
    "k-anonymity": ("k-匿名性", "最小等價類的資料列數。"),
    "k-map": ("k-map（k-對映）", "釋出資料各等價類在母體中所對應人數的最小值。"),
    "l-diversity": ("l-多樣性", "各等價類中相異敏感屬性值個數的最小值。"),
    "marketer-risk": ("行銷者情境風險", "攻擊者將所有資料列與母體連結時，預期能正確找出的資料列比例。"),
    "missings": ("缺漏比例", "遭抑制、為缺值，或為資料階層最頂層值的儲存格所占比例。"),
    "non-uniform-entropy": ("非均勻熵", "1 減去資訊位元的損失比例，即只能由去識別化後的值猜測原始值時所損失者。"),
    "population-uniqueness": ("母體唯一性", "母體中準識別符組合獨一無二者所占比例的估計值。"),
    "precision": ("精準度", "1 減去儲存格概化層數占其資料階層高度之比例的平均值。"),
    "profitability": ("獲利力", "單一資料列帶給發布者的最高期望損失，應小於該資料列帶來的發布者收益。"),
    "prosecutor-risk": (
        "檢察官情境風險",
        "已知某人在釋出資料中時，找出其資料列的最高機率，即最小等價類大小的倒數。",
    ),
    "publisher-payout": (
        "發布者淨收益",
        "所有資料列帶給發布者的期望淨收益：資料列尚存資訊帶來的收益，減去攻擊造成的損失。",
    ),
    "re-identification": ("再識別", "隨機選取一人，在已知其準識別符的情況下，選中其資料列的機率。"),
    "recursive-l-diversity": (
        "遞迴 (c, l)-多樣性",
        "c 必須超過的界限：超過此值，各等價類中最常見的敏感屬性值相對於較少見的值才不致過於常見。",
    ),
    "sample-uniqueness": ("樣本唯一性", "獨自構成一個等價類的資料列所占比例。"),
    "t-closeness": ("t-相似性", "各等價類的敏感屬性值分布與整個資料表的分布之間的最大距離。"),
    "utility-bias": ("資料可用性偏差", "自訂函式對釋出資料與原始資料表所得結果之間的差距。"),
}

PARAMETERS = {
    "alpha": "α",
    "beta": "β",
    "delta": "δ",
    "delta_min": "δ 下限",
    "delta_max": "δ 上限",
    "value": "敏感屬性值",
    "distance": "距離",
    "base": "對數底數",
    "model": "估計模型",
    "highest": "最高風險",
    "average": "平均風險",
    "cell_size": "每組最少人數",
    "threshold": "風險閾值",
    "at_risk": "高風險資料列比例",
    "share": "比例",
    "excess": "超額成功率",
    "worth": "猜中各值的價值",
    "max_bias": "最大偏差",
    "function": "函式",
    "information_loss": "資訊損失",
    "allow_attack": "容許再識別攻擊",
    "adversary_cost": "攻擊者成本",
    "adversary_gain": "攻擊者收益",
    "publisher_loss": "發布者損失",
    "publisher_benefit": "發布者收益",
    "highest-risk": "最高風險",
    "average-risk": "平均風險",
    "uniques": "唯一資料列比例",
    "inference": "屬性推論成功率",
    "re-identification": "再識別成功率",
    "alone": "獨自成類者比例",
    "one-value": "所屬等價類僅有一個值者比例",
    "gain": "攻擊者期望收益",
    "disclosed": "遭揭露者比例",
    "half-sure": "最多剩兩個值者比例",
    "m-invariance": "m-不變性",
    "records": "最小等價類的資料列數",
}

# Keys of the details of measures, and words among their values.
DETAILS = {
    "records": "資料列數",
    "quasi_identifiers": "準識別符",
    "sensitive_attributes": "敏感屬性",
    "identifiers_in_the_release": "釋出資料中的直接識別符",
    "columns_without_a_role": "未指定屬性型態的欄位",
    "read_as": "讀取方式",
    "counted_with": "計算引擎",
    "people": "人數",
    "population": "母體人數",
    "treatment": "計數方式",
    "records_in_classes": "等價類中的資料列數",
    "classes": "等價類數",
    "smallest_class": "最小等價類",
    "largest_class": "最大等價類",
    "suppressed_records": "遭抑制的資料列數",
    "incomplete_records": "不完整的資料列數",
    "petworks": "PETWorks 版本",
    "cell_size": "每組最少人數",
    "missing": "缺值",
    "suppressed": "遭抑制者",
    "several_sensitive": "多個敏感屬性",
    "sensitive_values": "敏感屬性值",
    "records_with_a_value": "有值的資料列數",
    "columns_with_a_reason": "附有理由的欄位",
    "folded": "不計寫法差異與缺值",
    "privacy_unit": "隱私單位",
    "value": "視為一個值",
    "apart": "不列入",
    "class": "另成一類",
    "alone": "分別評估",
    "quasi-identifiers": "視為準識別符",
    "additive_leakage": "資訊洩漏（差值）",
    "multiplicative_leakage": "資訊洩漏（倍數）",
    "alpha": "α",
    "beta": "β",
    "delta": "δ",
    "theta": "θ",
    "at_risk": "高風險資料列比例",
    "attributes": "屬性",
    "average": "平均",
    "benefit": "收益",
    "break_even_gain_per_cost": "損益兩平的收益成本比",
    "cells": "儲存格數",
    "class_size_not_worth_attacking": "不值得攻擊的等價類大小",
    "class_sizes": "等價類大小",
    "columns": "欄位",
    "exact": "精確值",
    "excess": "超額成功率",
    "expected_finds": "預期找出的資料列數",
    "expected_loss": "期望損失",
    "highest": "最高",
    "lowest": "最低",
    "highest_expected_gain": "最高期望收益",
    "highest_risk": "最高風險",
    "information_loss_used": "採用的資訊損失",
    "largest_gain": "最大增幅",
    "levels": "層級",
    "linked_with": "連結對象",
    "max": "最大值",
    "min": "最小值",
    "model_used": "採用的模型",
    "normalised": "正規化值",
    "original_classes": "原始資料表的等價類數",
    "original_records": "原始資料列數",
    "original_records_absent_from_the_release": "未釋出的原始資料列數",
    "pairs": "欄位配對",
    "payout_by_gain_per_cost": "各收益成本比的淨收益",
    "posterior": "事後機率",
    "prior": "事前機率",
    "raw": "原始值",
    "records_at_risk": "高風險資料列數",
    "records_attacked": "遭攻擊的資料列數",
    "records_by_payout": "各淨收益的資料列數",
    "records_left_out": "未列入的資料列數",
    "records_not_outweighed": "收益不足以抵銷損失的資料列數",
    "records_paying_less_than_nothing": "淨收益為負的資料列數",
    "records_worth_attacking": "值得攻擊的資料列數",
    "sampling_fraction": "抽樣比例",
    "unique_records": "唯一資料列數",
    "ambiguous_cells": "層級不明的儲存格數",
    "cells_not_from_their_original": "與原始值不符的儲存格數",
    "change": "變化",
    "classes_beyond_the_bound": "超出界限的等價類數",
    "classes_with_too_few_values": "值過少的等價類數",
    "distance": "距離",
    "granularity": "細緻度",
    "height": "階層高度",
    "jensen_shannon_distance": "Jensen–Shannon 距離",
    "non_uniform_entropy": "非均勻熵",
    "original": "原始",
    "released": "釋出",
    "payout": "淨收益",
    "precision": "精準度",
    "records_beyond_the_bound": "超出界限的資料列數",
    "share": "比例",
    "total_variation": "總變異距離",
    "within_the_bound": "在界限之內",
    "worst_class_size": "最差等價類的大小",
    "gain": "收益",
    "worth": "各值的價值",
    "cell size": "每組最少人數",
    "probability": "再識別機率",
    "compared_as": "比較方式",
    "holds": "是否成立",
    "limit": "上限",
    "limits": "各項上限",
    "measured": "測得",
    "population_of_the_released_classes": "釋出等價類的母體人數",
    "share_counted_in_the_population": "計入母體的比例",
    "smallest_class_wanted": "所需的最小等價類",
    "classes_below_k": "小於 k 的等價類數",
    "records_below_k": "等價類小於 k 的資料列數",
    "classes_below_l": "多樣性低於 l 的等價類數",
    "records_below_l": "多樣性低於 l 的資料列數",
    "classes_beyond_alpha": "超過 α 的等價類數",
    "records_beyond_alpha": "超過 α 的資料列數",
    "classes_beyond_beta": "超過 β 的等價類數",
    "records_beyond_beta": "超過 β 的資料列數",
    "classes_beyond_c": "超過 c 的等價類數",
    "records_beyond_c": "超過 c 的資料列數",
    "classes_beyond_delta": "超過 δ 的等價類數",
    "records_beyond_delta": "超過 δ 的資料列數",
    "classes_beyond_t": "超過 t 的等價類數",
    "records_beyond_t": "超過 t 的資料列數",
    "numeric": "數值距離",
    "hierarchical": "階層距離",
    "equal": "相等距離",
    "the release itself": "釋出資料本身",
    "the population": "母體",
    "number": "數字",
    "text": "文字",
    "true|false": "true|false",
    "function": "函式",
    "worth of values": "各值的價值",
    "yes": "是",
    "no": "否",
}

# By their English: help of the command, click's own words, comments of a policy.
HELP = {
    # click
    "Usage:": "用法：",
    "[OPTIONS]": "[選項]",
    "COMMAND [ARGS]...": "指令 [引數]...",
    "Options": "選項",
    "Commands": "指令",
    "Positional arguments": "引數",
    "Show this message and exit.": "顯示此說明後結束。",
    "Show the version and exit.": "顯示版本後結束。",
    "default: {default}": "預設：{default}",
    "required": "必填",
    "(dynamic)": "（動態）",
    "env var: {var}": "環境變數：{var}",
    "Error: {message}": "錯誤：{message}",
    "Try '{command} {option}' for help.": "執行「{command} {option}」可查看說明。",
    "Missing command.": "未指定指令。",
    "Missing argument": "缺少引數",
    "Missing option": "缺少選項",
    "Missing parameter": "缺少參數",
    "Missing parameter: {param_name}": "缺少參數：{param_name}",
    "Missing {param_type}": "缺少 {param_type}",
    "Choose from:\n\t{choices}": "可選：\n\t{choices}",
    "Invalid value: {message}": "值無效：{message}",
    "Invalid value for {param_hint}: {message}": "{param_hint}的值無效：{message}",
    "No such option {name!r}.": "沒有選項{name!r}。",
    "No such option: {name}": "沒有選項 {name}",
    "No such command {name!r}.": "沒有指令{name!r}。",
    "Did you mean {possibility}?": "您要的是{possibility}嗎？",
    "(Did you mean one of: {possibilities}?)": "您要的是{possibilities}其中之一嗎？",
    "(Possible options: {possibilities})": "（可能的選項：{possibilities}）",
    "Got unexpected extra argument ({args})": "多了無法解讀的引數（{args}）。",
    "Got unexpected extra arguments ({args})": "多了無法解讀的引數（{args}）。",
    "Option {name!r} requires an argument.": "選項{name!r}需要一個值。",
    "Option {name!r} requires {nargs} arguments.": "選項{name!r}需要 {nargs} 個值。",
    "Option {name!r} does not take a value.": "選項{name!r}不接受值。",
    "Argument {name!r} takes {nargs} values.": "引數{name!r}需要 {nargs} 個值。",
    "{value!r} is not {choice}.": "{value!r}不是{choice}。",
    "{value!r} is not one of {choices}.": "{value!r}不在可選值{choices}之中。",
    "{value!r} is not a valid {number_type}.": "{value!r}不是有效的數字（{number_type}）。",
    "{value} is not in the range {range}.": "{value} 不在範圍 {range} 之內。",
    "Aborted!": "已中止！",
    # arguments
    "DATA": "資料表",
    "TABLE": "資料表",
    "POLICY": "政策檔",
    "POLICY...": "政策檔...",
    "POLICY|DATA": "政策檔|資料表",
    "RELEASED": "釋出資料",
    "RELEASE RELEASE...": "釋出資料 釋出資料...",
    "OLD": "舊結果",
    "NEW": "新結果",
    "DOCUMENT": "檢查結果",
    "CHECK.json|POLICY.yaml": "檢查結果.json|政策檔.yaml",
    "FOLDER": "資料夾",
    # the command
    "How safe is a table about people, and how useful is it still?": "含個人資料的資料表有多安全，還剩多少用處？",
    "Nothing leaves this machine. Exit code 0: everything asked for holds; 1: something does not; 2: bad input or "
    "usage; 3: an error of the program itself; 4: the external edition does not show the verdict.": "所有資料都留在"
    "這台電腦上。結束代碼 0：所要求的事項均成立；1：有事項不成立；2：輸入或用法有誤；3：程式本身的錯誤；"
    "4：對外版不公開整體結果。",
    "The language of messages and help, and the first one of a report [default: that of the system].": "訊息與說明的"
    "語言，以及報告中排在前面的語言 [預設：依系統設定]。",
    "Example:": "範例：",
    "Examples:": "範例：",
    # tables
    "A policy that describes the table: roles, hierarchies, original, ... Other options override it.": "描述資料表的"
    "政策檔：屬性型態、資料階層、原始資料表等。其他選項優先於政策檔。",
    "Files of the policy must be in here.": "政策檔所列的檔案須位於此資料夾內。",
    "Files of a policy must be in here.": "政策檔所列的檔案須位於此資料夾內。",
    "Allow connections to servers that the policy names.": "允許連線至政策檔所列的伺服器。",
    "Quasi-identifiers: what an adversary may know.": "準識別符：攻擊者可能知道的欄位。",
    "Sensitive attributes: what must not be learnt.": "敏感屬性：不應為人所知的欄位。",
    "Direct identifiers: they are left out.": "直接識別符：不會釋出。",
    "Columns that may stay as they are.": "可原樣保留的欄位。",
    "Why a column that repeats does not name the people the table is about.": (
        "欄位的值重複出現時，說明為何此欄位並非指資料表所述的人。"
    ),
    "Why a column has its role although its name or values speak against it.": (
        "欄位名稱或內容與其角色不符時，說明為何仍採此角色。"
    ),
    "Write an apostrophe before cells that a spreadsheet takes for formulas; numbers stay.": (
        "在試算表軟體會當作公式的儲存格前加上單引號；數字不變。"
    ),
    "Coarser values of a sensitive or insensitive column: cost=round:1000,top:250000 or day=dates:month.": (
        "使敏感或非敏感欄位的值較粗略：cost=round:1000,top:250000 或 day=dates:month。"
    ),
    "Names the person; several records of a person count once.": "用以辨認個人的欄位；同一人的多筆資料列只計一次。",
    "Separator of the CSV files; detected by default.": "CSV 檔的分隔符號；預設自動偵測。",
    "Encoding of the CSV files; detected by default.": "CSV 檔的編碼；預設自動偵測。",
    "Encoding of the CSV files; UTF-8 or Big5, detected, by default.": "CSV 檔的編碼；預設自動偵測 UTF-8 或 Big5。",
    "Separator of a CSV file [default: detected].": "CSV 檔的分隔符號 [預設：自動偵測]。",
    "Encoding of a CSV file [default: UTF-8 or Big5].": "CSV 檔的編碼 [預設：UTF-8 或 Big5]。",
    "Where to count: in memory, out of core, in a cluster. The numbers are the same.": "在何處計算：記憶體內、"
    "磁碟輔助或叢集。所得數值相同。",
    "Memory to use, such as 2GB; by default half of the machine's.": "可用的記憶體，如 2GB；預設為本機的一半。",
    "Folder for data of the engine duckdb that does not fit into memory.": "引擎 duckdb 存放超出記憶體之資料的資料夾。",
    "Output format; json is the default for a FILE.json.": "輸出格式；檔名為 FILE.json 時預設為 json。",
    "Write to this file.": "寫入此檔案。",
    "Write there instead.": "改為寫入此檔案。",
    "How to print.": "輸出格式。",
    # evaluate, measures
    "Evaluate a released table.": "評估釋出資料。",
    "RELEASED is a file (CSV, packed or not; Parquet, Feather, JSON lines; Excel, SPSS, Stata, SAS), several of them "
    "('year/*.parquet'), a sheet (book.xlsx#May), a table of a database (census.duckdb#people, "
    "postgresql://user@host/db#people) or an address that a Spark cluster reads (hdfs://...). "
    "Without --qi and --sensitive the roles come from --policy, or from the YAML file beside a single file. With "
    "--policy, RELEASED can be omitted: it is the policy's table then. `petworks measures` lists the measures.": (
        "釋出資料可為檔案（CSV，可壓縮；Parquet、Feather、JSON Lines；Excel、SPSS、Stata、SAS）、"
        "多個檔案（'year/*.parquet'）、工作表（book.xlsx#May）、資料庫中的資料表"
        "（census.duckdb#people、postgresql://user@host/db#people），或 Spark 叢集可讀取的位址（hdfs://...）。"
        "未指定 --qi 與 --sensitive 時，屬性型態取自 --policy，或單一檔案旁的 YAML 檔。指定 --policy 時可省略"
        "釋出資料，即採用政策檔的資料表。`petworks measures` 列出所有評估指標。"
    ),
    "The table the release was made from.": "產生釋出資料的原始資料表。",
    "Columns of the original that are not in the release.": "原始資料表中未釋出的欄位。",
    "Folder of files ...hierarchy_<column>.csv.": "存放 ...hierarchy_<欄位>.csv 檔案的資料夾。",
    "A measure and its thresholds; repeat for more. Default: all measures that apply.": "評估指標及其閾值；可重複"
    "指定多個。預設為所有適用的指標。",
    "The population of the records: a table of it, its size, or the share of it in the release (0.01).": "資料列所屬的"
    "母體：母體資料表、人數，或釋出資料所占的比例（0.01）。",
    "Records with * in every quasi-identifier: leave them out (default), or count them as one more class.": "準識別符均"
    "為 * 的資料列：不列入（預設），或另計為一個等價類。",
    "Missing quasi-identifiers: a value of their own (default), or leave their records out.": "準識別符的缺值：視為"
    "獨立的值（預設），或不列入該資料列。",
    "Sensitive values: as they are written (default), or without differences of spelling and missing ones.": (
        "敏感屬性值：依原本的寫法（預設），或不計寫法差異與缺值。"
    ),
    "Several sensitive attributes: each alone (default), or the adversary knows the others.": "有多個敏感屬性時：分別"
    "評估（預設），或假設攻擊者知道其餘屬性。",
    "List the measures and their parameters.": "列出評估指標及其參數。",
    # attack
    "Attack a table: re-identification and inference of the sensitive attributes.": "攻擊資料表：再識別，以及推論敏感"
    "屬性。",
    "--subsets attacks as adversaries who know only some of the quasi-identifiers. --output FILE.csv or FILE.parquet "
    "then gets one row per subset, and the answers are printed. During the run, finished subsets are kept in "
    "FILE.unfinished. With --subsets, --per-record also reports which few attributes make a record unique; with "
    "--below, which few it shares with too few others.": (
        "--subsets 模擬只知道部分準識別符的攻擊者。此時 --output FILE.csv 或 FILE.parquet 每種組合寫一列，結論則顯示於"
        "螢幕。執行期間，已完成的組合存於 FILE.unfinished。搭配 --subsets 時，--per-record 另列出使資料列成為唯一的少數"
        "屬性；搭配 --below 時，列出僅與過少資料列相同的少數屬性。"
    ),
    "Write the risk of each record, in the order of the input, to a .csv or .parquet file. It is for insiders.": (
        "依輸入順序將每筆資料列的風險寫入 .csv 或 .parquet 檔。僅供內部使用。"
    ),
    "In the file of --per-record: the records in classes of fewer records than this, and no others.": (
        "--per-record 的檔案只列出所屬等價類少於此筆數的資料列。"
    ),
    "In the file of --reasons: the records in classes of fewer records than this, and no others.": (
        "--reasons 的檔案只列出所屬等價類少於此筆數的資料列。"
    ),
    "Attack with every subset of the quasi-identifiers of these sizes: all, 2, 1-3 or 1,3.": "以這些個數的所有準識別符"
    "組合進行攻擊：all、2、1-3 或 1,3。",
    "Highest value allowed, from 0 to 1, of highest-risk, average-risk, uniques or inference[:COLUMN]; with --worth "
    "also of gain[:COLUMN]. Exit with 1 if a subset exceeds it, and list the smallest such subsets. Repeat for more "
    "limits.": "highest-risk、average-risk、uniques 或 inference[:COLUMN] 的上限，0 至 1；搭配 --worth 時亦可為 "
    "gain[:COLUMN]。有組合超過時，結束代碼為 1，並列出最小的這類組合。可重複指定。",
    "What an adversary gains by guessing these values; 1 for all others. Repeat for more attributes.": "攻擊者猜中"
    "這些值的收益；其餘為 1。可重複指定多個屬性。",
    "Continue a run of --subsets that was interrupted.": "接續中斷的 --subsets 計算。",
    # compose
    "What several releases about the same people disclose together.": "同一群人的多次釋出合併後會揭露什麼。",
    "Name the releases, the oldest first, and the column that says which records are of one person. One adversary "
    "joins the records of a person in all releases; another cannot, but intersects what the releases offer. Roles come "
    "from the YAML file beside each table, or from --qi and --sensitive. --subsets attacks as adversaries who know "
    "only some of the columns of all releases.": (
        "請由舊到新列出各次釋出資料，並指定可辨認同一人的欄位。一種攻擊者能串連同一人在各次釋出中的資料列；另一種無法串"
        "連，但會取各次釋出可能值的交集。屬性型態取自各資料表旁的 YAML 檔，或 --qi 與 --sensitive。--subsets 模擬只知道"
        "各次釋出中部分欄位的攻擊者。"
    ),
    "Limits, of all releases together:": "上限（所有釋出資料合併）：",
    "chance to pick the record of a person": "選中某人資料列的機率",
    "share of people whose record is unique": "資料列獨一無二者的比例",
    "chance to guess a sensitive value": "猜中敏感屬性值的機率",
    "share of people whose class has a single value": "所屬等價類僅有一個值者的比例",
    "what guessing gains, with --worth": "猜測的收益（搭配 --worth）",
    "share of people of whom one value is left in the intersection": "取交集後只剩一個值者的比例",
    "share of people of whom at most two are left": "最多剩兩個值者的比例",
    "the lowest m allowed": "m 的下限",
    "Names the person, in every release.": "各次釋出中用以辨認個人的欄位。",
    "The release whose people are the targets. Default: the last one.": (
        "以哪一次釋出中的人為攻擊目標。預設為最後一次。"
    ),
    "Quasi-identifiers; each release uses those that it has.": "準識別符；各次釋出採用其中具有的欄位。",
    "Sensitive attributes; likewise.": "敏感屬性；同上。",
    "Highest value allowed, or lowest m, of what is listed above; NAME:COLUMN=VALUE for one sensitive attribute. Exit "
    "with 1 if a limit does not hold. Repeat for more limits.": "上列項目的上限，或 m 的下限；NAME:COLUMN=VALUE 適用於"
    "單一敏感屬性。有上限不成立時，結束代碼為 1。可重複指定。",
    "Attack as well with every subset of the columns of all releases that has one of these sizes: all, 2, 1-3.": (
        "另以這些個數的所有欄位組合（各次釋出合計）進行攻擊：all、2、1-3。"
    ),
    "Highest value allowed with any subset, from 0 to 1, of highest-risk, average-risk, uniques or inference[:COLUMN]; "
    "with --worth also of gain[:COLUMN]. Exit with 1 if a subset exceeds it, and list the smallest such subsets. "
    "Repeat for more limits.": "任何組合下 highest-risk、average-risk、uniques 或 inference[:COLUMN] 的上限，0 至 1；"
    "搭配 --worth 時亦可為 gain[:COLUMN]。有組合超過時，結束代碼為 1，並列出最小的這類組合。可重複指定。",
    # anonymize, apply
    "Make the best release of a table that keeps the rules, and prove that there is no better one.": (
        "在符合規則的前提下，產生損失最小的釋出資料，並證明沒有更好的結果。"
    ),
    "Generalises the quasi-identifiers, suppresses records where that costs less, leaves out direct identifiers. "
    "Beside the release come its hierarchies, a policy for `petworks check`, and a plan with which `petworks apply` "
    "recodes other tables in the same way. Exit code 0: the release keeps every rule of the policy; 1: it does not; 2: "
    "bad input, and nothing is written.": (
        "概化準識別符，在損失較小時抑制資料列，並移除直接識別符。釋出資料旁附上資料階層、供 `petworks check` 使用的政策"
        "檔，以及計畫檔；`petworks apply` 可依計畫檔以同樣方式處理其他資料表。結束代碼 0：釋出資料符合政策檔的每條規"
        "則；1：不符合；2：輸入有誤，未寫出任何檔案。"
    ),
    "Ctrl-C or --time ends the search: the best release so far is written, with what it may lose more than the best "
    "one, and the exit code is 0 or 1. What was found is kept in OUTPUT.unfinished, for --resume.": (
        "按 Ctrl-C 或設定 --time 可結束搜尋：寫出目前最佳的釋出資料，並說明其損失最多比最佳結果高多少，結束代碼為 0 或 "
        "1。搜尋進度存於 OUTPUT.unfinished，可用 --resume 接續。"
    ),
    "The release: .csv, .parquet or .feather.": "釋出資料的檔名：.csv、.parquet 或 .feather。",
    "A rule, for a table without a policy; repeat for more.": "規則，用於沒有政策檔的資料表；可重複指定多條。",
    "The table that measures compare with [default: the table itself].": (
        "評估指標用以比較的資料表 [預設：資料表本身]。"
    ),
    "The population of the records.": "資料列所屬的母體。",
    "Whether the records are in random order [default: yes, if they are read into memory].": (
        "資料列是否以隨機順序寫出 [預設：可載入記憶體時為是]。"
    ),
    "The seed of an earlier run, for the same random order.": "先前執行時的隨機種子，用以重現相同的隨機順序。",
    "Whether suppressed records leave the table, or stay with * [default: remove].": (
        "遭抑制的資料列是否自資料表移除，或以 * 保留 [預設：remove]。"
    ),
    "The share of records that may be suppressed, from 0 to 1.": "可抑制的資料列比例上限，0 至 1。",
    "What is to be small [default: granularity].": "要最小化的損失 [預設：granularity]。",
    "Of granularity: geometric, arithmetic, sum, maximum.": (
        "granularity 的彙總方式：geometric、arithmetic、sum、maximum。"
    ),
    "The importance of a column.": "欄位的重要性。",
    "A level, or the lowest and highest.": "層級，或最低與最高層級。",
    "Each record on levels of its own: far less is lost.": "每筆資料列各自決定層級：損失小得多。",
    "Stop searching after this time: 90, 10m or 2h; the best so far is written.": (
        "搜尋時間上限：90、10m 或 2h；寫出目前最佳的結果。"
    ),
    "Go on with a search that was stopped.": "接續已中止的搜尋。",
    "Also show what other thresholds and limits would cost; without -o only that.": (
        "另顯示其他閾值與上限的代價；未指定 -o 時只顯示這些。"
    ),
    "With --frontier: k-anonymity:k=2,5,10 or suppression=0,0.05.": "搭配 --frontier：k-anonymity:k=2,5,10 或 "
    "suppression=0,0.05。",
    "Another threshold than that of the rules.": "改用與規則不同的閾值。",
    "Also show each column before and after, next-best levels, what each rule costs.": "另顯示各欄位處理前後的比較、"
    "次佳的層級組合，以及各規則的代價。",
    "For insiders: each suppressed record, one by one, with the rule, the few attributes that make it stand out and "
    "the smallest generalisation that would save it; .csv or .parquet.": (
        "僅供內部使用：逐筆列出遭抑制的資料列，附上規則、使其容易被辨識的少數屬性，"
        "以及足以保留它的最小概化；.csv 或 .parquet。"
    ),
    "For insiders: each record whose class breaks a rule, one by one, with the rule, the few attributes that make it "
    "stand out and the smallest generalisation that would save it; .csv or .parquet.": (
        "僅供內部使用：逐筆列出所屬等價類不符合規則的資料列，附上規則、使其容易被辨識的少數屬性，以及足以保留它的最小概化；"
        ".csv 或 .parquet。"
    ),
    "Make a release on levels of one's own choice, or as the plan of an earlier release says.": (
        "依自選的層級，或依先前釋出的計畫檔，產生釋出資料。"
    ),
    "With --suppress, records of classes that break a rule are suppressed, however many they are. Otherwise as "
    "`petworks anonymize`.": "指定 --suppress 時，無論多少筆，一律抑制不符合規則之等價類中的資料列。其餘同 "
    "`petworks anonymize`。",
    "With --plan, roles, hierarchies, levels and rules are those of the plan, which `petworks anonymize` writes beside "
    "a release. Records with values that have no place in a hierarchy, and those of classes that break a rule, are "
    "suppressed, and what changed since the plan is reported. Exit code 1: a rule fails, or more records are "
    "suppressed than the plan allows.": (
        "指定 --plan 時，屬性型態、資料階層、層級與規則均依計畫檔；計畫檔由 `petworks anonymize` 寫在釋出資料旁。值不在"
        "資料階層中的資料列，以及不符合規則之等價類中的資料列會遭抑制，並列出與計畫檔當時的差異。結束代碼 1：有規則未通"
        "過，或抑制的資料列超過計畫檔的上限。"
    ),
    "The levels; columns that are not named stay.": "各欄層級；未列出的欄位維持原值。",
    "Suppress the records of classes that break a rule.": "抑制不符合規則之等價類中的資料列。",
    "Recode the table as this plan of an earlier release says.": "依先前釋出的這份計畫檔處理資料表。",
    "With --plan: values without a place are an error.": "搭配 --plan：有值不在資料階層中即視為錯誤。",
    # init, hierarchy
    "Look at a table and write a policy with suggested roles.": "檢視資料表，並寫出附有建議屬性型態的政策檔。",
    "Roles are guessed from the names of the columns, in English and Chinese, and from how many values they have. Each "
    "role comes with the reason. No cell is printed or written.": (
        "屬性型態依欄位名稱（中文或英文）與相異值數推測，並附上理由。不會顯示或寫出任何儲存格。"
    ),
    "A sheet of a workbook is named behind a #: 'book.xlsx#Sheet'.": (
        "活頁簿的工作表寫在 # 之後：'book.xlsx#工作表'。"
    ),
    "The policy file [default: DATA_policy.yaml].": "政策檔 [預設：資料表_policy.yaml]。",
    "Who will receive the table; determines the preset.": "資料表將提供給誰；據以選用規則範本。",
    "Build the hierarchy of a column and show its groups.": "建立欄位的資料階層，並顯示其分組。",
    "Without a kind, one is proposed. Shows for each level how many values and records are in each group; labels may "
    "be values of the column.": "未指定種類時會提出建議。顯示每個層級各組的相異值數與資料列數；組名可能是欄位的值。",
    "The column.": "欄位。",
    "Numbers: widths of intervals, each a multiple of the one before.": "數值：區間寬度，後一個須為前一個的倍數。",
    "Numbers: where intervals begin, instead of at 0.": "數值：區間的起點，預設為 0。",
    "Numbers: smaller ones are one group.": "數值：小於此值者合為一組。",
    "Numbers: this one and larger ones are one group.": "數值：此值以上者合為一組。",
    "Numbers: where intervals begin; repeat for each level.": "數值：各區間的起點；每個層級指定一次。",
    "Numbers: parts with about the same number of records, descending.": "數值：資料列數大致相同的組數，由多到少。",
    "Dates: day, week, month, quarter, year, 5-years, decade.": (
        "日期：day、week、month、quarter、year、5-years、decade。"
    ),
    "Dates: roc for the calendar of Taiwan.": "日期：roc 表示民國年。",
    "Codes: how many first characters stay, descending.": "代碼：保留開頭的字元數，由多到少。",
    "Codes: how many last characters are masked, ascending.": "代碼：遮蔽結尾的字元數，由少到多。",
    "Codes of ICD-10: category, chapter or category,chapter.": "ICD-10 代碼：category、chapter 或 category,chapter。",
    "All values in their order.": "依順序列出所有的值。",
    "With --order: how many neighbours make a group, ascending.": "搭配 --order：幾個相鄰的值合為一組，由少到多。",
    "A group of values; repeat for more.": "一組值；可重複指定多組。",
    "Values in fewer records than this become 'other'.": "出現於少於此筆數之資料列的值歸為「other」。",
    "As this policy declares it.": "依此政策檔的宣告。",
    "Write the hierarchy as CSV.": "將資料階層寫成 CSV 檔。",
    # check
    "Judge a release by a policy.": "依政策檔判定釋出資料是否通過。",
    "Exit code 0: every rule holds or is waived; 1: a rule does not hold, or its waiver has expired; 2: bad input, and "
    "nothing is written; 4: with --edition external, no rule that it shows fails, and a verdict is not shown.": (
        "結束代碼 0：每條規則均成立或已豁免；1：有規則不成立，或其豁免已到期；2：輸入有誤，未寫出任何檔案；"
        "4：使用 --edition external 時，所示規則均未不成立，且有結果不公開。"
    ),
    "Check this table instead of the policy's.": "改為檢查此資料表，而非政策檔所列者。",
    "Files must be in here [default: the policy's folder].": "檔案須位於此資料夾內 [預設：政策檔所在資料夾]。",
    "external: no cell, no class, no count below the cell size. both: FILE.external.html beside FILE.html.": (
        "external（對外版）：不含儲存格、等價類，以及低於每組最少人數的計數。both：FILE.html 旁另有 "
        "FILE.external.html。"
    ),
    "The date of the check, by which waivers are judged: 2026-11-16 or 2026-11-16T08:00:00Z [default: now].": (
        "檢查日期，據以判斷豁免是否到期：2026-11-16 或 2026-11-16T08:00:00Z [預設：現在]。"
    ),
    "The salt of the internal edition, to repeat the external one exactly.": "內部版的鹽值，用以重現完全相同的對外版。",
    "An earlier check of which an external edition was published: warn of what the difference reveals.": (
        "先前已公開對外版的檢查結果：若兩者的差異會透露資訊，則提出警告。"
    ),
    "A new folder: policy, plan, reports in both editions and digests, and none of the tables.": (
        "新的佐證資料夾：含政策檔、計畫檔、內外部兩版報告與雜湊值，不含任何資料表。"
    ),
    "The register of releases: say which share a key or quasi-identifiers with this one, and who has them.": (
        "釋出登記簿：列出哪些釋出資料與本次有共同的識別鍵或準識別符，以及由誰持有。"
    ),
    "Write everything as JSON; - prints it instead of the table.": "將全部內容寫成 JSON；- 表示直接輸出，取代表格。",
    "Write a test case for each rule.": "將每條規則寫成一個測試案例。",
    "Write a summary, as for a pull request.": "寫出摘要，例如供程式碼審查（pull request）使用。",
    "Write the report: one page in English and Chinese.": "寫出報告：單一網頁，含英文與中文。",
    # lint
    "Look for mistakes in policies, without their tables.": "檢查政策檔有無錯誤，不需其資料表。",
    "For repositories that have policies, but no data: keys, measures, thresholds, waivers and hierarchies are checked;"
    " no table is read, and none need be there. Exit code 0: no mistakes; 2: there are some, listed by line.": (
        "適用於只放政策檔、不放資料的版本庫：檢查鍵名、評估指標、閾值、豁免與資料階層；不讀取任何資料表，資料表也不必存"
        "在。結束代碼 0：沒有錯誤；2：有錯誤，並依行號列出。"
    ),
    # diff, verify, presets, regimes, schema
    "Compare two results of check --json.": "比較兩份 check --json 的結果。",
    "Exit code 0: no rule is worse than it was; 1: one is, is gone or has another threshold, or roles or the way of "
    "counting have changed; 2: bad input.": "結束代碼 0：沒有規則變差；1：有規則變差、消失或閾值不同，或屬性型態、計數"
    "方式已改變；2：輸入有誤。",
    "Verify that a result of check --json agrees with itself, with these files and with its internal edition.": (
        "驗證 check --json 的結果是否與其自身、這些檔案及內部版一致。"
    ),
    "That is consistency, not a signature: whoever changes a document can compute its digest anew.": (
        "這是一致性檢查，並非簽章：更改內容者可重新計算雜湊值。"
    ),
    "The external edition has no digest of the table, but a commitment to it: to compare, give the internal edition. "
    "Exit code 0: everything matches; 1: something does not; 2: bad input.": (
        "對外版沒有資料表的雜湊值，只有承諾值：若要比對，請提供內部版。結束代碼 0：全部相符；1：有不符；2：輸入有誤。"
    ),
    "The table that was checked.": "受檢的資料表。",
    "The policy by which it was checked.": "檢查所依據的政策檔。",
    "The internal edition, which has the salt.": "內部版，其中含有鹽值。",
    "List the thresholds that a policy can take by name, with their sources.": (
        "列出政策檔可依名稱引用的規則範本及其來源。"
    ),
    "List the standards and laws whose checklist a policy can take by name.": (
        "列出政策檔可依名稱引用其檢核表的標準與法規。"
    ),
    "Print a JSON Schema.": "輸出 JSON Schema。",
    "That of a policy file, of the JSON that check writes, of the plan that anonymize writes, or of an entry of the "
    "register.": "可為政策檔、check 寫出的 JSON、anonymize 寫出的計畫檔，或釋出登記簿的一筆紀錄。",
    # register
    "Keep a register of what is already out, and who has it.": "管理釋出登記簿：哪些資料已釋出，由誰持有。",
    "The register is a folder that you keep in git, with a JSON file for each release: the digest of the table, the "
    "date, the recipients, the columns with their roles, and the verdict. It contains no cell. `petworks check "
    "--register DIR` says which releases in it share a key or quasi-identifiers with a new one.": (
        "釋出登記簿是納入 git 管理的資料夾，每次釋出有一個 JSON 檔：資料表的雜湊值、日期、接收者、各欄位及其屬性型態，"
        "以及結果。其中不含任何儲存格。`petworks check --register DIR` 會列出其中與新資料有共同識別鍵或準識別符的釋出資"
        "料。"
    ),
    "Register a release that was checked.": "登記已檢查的釋出資料。",
    "Give the internal edition that check --json wrote, or a policy: then its table is checked first. A release that "
    "does not pass is registered with its verdict, since it may be out all the same.": (
        "請提供 check --json 寫出的內部版，或政策檔（會先檢查其資料表）。未通過的釋出資料仍會連同結果一併登記，因為它可"
        "能已經釋出。"
    ),
    "The folder of the register: one JSON file for each release.": "釋出登記簿的資料夾：每次釋出一個 JSON 檔。",
    "Who receives the table [default: as the policy says].": "資料表的接收者 [預設：依政策檔]。",
    "The column that names the person [default: as the policy says].": "用以辨認個人的欄位 [預設：依政策檔]。",
    "When it was released, as 2026-11-16 [default: when it was checked].": "釋出日期，如 2026-11-16 [預設：檢查當日]。",
    "List the releases of the register, the oldest first.": "由舊到新列出登記簿中的釋出資料。",
    # studio
    "Open a page on which a table becomes a release, a report and a policy.": (
        "開啟網頁，以滑鼠將資料表變成釋出資料、報告與政策檔。"
    ),
    "It shows the tables in FOLDER and below. Everything stays on this machine: the page is served to your browser "
    "alone, and files are read and written where they are. Ctrl-C ends it.": (
        "顯示資料夾及其子資料夾中的資料表。所有資料都留在這台電腦上：網頁只提供給您的瀏覽器，檔案在原處讀寫。按 "
        "Ctrl-C 結束。"
    ),
    "Only print the address.": "只顯示網址。",
    # demo
    "See in a minute how a raw table becomes a release that passes.": (
        "花一分鐘看原始資料表如何變成通過檢查的釋出資料。"
    ),
    "Makes up a hospital's table in FOLDER, which must be new or empty, runs the commands that you would type, and "
    "says what they do. Nothing is written anywhere else.": (
        "在資料夾（須為新的或空的）中產生一份虛構的醫院資料表，執行您會輸入的指令，並說明各步驟。不會寫入其他任何地方。"
    ),
    "End when nobody has used it for so long.": "無人使用達此時間即結束。",
    # comments of a policy
    "What is released to whom, and what must hold before: petworks check reads this file.": (
        "釋出什麼、提供給誰、釋出前須符合哪些規則：petworks check 依此檔案檢查。"
    ),
    "The roles below are guesses from names and counts. Look at every one; you know the data.": (
        "以下屬性型態是依欄位名稱與計數推測的。請逐一確認；您最了解這份資料。"
    ),
    "what the release is called": "釋出資料的名稱",
    "in every report, also for outsiders; the name of the file if there is none": (
        "顯示於所有報告，包括對外版；未填時為檔名"
    ),
    "the table it was made from: for presence, fidelity and what was lost": (
        "產生釋出資料的原始資料表：用於存在性、保真度與損失的評估"
    ),
    "the people the records were drawn from: a number, a share or a table": "資料列所屬的母體：人數、比例或資料表",
    "How values become coarser, level by level: for petworks anonymize and for measures of utility.": (
        "值如何逐層變粗略：供 petworks anonymize 與資料可用性指標使用。"
    ),
    "Level 0 has the values of the original if it is named above, otherwise those of this table.": (
        "第 0 層為原始資料表的值（若上面有指定），否則為此資料表的值。"
    ),
    "To see the levels of a column, use:": "若要查看欄位的各層級，請執行：",
    "none proposed, its values are generalised or too many: they stay or become *": (
        "未提出建議，因為值已經概化或過多：原樣保留或成為「*」"
    ),
    "name a person, or nobody needs them; petworks anonymize leaves them out": (
        "可直接指出個人，或無人需要；petworks anonymize 會予以剔除"
    ),
    "what an adversary may know of a person": "攻擊者可能知道的個人資訊",
    "what nobody may learn of a person": "不應為人所知的個人資訊",
    "none of these": "不屬於以上各類",
    "every other column needs a reason for having no role": "其他欄位若不指定屬性型態，須說明理由",
    "why a column has none": "不指定屬性型態的理由",
    "Written by petworks anonymize, for the release beside it.": "由 petworks anonymize 寫出，供旁邊的釋出資料使用。",
    "Policy, hierarchies and reports are for those who may see the original: hierarchies list its values.": (
        "政策檔、資料階層與報告僅供有權查閱原始資料的人使用：資料階層列有原始值。"
    ),
    "How it was made:": "產生方式：",
    "several records of one person count once": "同一人的多筆資料列只計一次",
    "where one person has several records": "用於同一人有多筆資料列時",
    "public, controlled or internal": "public（公開）、controlled（受控）或 internal（內部）",
    "what the release is for": "釋出的目的",
    "who will get it": "誰會收到資料",
    "who is assumed to know what; the report gives the risk of each": "假設誰知道哪些欄位；報告會列出各自的風險",
    "a neighbour": "鄰居",
    "about the same people; [] if there are none": "同一群人先前的釋出資料；若沒有則為 []",
    "last year's table": "去年的資料表",
    "anybody": "任何人",
    "measures earlier tables together with this one": "將先前的資料表與本資料表合併評估",
    "the column that names the person, also in the original": "用以辨認個人的欄位，原始資料表中也須有",
    "why columns have their role": "各欄位屬性型態的理由",
    "lists what these still ask for": "列出這些標準與法規另要求的事項",
    "for the internal report": "用於內部版報告",
    "who approves the release": "核可釋出者",
    "the approver's office": "核可者職稱",
    "whom to tell if something goes wrong": "發生事故時應通知的對象",
    "Rules of regulators by name; as a cell size and as a probability, with the source:": (
        "主管機關公布的規則範本；依序為名稱、每組最少人數、再識別機率與來源："
    ),
    " (rule of thumb)": "（經驗法則）",
    "date unknown": "日期不詳",
    "a rule that need not hold, up to and including a day": "在某日之前（含當日）不必符合的規則",
    "who answers for it": "負責人",
    "why": "理由",
    "petworks measures lists what can be asked for": "petworks measures 列出可要求的評估指標",
    "every subset of the quasi-identifiers, counted in records": "所有準識別符組合，以資料列計算",
    "attack with every subset of the quasi-identifiers of these sizes": "以這些個數的所有準識別符組合進行攻擊",
    "highest-risk, average-risk, uniques, inference: each from 0 to 1": (
        "highest-risk、average-risk、uniques、inference：均為 0 至 1"
    ),
    "once there is a quasi-identifier": "有準識別符之後",
    "how petworks anonymize makes a release that keeps the rules": "petworks anonymize 如何產生符合規則的釋出資料",
    "the share of records it may suppress to keep detail in the others": "可抑制的資料列比例，以保留其餘資料列的細節",
    "for a column that would become too coarse": "用於會變得過於粗略的欄位",
    "coarser values where exact ones would give people away: the finest that do not": (
        "確切的值會洩漏是誰時，改用較粗略的值：在不致洩漏的前提下最精細者"
    ),
    "records that their exact value singles out": "因確切值而獨一無二的資料列",
}

TEXTS = {
    # how things are written
    "write.separator": "、",
    "write.sentences": "",
    "write.percent": "%",
    "write.is": "為 ",
    "write.is.about": "約為 ",
    "write.is.at_most": "至多為 ",
    "write.threshold": "{measure}／{name}",
    "write.default": "（預設 {value}）",
    "write.column": "「{name}」",
    "write.attack": "{attack}（「{column}」）",
    "write.exact": "{value}（{exact}）",
    "write.labelled": "{label}：{text}",
    "write.kilobytes": "{n} kB",
    "write.clauses": "；",
    # verdicts and words of the tables
    "verdict.pass": "通過",
    "verdict.waived": "豁免",
    "verdict.fail": "未通過",
    "verdict.withheld": "不公開",
    "write.of-measure": "{rule}（{measure}）",
    "lint.passed": "{file}：未發現錯誤（{n} 條規則）",
    "refusal.limit": "{rule}：測得 {found}，要求 {required}",
    "refusal.found": "{rule}：測得 {found}",
    "word.none": "無",
    "word.yes": "是",
    "word.no": "否",
    "word.more": "其餘 {n} 項",
    "word.language": "語言",
    "word.contents": "目錄",
    "head.rules": "規則",
    "head.rule": "規則",
    "head.measures": "評估指標",
    "head.measure": "評估指標",
    "head.value": "數值",
    "head.meaning": "說明",
    "head.found": "測得",
    "head.wanted": "要求",
    "head.verdict": "結果",
    "head.files": "檔案",
    "head.file": "檔案",
    "head.use": "用途",
    "head.digest": "SHA-256 雜湊值",
    "head.commitment": "承諾值",
    "file.policy": "政策檔",
    "file.data": "釋出資料",
    "file.roles": "屬性型態定義",
    "file.original": "原始資料表",
    "file.population": "母體資料表",
    "file.hierarchies": "資料階層定義",
    "file.plan": "計畫檔",
    "file.release": "先前的釋出資料",
    "file.register": "釋出登記簿",
    "file.memory": "記憶體中的資料表",
    "attack.re-identification": "再識別",
    "attack.attribute-inference": "屬性推論",
    "word.inside": "本版不公開。",
    "withheld.small class": "不公開（等價類過小）",
    "withheld.tells counts": "不公開（會透露人數）",
    "withheld.few records": "不公開（資料列過少）",
    "note.cut": "共 {all} 項，此處顯示 {n} 項；全部內容見 JSON 檔。",
    "edition.internal": "內部版：不得對外提供",
    "edition.external": "對外版",
    # rules that are not measures
    "rule.no-direct-identifiers": "不含直接識別符",
    "rule.no-hidden-identifiers": "不含隱藏的直接識別符",
    "rule.every-column-has-a-role": "每個欄位都有屬性型態",
    "rule.approver-named": "已載明核可者",
    "rule.sensitive-columns-have-rules": "敏感欄位皆有規則",
    "rule.rules-fit-the-release": "規則符合釋出方式",
    "rule.no-unique-values": "不含獨一無二的數值、日期或長文字",
    "rule.no-hidden-differences": "不含隱藏的差異",
    "rule.people-are-counted": "以人計數",
    "rule.no-linked-records": "資料列無法連結到同一人",
    "rule.records-left": "仍有資料列留存",
    "rule.every-subset": "所有準識別符組合",
    "rule.every-subset-limit": "所有準識別符組合：{limit}",
    "rule.all-releases": "所有釋出資料合併",
    "rule.all-releases-limit": "所有釋出資料合併：{limit}",
    # summary
    "rules.built-in": "內建規則",
    "rules.all-hold": "全部 {n} 條均通過",
    "rules.others-hold": "其餘 {n} 條均通過",
    "summary.fail": "{all} 條規則中有 {n} 條未通過。",
    "summary.waived": "{all} 條規則中有 {n} 條未符合，但已獲豁免。",
    "summary.withheld": "本版不公開整體結果：{all} 條規則中有 {n} 條的結果會透露少數人的資訊。",
    "summary.pass": "全部 {n} 條規則均通過。",
    "summary.table": "資料列數 {records}；準識別符 {known} 個，敏感屬性 {sensitive} 個。",
    "summary.people": "這些資料列屬於 {n} 人。",
    "summary.skipped": "有 {n} 個欄位未指定屬性型態，未經評估。",
    "summary.unit": (
        "受檢的檔案 {file} 含有可識別個人的欄位{column}，雜湊值即屬於此檔案；它並非應釋出的檔案，釋出前須移除該欄位。"
    ),
    "summary.unit-in-memory": "受檢的資料表含有可識別個人的欄位{column}，釋出前須移除該欄位。",
    "waiver.active": "豁免至 {expires}：{reason}",
    "waiver.expired": "豁免已於 {expires} 到期：{reason}",
    "waiver.not needed": "效期至 {expires} 的豁免已無必要：{reason}",
    "waiver.owner": "（{owner}）",
    # context
    "section.context": "釋出情境與假設",
    "release.unknown": "政策檔未說明資料表將提供給誰。",
    "release.public": "公開釋出：任何人都可能嘗試在其中尋找特定人。",
    "release.controlled": "受控釋出：接收者身分已知，並受使用條款約束。",
    "release.internal": "內部使用：資料不離開組織。",
    "context.purpose": "目的：{purpose}。",
    "context.review": "應於 {date} 前審查本次釋出。",
    "context.recipients": "接收者：{who}。",
    "context.known": "攻擊者可能知道下列所有欄位：{columns}。",
    "context.unknown": "假設無人知道下列欄位：{columns}。",
    "context.adversary": "假設的攻擊者：{who}，已知欄位為{columns}。",
    "treatment.missing.value": "準識別符的缺值視為一個獨立的值。",
    "treatment.missing.apart": "準識別符有缺值的資料列不列入以等價類為基礎的檢查。",
    "treatment.suppressed.apart": "遭抑制的資料列不列入以等價類為基礎的檢查；攻擊評估則仍予計入。",
    "treatment.suppressed.class": "遭抑制的資料列另成一個等價類。",
    "treatment.several_sensitive.alone": "各敏感屬性分別評估。",
    "treatment.several_sensitive.quasi-identifiers": "其他敏感屬性視為攻擊者已知的資訊。",
    "treatment.sensitive_values.exact": "敏感屬性值依原本的寫法計算；缺值也算一個值。",
    "treatment.sensitive_values.folded": (
        "僅寫法不同（大小寫、全形半形、不可見字元、空白）的敏感屬性值視為同一個值；缺值與表示「不詳」的字詞（n/a、unknown、?、不詳）不計入。"
    ),
    "context.unit": "同一人（依{column}認定）的多筆資料列，在每個等價類中只計一次。",
    "context.no-population": "未提供母體資料，因此假設攻擊者尋找的對象確實在資料表中。",
    "context.population": "母體共 {n} 人。",
    "context.amounts": (
        "每筆資料列的金額（依規則所定）：攻擊者成本 {adversary_cost}、攻擊者收益 {adversary_gain}；"
        "發布者損失 {publisher_loss}、發布者收益 {publisher_benefit}。"
    ),
    "context.no-other-table": "假設同一群人沒有其他資料表已釋出。",
    "context.together": "同一群人先前的 {n} 份釋出資料已與本次釋出合併評估；假設此外沒有其他釋出資料。",
    "context.together-partly": "同一群人先前的 {n} 份釋出資料已與本次釋出合併評估。",
    "context.not-together": "同一群人另有 {n} 份資料表已釋出，但未與本次釋出合併評估：各項數值假設無人使用這些資料表。",
    "head.presets": "規則範本",
    "head.preset": "規則範本",
    "head.source": "來源",
    "head.cell-size": "每組最少人數",
    "head.probability": "再識別機率",
    "head.stated-as": "原文表述方式",
    "stated.cell size": "每組最少人數",
    "stated.probability": "再識別機率",
    "stated.probability and cell size": "再識別機率與每組最少人數",
    "word.rule-of-thumb": "經驗法則",
    "word.undated": "日期不詳",
    # columns
    "section.columns": "欄位",
    "head.column": "欄位",
    "head.role": "屬性型態",
    "head.values": "相異值數",
    "head.unique-values": "值未重複的資料列",
    "head.missing": "缺值或遭抑制",
    "role.none": "未指定",
    "role.privacy_unit": "隱私單位",
    "role.identifier": "直接識別符",
    "role.left-out": "未釋出",
    "role.quasi_identifier": "準識別符",
    "role.sensitive_attribute": "敏感屬性",
    "role.insensitive_attribute": "非敏感屬性",
    "finding.direct identifier": "可直接識別個人",
    "finding.named like an identifier": "欄位名稱像識別符",
    "finding.some personal values": "含有個人資料",
    "finding.personal details": "文字內含個人資料",
    "finding.detail": "{what} {n} 處",
    "finding.details in its name": "欄位名稱含有個人資料",
    "finding.nearly unique": "幾乎每筆資料列的值都不同",
    "finding.often unique": "平均最多兩筆資料列有相同的值",
    "finding.long texts": "長篇文字，其中可能提及個人",
    "finding.perhaps known": "外人可能知道，卻沒有任何評估指標將其納入",
    "finding.perhaps sensitive": "可能為敏感資料，卻沒有任何評估指標將其納入",
    "finding.points-to": "依欄位名稱判斷為{what}",
    "finding.looks-like": "{share} 的值看起來是{what}",
    "subject.a person's name": "姓名",
    "subject.a number given to one person": "個人的編號",
    "subject.a number given to a household": "戶的編號",
    "subject.a number given to a record": "資料列的編號",
    "subject.a way to reach a person": "聯絡方式",
    "subject.an address": "地址",
    "subject.an account, a card or a plate": "帳號、卡號或車牌",
    "subject.a device, or a trace on the net": "裝置或網路足跡",
    "subject.sex": "性別",
    "subject.age or birth": "年齡或出生",
    "subject.a place": "地點",
    "subject.origin, language or family": "出身、語言或家庭",
    "subject.work or schooling": "工作或學歷",
    "subject.how a person is built": "體格特徵",
    "subject.where or when a person was seen": "出現的時間或地點",
    "subject.a date": "日期",
    "subject.health": "健康狀況",
    "subject.money": "財務",
    "subject.belief, opinion or private life": "信仰、意見或私生活",
    "subject.crime or violence": "犯罪或暴力",
    "subject.results of a person": "個人成績",
    "look.e-mail addresses": "電子郵件地址",
    "look.national identity numbers": "身分證字號",
    "look.payment card numbers": "信用卡號",
    "look.phone numbers": "電話號碼",
    "look.bank account numbers": "銀行帳號（IBAN）",
    "look.record numbers": "病歷號等紀錄編號",
    "look.vehicle plates": "車牌號碼",
    "look.names of people": "姓名",
    "look.network addresses": "網路位址",
    "look.links": "網址",
    "look.generated keys": "系統產生的代碼",
    "look.Chinese names of people": "中文姓名",
    "look.English names of people": "英文姓名",
    "look.street addresses": "門牌地址",
    "look.exact coordinates": "精確的經緯度",
    "look.dates or times": "日期或時間",
    "look.numbers or addresses of people": "身分證字號、卡號、電話號碼或電子郵件地址",
    "look.further sheets": "其他工作表",
    "look.comments": "註解",
    "look.pictures or charts": "圖片或圖表",
    "look.pivot tables": "樞紐分析表",
    "look.defined names": "定義的名稱",
    "look.macros": "巨集",
    "look.further parts": "其他部分",
    "look.document properties": "檔案摘要資訊",
    "look.further elements": "其他元素",
    "look.formulas": "公式",
    "look.formats of single cells or rows": "個別儲存格或列的格式",
    "look.cells that keep the same value in another way": "值相同但儲存方式不同的儲存格",
    "look.bytes outside the table": "資料表以外的位元組",
    "look.further files": "其他檔案",
    "look.other file names": "其他檔名",
    "look.names with personal details": "含個人資料的名稱",
    "look.files with a part of the records each": "各含部分資料列的檔案",
    "look.lines with characters in unusual bytes": "以非慣用位元組寫成字元的行",
    "look.files of a kind that is not looked through": "未逐一檢視的檔案格式",
    "look.metadata": "中繼資料",
    "look.values that no record has": "沒有資料列使用的值",
    "reason.named": "依欄位名稱判斷為{what}",
    "reason.named-unique": "依欄位名稱判斷為{what}，但幾乎每筆資料列的文字都不同",
    "reason.looks": "{share} 的值看起來是{what}",
    "reason.mixed": "多數的值看起來是{what}",
    "reason.empty": "無法建議",
    "reason.same": "全部 {n} 筆資料列的值都相同，無法分辨任何人",
    "reason.few": "謹慎起見：無法由欄位名稱判斷，且資料列很少",
    "reason.people": "同一個人有多筆資料列：值相同時，性別、年齡等也相同",
    "reason.labelled": "名稱像編號，且相異值數幾乎與資料列數相同",
    "reason.assigned": "幾乎不重複的整數，像是編號而非測量值",
    "reason.precise": "精確的數字，知道的人可藉此認出個人",
    "reason.unique": "幾乎每筆資料列的文字都不同",
    "reason.exact": "有太多資料列可由其獨有的值找出，且無法取整",
    "reason.details": "文字內含 {n} 處電話號碼、地址、姓名等個人資料",
    "reason.remarks": "備註類文字，其中可能描述個人",
    "reason.long": "長篇文字，其中可能提及個人",
    "reason.cautious": "謹慎起見：無法由欄位名稱判斷，攻擊者可能知道其值",
    "reason.beside": "依資料表旁的 YAML 檔",
    # identity
    "section.identity": "身分揭露風險：能否找出特定人？",
    "identity.histogram": "資料列依所屬等價類大小的分布",
    "identity.required": "至少需要 {size} 筆",
    "identity.small": "屬於較小等價類的資料列",
    "identity.scenarios": "三種攻擊者",
    "identity.adversaries": "所假設的攻擊者",
    "head.class-size": "等價類大小",
    "head.classes": "等價類數",
    "head.records": "資料列數",
    "head.people": "人數",
    "head.share": "比例",
    "head.smaller-than": "小於",
    "head.scenario": "情境",
    "head.target": "尋找對象",
    "head.highest": "最高",
    "head.average": "平均",
    "head.lowest": "最低",
    "head.median": "中位數",
    "head.who": "攻擊者",
    "head.knows": "已知欄位",
    "head.finds": "找出資料列的機率",
    "head.unique": "唯一資料列比例",
    "scenario.prosecutor-risk": "已知在資料表中的某人",
    "scenario.journalist-risk": "母體中的任何一人（依母體名冊）",
    "scenario.marketer-risk": "盡可能多的人",
    "scenario.without-register": "未提供名冊：同檢察官情境",
    # drivers
    "section.drivers": "風險來源",
    "drivers.counted": "已計算 {n} 種準識別符組合。",
    "drivers.chart": "攻擊者所知屬性數與成功機率：{attack}",
    "drivers.axis": "攻擊者已知的屬性個數",
    "drivers.limit": "上限：{share}",
    "drivers.limit-highest": "最高風險的上限：{share}",
    "drivers.columns": "各欄位增加的機率：{attack}",
    "drivers.risky": "最小的高風險組合：足以超過上限的最少屬性",
    "drivers.guessing": "不需任何屬性：僅憑猜測即超過",
    "drivers.not-risky": "沒有任何組合超過上限。",
    "drivers.unit": "各種組合以資料列計算，不適用於設有隱私單位的情形。",
    "drivers.not-counted": "未計算準識別符的各種組合；可於政策檔以「subsets」要求計算。",
    "head.chart": "圖表數值",
    "head.known": "已知屬性數",
    "head.riskiest": "風險最高的組合",
    "head.adds": "增加的機率",
    "head.without": "移除後的機率",
    "head.limit": "上限",
    "head.attributes": "屬性",
    # attributes, presence, profit
    "section.attributes": "屬性揭露：能否得知某人的敏感資訊？",
    "attributes.none": "沒有欄位設定為敏感屬性。",
    "head.by-attribute": "各敏感屬性",
    "attributes.prior": "（事前）",
    "attributes.posterior": "（事後）",
    "attributes.distance": "（距離）",
    "distance.numeric": "數值距離",
    "distance.hierarchical": "階層距離",
    "distance.equal": "相等距離",
    "section.presence": "存在性：能否得知誰在資料表中？",
    "presence.not-applicable": "未評估：不適用於此釋出資料及其原始資料表。",
    "presence.needs-hierarchies": "未評估：{columns}含有原始資料表所沒有的值，且未提供說明其涵義的資料階層定義。",
    "presence.needs-original": "未評估：需要原始資料表（本資料表為其中一部分）。",
    # other releases
    "section.releases": "其他釋出資料：合併後會揭露什麼？",
    "releases.identity": (
        "能串連同一人在 {n} 次釋出中之資料列者，選中其資料列的機率為 {together}；僅憑本次釋出則為 {alone}。"
    ),
    "releases.identity-outside": "能串連同一人在 {n} 次釋出中之資料列者，選中其資料列的機率為 {together}。",
    "releases.alone": "此時有 {certain} 的人獨自構成一個等價類；僅憑本次釋出則為 {alone}。",
    "releases.attribute": "猜中{column}之值的機率為 {together}；僅憑本次釋出則為 {alone}。",
    "releases.disclosed": (
        "無法串連資料列、但會比對各次釋出中{column}可能值者，可將 {people} 人中 {share} 的人縮小到單一值；"
        "僅憑本次釋出則為 {alone}。"
    ),
    "releases.not-measured": "另知有 {n} 份釋出資料未納入評估，其增加的風險不在上述數值之內。",
    "releases.registered": "釋出登記簿中有 {n} 份資料與本次釋出有共同的識別鍵或準識別符。",
    "releases.none-registered": "釋出登記簿中沒有資料與本次釋出有共同的識別鍵或準識別符。",
    "releases.unnamed": "第 {n} 份釋出資料",
    "releases.this": "{name}（本次釋出）",
    "releases.list": "各次釋出資料（單獨評估）",
    "releases.names": "各次釋出資料",
    "releases.curve": "逐次加入釋出資料後的變化：{attack}",
    "releases.axis": "已釋出的份數（依列表順序）",
    "releases.shares": "各次釋出增加的風險，以及撤回後可減少的風險：{attack}",
    "releases.unlinked": "無法串連資料列、但取各次釋出可能值之交集的攻擊者",
    "releases.invariance": "m-不變性：同一人所屬的等價類在每次釋出中都有相同的一組值，且各值只出現一次",
    "releases.register": "釋出登記簿中與本次釋出有共同欄位的資料",
    "releases.all": "全部合併",
    "releases.only": "僅{name}",
    "releases.changed": (
        "{column}：有 {changed} 人的值在各次釋出間不同；其中 {contradictory} 人沒有剩餘的可能值，"
        "{mistaken} 人只剩錯誤的值。"
    ),
    "releases.no-m": "無：{repeated} 個等價類有重複的值，{changing} 人在其他釋出中的一組值不同",
    "releases.unmeasured": "未納入評估",
    "releases.gain": "{column}：攻擊者的期望收益，事前 {prior}，僅憑本次釋出 {alone}，全部合併 {together}。",
    "head.number": "編號",
    "head.up-to": "累計至",
    "head.in-common": "亦在本次",
    "head.alone": "獨自成類",
    "head.chance": "機率",
    "head.certain": "確定",
    "head.disclosed": "遭揭露",
    "head.half-sure": "最多剩兩個值",
    "head.saves": "可減少",
    "head.with": "依據",
    "head.attribute": "屬性",
    "head.largest-m": "最大的 m",
    "head.shared-keys": "共同的識別鍵",
    "head.shared-known": "共同的準識別符",
    "head.shared-sensitive": "共同的敏感屬性",
    "head.measured": "已納入評估",
    "section.profit": "獲利力：攻擊是否划算？",
    "profit.none": "未評估：政策檔沒有設定金額的規則（profitability 或 publisher-payout）。",
    "profit.chart": "發布者淨收益與攻擊收益成本比的關係",
    "profit.axis": "攻擊收益成本比",
    "head.gain": "攻擊收益成本比（高於）",
    "head.payout": "淨收益",
    # utility
    "section.utility": "資料可用性：還剩多少價值？",
    "utility.none": "未評估：需要資料階層定義或原始資料表。",
    "head.by-column": "各欄位",
    "head.values-before": "原始資料相異值數",
    "head.values-after": "釋出資料相異值數",
    "summary.removed": "遭抑制而移除的資料列：{removed}。",
    "utility.deleted": "原始資料表 {before} 筆資料列中，有 {n} 筆（{share}）未釋出；釋出資料共 {after} 筆。",
    "utility.added": "釋出資料共 {after} 筆資料列，比原始資料表的 {before} 筆多 {n} 筆（{share}）。",
    "utility.same-rows": "原始資料表與釋出資料的資料列數相同，均為 {before} 筆；是否有資料列遭替換或對調則無從得知。",
    "utility.blind": "下列欄位的值已重新編碼：{columns}。無法反映其粗略程度的指標：{measures}。",
    "utility.no-hierarchies": "精準度、細緻度等損失指標需要下列欄位的資料階層定義：{columns}。",
    "sees.class-sizes": "僅反映等價類大小，無法反映值的粗略程度。",
    "sees.suppression": "僅反映遭抑制或缺漏的儲存格，無法反映值的粗略程度。",
    "sees.labels": "僅比較標籤：重新編碼後的值無論多接近原值，一律視為不同的值。",
    "column.changed": "變更的儲存格（至少）",
    "column.entropy_kept": "保留的熵",
    "column.precision": "精準度",
    "column.granularity": "細緻度",
    "column.non_uniform_entropy": "非均勻熵",
    "column.total_variation": "總變異距離",
    "utility.scale": "1 表示與原始資料相同，0 表示資訊全失；總變異距離則相反。",
    "utility.bars": "長條表示{what}。",
    # steps
    "section.steps": "剩餘風險與後續步驟",
    "steps.none": "就評估數值而言，沒有其他待辦事項。",
    "residual.identity": "已知某人所有準識別符者，選中其資料列的機率平均為 {chance}。",
    "residual.identity-highest": "已知某人所有準識別符者，選中其資料列的機率平均為 {chance}，風險最高者為 {highest}。",
    "residual.attribute": "猜中{column}之值的機率為 {posterior}；未見資料表時為 {prior}。",
    "residual.attributes": "猜中敏感屬性值的機率為 {chance}。",
    "residual.none": "未評估風險。",
    "step.anonymize": "若要修正，請執行：{command}（在符合規則的前提下損失最小）。"
    "若要手動處理：抑制不合格等價類中的 {n} 筆資料列（{share}），或先提高層級。",
    "step.anonymize-table": "若要修正，請執行：{command}（在符合規則的前提下損失最小）。",
    "step.raise": "{column}提高到第 {level} 層後，不合格等價類中還剩 {n} 筆資料列，損失 {loss}。",
    "step.merge-classes": "{n} 筆資料列（{share}）所屬的等價類小於 {size}（{rules}）：請進一步概化或抑制這些資料列。",
    "step.merge-some-classes": "部分資料列所屬的等價類小於 {size}（{rules}）：請進一步概化或抑制這些資料列。",
    "step.without": "若移除{column}，則降為 {records} 筆。",
    "step.begin": "可由{columns}著手。",
    "step.other": "請修改釋出資料至符合規則，或經核定豁免。",
    "step.remove-identifiers": "請移除釋出資料中的直接識別符：{columns}。",
    "step.unlink": (
        "由{columns}可看出哪些資料列屬於同一人，換成編號也一樣：請移除此欄位。"
        "petworks anonymize 會依它以人計數，並將它移除。"
    ),
    "step.count-people": (
        "規則須以人計數，但資料表不含{columns}：請連同政策檔與製作計畫，檢查 petworks anonymize 所製作的檔案，"
        "或檢查含有此欄位的資料表。"
    ),
    "step.remove-key": "{columns}可將本資料表與其他釋出資料串連：釋出前請移除。",
    "step.blur-together": (
        "與先前釋出的資料合併後會透露過多資訊（{rules}）：請概化或移除{columns}，或採用與先前釋出相同的分組。"
    ),
    "step.withdraw": (
        "若能撤回{releases}，選中某人資料列的機率會降為 {share}：請確認接收者能否刪除，並勿將兩者交給同一接收者。"
    ),
    "step.measure-together": (
        "釋出登記簿中有資料與本次釋出有共同的識別鍵，但未合併評估：{releases}。請於政策檔的「releases」列出。"
    ),
    "step.cannot-hold": "{rules}不可能成立：{columns}在整個資料表中的相異值數少於每個等價類所要求的數目。",
    "step.more-values": "等價類中的相異敏感屬性值過少（{rules}）：請概化{columns}以合併等價類。",
    "step.diversify": "等價類透露過多敏感資訊（{rules}）：請概化{columns}以合併等價類，或將敏感屬性值概化。",
    "step.hide-presence": "可推知誰在資料表中（{rules}）：請概化{columns}，或改為僅釋出樣本。",
    "step.blur": "可區分的資料列過多（{rules}）：請概化或移除{columns}。",
    "step.refine": "資訊損失過多（{rules}）：請在風險容許的範圍內改用較細的層級。",
    "step.waiver-expired": "已到期的豁免：{rules}。請修正釋出資料，或重新核定。",
    "step.waiver-ends": "一個月內到期的豁免：{rules}。",
    "step.waiver-not-needed": "已無必要的豁免：{rules}。請自政策檔移除。",
    "step.earlier-edition": (
        "此資料表的另一版本已有對外版報告；其中 {size} 個數值或結果與本次不同。同時持有兩份的人，"
        "可由差異推知新增或刪除了誰，以及其屬性值。若僅有少數資料列不同，請勿再公開一份。"
    ),
    "step.withheld-outside": (
        "對外版不顯示 {rules} 的結果，因為會透露少數人的資訊；除非另有規則未通過，也因此不顯示整體結果。"
        "若須對外公開，請調整或移除規則；哪些規則無法同時公開，見對外版的說明。"
    ),
    "step.plan-anew": "此計畫已不適用於這份資料表，必須抑制的資料列太多：請以 petworks anonymize 重新產生計畫。",
    "step.judge-all": (
        "有 {records} 筆資料列因政策檔的設定而不受等價類相關規則評估。請將其納入："
        "「treatment: {{missing: value, suppressed: class}}」，或刪除這些設定。"
        "若規則仍已足夠，請在 context 以 rules_reason 說明理由。"
    ),
    "step.nothing-left": (
        "所有資料列皆遭抑制，沒有可評估或提供的內容：請允許較粗的層級、降低抑制比例，或放寬規則，再重新產生釋出資料。"
    ),
    "step.give-roles": "未指定屬性型態的欄位未經評估：{columns}。請指定屬性型態，或在政策檔的 no_role 說明理由。",
    "step.hidden-identifiers": ("以下欄位可直接識別個人，但其屬性型態並非直接識別符：{columns}。請自釋出資料移除。"),
    "step.personal-details": (
        "{columns}的文字內含個人資料（{details}），無論屬性型態為何，皆不得釋出：請自文字中移除，或不釋出該欄位。"
        "僅有註明負責人與期限的豁免可使其通過。"
    ),
    "step.write-anew": (
        "空白、引號、換行符號、鍵的順序，或空值與空字串並存，會區分出評估指標視為相同的資料列："
        "{columns}中最多有 {records} 筆。請以同一程式、同一引號規則重新寫出資料表，"
        "儲存格前後不留空白，並只用一種缺漏值；petworks anonymize 與 petworks apply 即如此寫出。"
    ),
    "step.release-values": (
        "除了所判定的資料表，檔案內還有其他內容（{details}），取得檔案的人也會一併取得。"
        "請釋出 petworks anonymize 寫出的 CSV 檔，或只含資料表值的副本。"
    ),
    "step.export-table": (
        "這種檔案可能含有資料表以外的內容（已刪除的資料列、註解、格式、其他資料表），程式無法逐一檢視。"
        "請釋出 petworks anonymize 寫出的 CSV 檔，或將資料表匯出為 CSV、Parquet 或 .xlsx，再檢查該檔。"
    ),
    "step.rule-for-values": (
        "生效的規則都未保護{columns}的值，同一等價類的人可能全都相同。請在政策檔的 rules 加上一行，例如 - {policy}，"
        "或在 no_rule 說明為何不需要。門檻若容許整個等價類同為一個罕見值（t-closeness 0.95 以上、"
        "basic-beta-likeness 19 以上），則不算數。"
    ),
    "step.fitting-rules": (
        "依此釋出方式，生效的規則須要求每個等價類至少有 {size} 筆資料列。請在政策檔加入下列設定，或加入有此要求的規則："
        "{policy}。若較小的等價類即已足夠，請在 context 以 rules_reason 說明理由。"
    ),
    "step.fitting-rules-unsaid": (
        "政策檔未載明資料表提供給誰；無論提供給誰，生效的規則都須要求每個等價類至少有 {size} 筆資料列。"
        "請在 context 以 release 載明（public、controlled 或 internal），並在政策檔加入下列設定，或加入有此要求的規則："
        "{policy}。若較小的等價類即已足夠，請在 context 以 rules_reason 說明理由。"
    ),
    "step.explain-unique-values": (
        "政策檔允許較多資料列可由確切值找出，卻未說明理由，因此仍以 {share} 為限。"
        "請使其值較粗略；若外人不可能知道這些值，請說明理由：{policy}。"
    ),
    "step.protect": (
        "知道{columns}確切值的人即可找出資料列：最多有 {share} 的資料列，其值與其他資料列都不同。"
        "請在政策檔的 anonymize 之下加入下列設定，再執行 petworks anonymize：{policy}"
    ),
    "step.protect-declared": (
        "知道{columns}確切值的人即可找出資料列：最多有 {share} 的資料列，其值與其他資料列都不同。"
        "petworks anonymize 會依政策檔的 anonymize.protect 使其值較粗略。"
    ),
    "step.leave-out": (
        "知道{columns}確切值的人即可找出資料列：最多有 {share} 的資料列，其值與其他資料列都不同，且無法以取整改善。"
        "請不予釋出此欄位（roles 的 identifiers）。"
    ),
    "step.rename-column": "欄位名稱含有個人資料：{columns}。請在來源檔與政策檔中改名。",
    "step.unmeasured-values": (
        "{columns}幾乎每筆資料列的值都不同，由此即可找出資料列，卻沒有任何評估指標將其納入：請改列為準識別符，"
        "在來源檔將值分組，或不釋出該欄位（roles 的 identifiers）。"
    ),
    "step.round-values": (
        "{columns}幾乎每筆資料列的值都不同，知道該值的人即可找出資料列：請在來源檔將值取整或分組後重新執行，"
        "或在政策檔的 role_reasons 說明為何外人不會知道這些值。"
    ),
    "step.nearly-unique": "{columns}幾乎每筆資料列的值都不同：請予以概化或移除。",
    "step.measure-or-explain": (
        "外人可能知道{columns}，並藉此找出資料列：請改列為準識別符或不予釋出，"
        "或在政策檔的 role_reasons 說明為何外人不會知道。"
    ),
    "step.look-again": "請確認以下欄位是否含有個人資料（見「欄位」一節）：{columns}。",
    "step.suppressed-class": (
        "請將遭抑制的資料列計為一個等價類，使其也符合 {rules}：在政策檔寫入 treatment: {{suppressed: class}}，"
        "再重新產生釋出資料；或不允許抑制。"
    ),
    "step.secret-or-explain": (
        "依名稱判斷，{columns}屬於敏感資料：請改列為敏感屬性或不予釋出，或在政策檔的 role_reasons 說明為何不是。"
    ),
    "step.many-suppressed": "{share} 的資料列遭抑制：其餘資料列可能不具代表性。",
    "step.review-overdue": "已逾審查期限：請審查本次釋出，並在政策檔訂定新的期限。",
    "step.name-approver": "{regime} 要求核可者：請載明由誰核可此釋出資料（sign_off：approver、role）。",
    "step.regime-lacks": "{regime} 另要求：{items}。見「核可」一節。",
    "step.try-subsets": "無法確知攻擊者知道哪些屬性：建議檢查準識別符的所有組合（於政策檔設定「subsets」）。",
    # sign-off
    "section.anonymization": "釋出資料如何產生",
    "anonymize.optimal": "已證明：在符合規則的前提下，沒有損失更小的層級組合"
    "（{nodes} 種組合中檢視 {checked} 種即足以證明）。",
    "anonymize.stopped": "搜尋在檢視 {nodes} 種層級組合中的 {checked} 種後中止："
    "可能有損失更小的組合，但損失不會低於 {bound}。",
    "anonymize.optimal-allowed": "已證明：在您允許的層級範圍內，符合規則的組合中沒有損失更小者"
    "（{nodes} 種組合中檢視 {checked} 種即足以證明）。",
    "anonymize.stopped-allowed": "搜尋在檢視您所允許的 {nodes} 種層級組合中的 {checked} 種後中止："
    "其中可能有損失更小的組合，但損失不會低於 {bound}。",
    "anonymize.gap": "因此，本次釋出的損失最多比最佳結果高 {gap}。",
    "anonymize.no-gap": "目前無法得知本次釋出與最佳結果的差距。",
    "anonymize.improving": "此結果在 {seconds} 秒中的第 {found} 秒找到：延長搜尋很可能找到更好的結果。",
    "anonymize.settled": "此結果在 {seconds} 秒中的第 {found} 秒找到：延長搜尋多半只能縮小差距，不易找到更好的結果。",
    "anonymize.waived": "已豁免，故未要求釋出資料符合：{rules}。",
    "anonymize.in-order": ("資料列順序與原始資料表相同：知道原本順序（例如學號順序）的人可逐筆對照。"),
    "anonymize.shuffled": "資料列順序已隨機打亂。",
    "anonymize.weighted": "損失經加權計算：{weights}；其餘為 1。",
    "anonymize.weight": "{name} 的權重為 {weight}",
    "anonymize.local": "區域重新編碼：資料列分屬 {n} 種層級組合。若全部資料列採用同一最佳層級組合，損失為 {loss}。",
    "anonymize.local.one": "這些規則不適用區域重新編碼，或其結果不優於每欄採用單一層級，故以後者釋出，損失為 {loss}。",
    "anonymize.local-stopped": "區域重新編碼：資料列分屬 {n} 種層級組合。"
    "全部資料列採用同一層級組合的搜尋已中止，目前找到的最小損失為 {loss}。",
    "anonymize.local-stopped.one": "區域重新編碼在優於每欄採用單一層級之前即已中止，故以後者釋出，損失為 {loss}。",
    "anonymize.loss": "損失（{objective}）：{loss}。",
    "anonymize.aggregated": "{objective}，各欄之{how}",
    "aggregate.geometric": "幾何平均",
    "aggregate.arithmetic": "算術平均",
    "aggregate.sum": "總和",
    "aggregate.maximum": "最大值",
    "anonymize.suppressed": "{records} 筆資料列中抑制了 {n} 筆（{share}）；上限為 {limit}。",
    "anonymize.none-suppressed": "沒有抑制任何資料列；上限為 {limit}。",
    "anonymize.all-suppressed": "全部 {n} 筆資料列均視為已抑制，因為其所有準識別符皆為 *。",
    "anonymize.nothing-left": "警告：準識別符已不含任何資訊。"
    "若要保留更多資訊，須放寬規則、提高抑制上限，或改用其他資料階層。",
    "notice.people-counted-before": (
        "資料表已不含{columns}，無法再以人計數：各規則的結果是製作此檔案時以人計數所得（其製作計畫載有此檔案的雜湊值）；"
        "其餘數字以資料列計數。"
    ),
    "notice.no-privacy-unit": "資料列視同人計數：政策檔說明了為何{columns}並非指資料表所述的人。",
    "notice.too-many-suppressed": "遭抑制的資料列有 {n} 筆（{average}），超過計畫允許的上限 {share}。",
    "notice.set-aside": (
        "有 {n} 筆資料列（{share}）依政策檔的設定（treatment: apart）不受等價類相關規則評估；"
        "看到資料表的人同樣能找到這些人。"
    ),
    "notice.people-not-counted": (
        "資料表不含識別個人的欄位{columns}：以下以資料列計數，而非以人計數；同一人的多筆資料列會重複計算。"
    ),
    "notice.highest-risk": "找到某人的機率平均為 {average}；最壞情況為 {share}，涉及 {n} 人。",
    "notice.certain-value": "有 {n} 人的{columns}可被確知：找到其等價類即知道該值，因為其中所有人的值都相同。",
    "notice.rule-always-holds": "在此沒有意義：{rules}。以這個門檻，任何資料表都符合。",
    "notice.rule-about-one-value": "在此沒有意義：{rules}。{columns}在整個資料表中只有一個值，因此人人皆知。",
    "notice.rule-about-nothing": "在此沒有意義：{rules}。攻擊者可能知道的欄位已無任何內容：{columns}。",
    "notice.not-covered": "檢查結果未涵蓋：知道{columns}的人，以及關於同一群人的其他資料表。",
    "notice.not-covered-columns": "檢查結果未涵蓋：知道{columns}的人。",
    "notice.not-covered-tables": "檢查結果未涵蓋：關於同一群人的其他資料表。",
    "notice.outside": "最壞情況及涉及人數僅見於內部版：公開會透露小的計數。",
    "notice.outside-highest": (
        "最壞情況下，找到某人的機率為 {share}。涉及多少人，以及有多少人的值可被確知，僅見於內部版。"
    ),
    "notice.identifiers-left": "資料表仍含直接識別符：{columns}。",
    "notice.suppressed-class": (
        "遭抑制的 {n} 筆資料列不屬於任何等價類，但其他欄位仍保留原值：若有人看出某人不屬於任何等價類，"
        "便知道此人就是這幾筆之一。若將其計為一個等價類，則不符合 {rules}。"
    ),
    "notice.perhaps-sensitive": "未納入評估：{columns}可能為敏感資料，且會原樣釋出。",
    "notice.perhaps-sensitive-coarser": "未納入評估：{columns}可能為敏感資料；其值已改為較粗略的值。",
    "notice.found-by-amount": (
        "對於也知道{columns}的人，{share} 的資料列在其等價類中獨一無二：請進一步取整，"
        "或在政策檔的 role_reasons 說明為何外人不會知道。"
    ),
    "notice.explained": "本結論以政策檔所述理由為前提：外人不會知道{columns}。",
    "notice.few-removed": (
        "遭抑制而移除的資料列只有 {n} 筆：若有人知道某人原在資料表中，"
        "又看出其不屬於任何等價類，便知道此人就是這幾筆之一。"
        "使用較粗的層級或不抑制，即可避免。"
    ),
    "notice.removed-alike": ("遭抑制而移除的 {n} 筆資料列，{columns}的值全部相同：知道原始資料總數的人即可得知該值。"),
    "notice.minimality": (
        "有 {n} 筆資料列所屬的群組已夠大，卻只因同組所有人{columns}的值相同，而遭抑制或改用較粗的層級："
        "知道釋出資料不會比必要更粗略的人，即可推論出該值（最小化攻擊）。請對所有資料列使用較粗的層級，"
        "或將{columns}的值改粗，或不釋出該欄位。"
    ),
    "notice.one-value": "{columns}只剩一個值。",
    "notice.perhaps-known": "未納入評估：外人可能知道{columns}，本結論不適用於知道上述欄位的人。",
    "notice.nearly-unique": "{columns}幾乎每筆資料列的值都不同：知道該值的人即可找出資料列。",
    "notice.nothing-left": "{columns}已無任何資訊：所有儲存格皆為 *。",
    "notice.differences-unseen": "未檢視檔案中是否有資料表以外的內容（例如中繼資料）：檔案都留在叢集中。",
    "notice.formulas": (
        "{columns}有 {n} 個儲存格以 =、+、- 或 @ 開頭且不是數字：試算表軟體可能將其當作公式執行。"
        "petworks anonymize --spreadsheet-safe 會在這類儲存格前加上單引號。"
    ),
    "notice.no-rule": "判定結果的前提，是政策檔所述{columns}的值不需要規則的理由。",
    "notice.rules-reason": "判定結果的前提，是政策檔所述規則足以因應此次釋出的理由。",
    "notice.unique-values-reason": ("判定結果的前提，是政策檔所述{columns}的確切值可找出最多 {share} 資料列的理由。"),
    "notice.long-waiver": "自今日起豁免超過兩年的規則：{rules}。",
    "notice.no-class-size": "沒有任何規則限制每個等價類至少要有幾筆資料列：可能有人獨自成為一個等價類。",
    "anonymize.look-at": "釋出前請檢視{columns}：其值幾乎唯一，或疑似個人資料。",
    "anonymize.levels": "層級 0 為原始值，最高層級則不含任何資訊。",
    "anonymize.level": "{level}（最高 {height}）",
    "write.level-named": "：{what}",
    "level.width": "區間寬度 {n}",
    "level.prefix": "保留前 {n} 碼",
    "level.mask": "遮蔽末 {n} 碼",
    "anonymize.level-top": "{height}（最高，均為 *）",
    "anonymize.allowed": "；允許 {low} 至 {high}",
    "anonymize.fixed": "；已固定",
    "anonymize.not-allowed": "不允許",
    "anonymize.finest": "維持原值",
    "anonymize.breaks": "不符合 {reasons}",
    "anonymize.broken": "{rule}（{n} 筆）",
    "anonymize.finer": "抑制 {n} 筆，損失 {loss}",
    "frontier.title": "改變規則的代價",
    "frontier.what": "各閾值與抑制上限下的最小損失，均已證明。",
    "frontier.left-out": "若某列不比另一列嚴格、損失也不更小，則不列出。",
    "frontier.own": "目前的規則（{rule}：{threshold}；抑制上限 {limit}）損失為 {loss}。",
    "frontier.own-limit": "目前的規則（抑制上限 {limit}）損失為 {loss}。",
    "frontier.own-none": "在抑制上限內，沒有任何層級組合符合目前的規則。",
    "frontier.chart": "最小損失：每條線代表一個抑制上限，圓圈為目前規則所在位置",
    "frontier.mark": "目前的規則",
    "head.suppression-limit": "抑制上限",
    "plot.too-small": "小於要求",
    "plot.large-enough": "符合要求",
    "plot.pairs": "已知兩個屬性時的成功機率（對角線為僅知一個屬性）：{attack}",
    "plot.contributions": "各次釋出增加的機率：{attack}",
    "plot.before-after": "處理前後：風險與保留的資訊",
    "plot.what": "評估指標",
    "plot.highest_risk": "最高風險",
    "plot.unique": "唯一的資料列",
    "plot.suppressed": "遭抑制的資料列",
    "plot.granularity": "保留的細緻度",
    "plot.precision": "保留的精準度",
    "view.release": "釋出資料，共 {n} 筆資料列",
    "view.hierarchy": "最高層級",
    "view.not-counted": "由其他引擎計算時，檢視畫面不計算等價類；請使用 evaluate(release)。",
    "view.records-in-classes": "等價類中的資料列數",
    "view.largest-class": "最大等價類",
    "view.evaluation": "{n} 筆資料列的評估結果",
    "view.known": "準識別符：{columns}",
    "view.asked": "參數",
    "view.holds": "符合",
    "view.fails": "不符合",
    "view.not-applicable": "不適用的原因",
    "view.details": "詳細數值",
    "view.subsets": "{all} 個準識別符的 {n} 種組合",
    "view.made": "最佳釋出資料",
    "view.made-local": "區域重新編碼的釋出資料",
    "view.on-levels": "依所選層級處理的資料表",
    "view.frontier": "其他規則的代價",
    "view.several": "{n} 份釋出資料，{focal} 共 {people} 人",
    "view.together": "{n} 份釋出資料合併後，對 {focal} 中 {people} 人的揭露程度",
    "view.attack": "攻擊",
    "view.prior": "僅憑猜測",
    "view.with-all": "取得所有釋出資料後",
    "view.more": "另有 {n} 列：以 to_pandas() 或 to_polars() 取得全部。",
    "anonymize.next-best": "次佳的層級組合",
    "anonymize.without": "若不要求「{rule}」，損失為 {loss}。",
    "anonymize.without-none": "即使不要求「{rule}」，也沒有任何組合符合其他規則。",
    "head.level": "層級",
    "head.one-finer": "若再細一層",
    "head.levels": "各欄層級",
    "head.loss": "損失",
    "head.suppressed": "抑制筆數",
    "head.before": "處理前",
    "head.after": "處理後",
    "state.records": "資料列數",
    "state.suppressed": "遭抑制的資料列",
    "state.classes": "等價類數",
    "state.smallest_class": "最小等價類",
    "state.highest_risk": "最高再識別風險",
    "state.unique": "唯一的資料列",
    "state.granularity": "細緻度",
    "state.precision": "精準度",
    "state.not-measured": "未評估",
    "state.correlation": "平均相關性（Cramér’s V）",
    "anonymize.protected": "{column}的值較粗略（{how}）：{changed} 的值已改變，保留 {kept} 的變異數。",
    "anonymize.protected-texts": "{column}的值較粗略（{how}）：{changed} 的值已改變。",
    "anonymize.kept": "各欄位處理前後的比較",
    "anonymize.kept-scale": "保留原值：未變更的儲存格比例。分布偏移：全部資料列與仍呈現其值的資料列"
    "之間的總變異距離；0% 表示沒有任何一類資料列的占比變少或變多。相關性保留（長條所示）："
    "100% 表示該欄與其他各欄之間的 Cramér’s V 均未變動。",
    "anonymize.correlation": "相關性保留：相異值很多的欄位（如日期）與其他欄位之間常有偶然的關聯，"
    "變粗略後即消失，因此數值偏低很常見。",
    "anonymize.losses": "各目標函數的損失",
    "anonymize.undefined": "同一欄含多個層級的值時，下列目標函數沒有定義：{objectives}。",
    "column.kept": "保留原值",
    "column.shift": "分布偏移",
    "column.correlation_kept": "相關性保留",
    "head.objective": "各目標函數的損失",
    "head.all-suppressed": "全部抑制時",
    "section.sign-off": "核可",
    "head.entry": "項目",
    "head.stated": "政策檔所載",
    "head.release": "釋出資料",
    "head.date": "日期",
    "head.recipients": "接收者",
    "head.item": "要求事項",
    "head.where": "出處（依本工具的解讀）",
    "head.name": "姓名",
    "head.office": "職稱",
    "head.signature": "簽名",
    "sign-off.purpose": "目的",
    "sign-off.approver": "核可者",
    "sign-off.role": "核可者職稱",
    "sign-off.review": "審查期限",
    "sign-off.overdue": "已逾期",
    "sign-off.contact": "事故聯絡窗口",
    "sign-off.earlier": "同一群人先前釋出的資料",
    "sign-off.none-earlier": "依政策檔所載，沒有先前釋出的資料。",
    "sign-off.not-stated": "未載明",
    "sign-off.given": "有",
    "sign-off.missing": "缺",
    "sign-off.no-certificate": (
        "此為政策檔可載明事項的檢核表，並非符合性證明。所載內容是否充分，以及原始來源另有哪些要求，仍須由讀者判斷。"
    ),
    "sign-off.signatures": "簽署",
    "item.purpose": "釋出目的",
    "item.release_kind": "資料分享方式",
    "item.recipients": "接收者",
    "item.adversaries": "假設的攻擊者",
    "item.role_reasons": "每個欄位屬性型態的理由",
    "item.earlier_releases": "先前釋出的資料",
    "item.risk_threshold": "風險閾值",
    "item.utility": "對資料可用性的影響",
    "item.approver": "核可者及其職稱",
    "item.review_by": "審查期限",
    "item.incident_contact": "事故聯絡窗口",
    # method
    "section.method": "方法與來源",
    "method.exact": "計數均為整數，閾值以精確值比較；恰等於閾值者視為符合。",
    "method.seed": "評估計算均無隨機成分：相同檔案必得相同結果。",
    "method.version": "PETWorks {version}；格式 {schema}；評估時點 {moment}。",
    "method.version-as-of": "PETWorks {version}；格式 {schema}；評估時點 {moment}（由使用者指定）。",
    "method.repeat": "重現（請自行補上各檔案所在的資料夾）：{command} 檔案；內容雜湊值應相同。",
    "method.repeat-in-python": (
        "於 Python 中以記憶體中的同一資料表重現：check({policy!r}, data=table, as_of={moment!r})"
        ".to_json({edition!r})；內容雜湊值應相同。"
    ),
    "method.external": (
        "對外版：不顯示資料表的任何值、任何等價類，以及小於 {n} 的人數；所有數值均由歸入區間的計數算出。"
        "請勿對幾乎相同的資料表公開兩份對外版：兩者的差異可能透露單獨一份所沒有的資訊。"
    ),
    "method.commitment": (
        "以下承諾值是加上隨機鹽值後的檔案雜湊值：持有內部版者可用 petworks verify 驗證本報告所依據的檔案，"
        "其他人則無法以逐一嘗試猜出任何儲存格的內容。"
    ),
    "method.digest": "本次檢查之 JSON 檔的內容雜湊值為",
    "method.not-measured": "未評估的指標",
    "method.sources": "評估指標的文獻來源",
    "needs": "需要{what}",
    "needs.amounts": "需要政策檔中設定金額的規則",
    "needs.other": "不適用於此釋出資料；原因見內部版的 JSON 檔",
    "need.quasi-identifiers": "準識別符",
    "need.a sensitive attribute": "敏感屬性",
    "need.the original table": "原始資料表",
    "need.a population table": "母體資料表",
    "need.the population or its size": "母體資料表或母體大小",
    "need.hierarchies": "資料階層定義",
    "need.records in the order of the input": "依輸入順序排列的資料列",
    "need.records in the order of the original": "與原始資料表順序相同的資料列",
    "footer": "由 PETWorks {version} 於資料所在的電腦上產生；任何資料均未離開該電腦。",
    # glossary
    "section.glossary": "名詞解釋",
    "term.class": "等價類",
    "term.class.meaning": "所有準識別符皆相同的資料列：攻擊者無法加以區分。",
    "term.known": "準識別符",
    "term.known.meaning": "攻擊者可能由他處得知個人之值的欄位，如年齡或郵遞區號。",
    "term.sensitive": "敏感屬性",
    "term.sensitive.meaning": "個人之值不應為人所知的欄位，如診斷結果。",
    "term.identifier": "直接識別符",
    "term.identifier.meaning": "單獨即可指認個人的欄位，如姓名或證件號碼。",
    "term.cell-size": "每組最少人數",
    "term.cell-size.meaning": "公布的群組至少須有的人數。",
    "term.scenarios": "檢察官、記者、行銷者情境",
    "term.scenarios.meaning": "三種攻擊者，分別尋找：已知在資料表中的特定人、任何一人、所有人。",
    "term.excess": "超額成功率",
    "term.excess.meaning": "攻擊成功率超出單純猜測的部分，占猜測失敗機率的比例。",
    "term.shapley": "Shapley 值",
    "term.shapley.meaning": "某欄位（或某次釋出）使攻擊成功機率增加的量，對攻擊者得知的所有可能順序取平均。",
    "term.treatment": "概化、抑制",
    "term.treatment.meaning": "以較粗略的值取代精確值；略去部分的值或資料列。",
    "term.waiver": "豁免",
    "term.waiver.meaning": "雖有規則未符合仍予釋出的決定，須有負責人與期限。",
    # 資料管理者的網頁
    "studio.skip": "跳到主要內容",
    "studio.steps": "步驟",
    "studio.step.open": "開啟",
    "studio.step.columns": "欄位",
    "studio.step.risk": "風險",
    "studio.step.levels": "層級",
    "studio.step.safe": "匿名化",
    "studio.step.compare": "比較",
    "studio.step.decide": "決定",
    "studio.next": "下一步：{step}",
    "studio.lost": "頁面已無回應：petworks studio 已結束。已儲存的內容都還在。請重新啟動並開啟新的網址。",
    "studio.is-release": "這份資料表已是釋出資料。若要以其他方式產生，請使用原始資料表的政策：",
    "studio.counting": "計算中…",
    "studio.command": "相同的命令列指令",
    "studio.copy": "複製",
    "studio.copied": "已複製",
    "studio.undo": "復原上一次變更（可復原 {n} 次）",
    "studio.local": "所有資料都留在這台電腦上。",
    "studio.error": "無法完成",
    "studio.error.nowhere": "沒有這個頁面。請回到檔案列表，再選擇步驟。",
    "studio.error.internal": "這是程式本身的錯誤，沒有任何內容被更改。終端機會顯示錯誤發生的位置，其中不含您的資料。",
    "studio.back": "回到檔案列表",
    "studio.bar.records": "{n} 筆資料",
    "studio.bar.risk": "最高風險 {risk}",
    "studio.open.intro": "請選擇資料表。檔案不會移動；您的決定會存在旁邊的政策檔。",
    "studio.open.size": "大小",
    "studio.open.begin": "開始",
    "studio.open.continue": "繼續",
    "studio.open.nothing": "此資料夾中沒有資料表。資料表的副檔名為 .csv、.xlsx、.ods、.sav、.dta、.parquet 等。",
    "studio.open.sheets": "此活頁簿有多個工作表，請選擇其中一個：",
    "studio.open.more": "檔案太多，未全部列出；請改用較小的資料夾開啟此網頁。",
    "studio.open.policies": "政策檔",
    "studio.job.title.running": "執行中",
    "studio.job.title.cancelled": "已取消",
    "studio.job.title.failed": "無法完成",
    "studio.job.title.done": "完成",
    "studio.job.doing.starting": "啟動中…",
    "studio.job.doing.reading": "讀取資料表…",
    "studio.job.doing.searching": "搜尋中…",
    "studio.job.doing.explaining": "計算其他層級會有什麼結果…",
    "studio.job.doing.measuring": "評估原始資料表…",
    "studio.job.doing.writing": "寫出釋出資料…",
    "studio.job.doing.checking": "檢查規則…",
    "studio.job.doing.subsets": "以所有準識別符組合進行攻擊…",
    "studio.job.doing.reasons": "找出每筆資料的原因…",
    "studio.job.stopping": "一找到第一個可行的結果就會停止。",
    "studio.job.bar": "進度",
    "studio.job.bound-bar": "目前最佳結果與理論上最佳結果的接近程度",
    "studio.job.time": "時間",
    "studio.job.checked": "已嘗試的層級組合",
    "studio.job.best": "目前最小的損失",
    "studio.job.none-yet": "尚未找到符合規則的結果",
    "studio.job.bound": "損失不可能低於",
    "studio.job.gap": "差距",
    "studio.job.stop": "停止並保留目前最佳結果",
    "studio.job.cancel": "取消",
    "studio.job.about-stop": "停止：寫出目前最佳的釋出資料，並說明其損失最多可能比最佳結果高出多少。",
    "studio.job.about-cancel": "取消：結束指令，不寫出任何檔案。",
    "studio.job.about-leave": "您可以關閉此頁：工作會繼續執行，每一頁都有連結可以回來查看。",
    "studio.job.running": "執行中…",
    "studio.job.ended.cancelled": "指令已取消，沒有寫出任何檔案。",
    "studio.job.ended.failed": "指令結束，沒有結果。訊息如下：",
    "studio.job.back": "回到「{step}」",
    # the page: risk
    "studio.risk.counting": "正在計算資料表中有哪些人可能被找到…",
    "studio.risk.no-script": "等待計算結果",
    "studio.risk.counting-sets": "正在尋找最小的欄位組合…",
    "studio.risk.cut": "共 {all} 項，此處顯示 {n} 項。",
    "studio.risk.rules": "規則",
    "studio.risk.steps": "後續步驟",
    "studio.risk.go": "前往「{step}」→",
    "studio.risk.curve": "風險與已知屬性個數的關係",
    "studio.risk.curve-note": "各線分別為該個數的組合中，成功機率最高、中位數與最低者。",
    "studio.risk.sets": "超出上限的最小欄位組合",
    "studio.risk.sets-note": (
        "只要知道這 {n} 組欄位中的任一組，就有人所屬的等價類少於 {size} 筆資料列；少知道其中任何一欄則不會。"
    ),
    "studio.risk.no-sets": "沒有欄位組合超出上限：在全部 {n} 組中，每個等價類都至少有 {size} 筆資料列。",
    "studio.risk.look": "查看",
    "studio.risk.known": "如果攻擊者知道…",
    "studio.risk.known-note": "請勾選攻擊者可能知道的欄位，數值會立即更新。",
    "studio.risk.they-know": "攻擊者知道",
    "studio.risk.show": "顯示",
    "studio.risk.knows-nothing": "什麼都不知道的人只能猜：{n} 分之一的機率。",
    "studio.risk.too-small": "等價類過小",
    "studio.risk.large-enough": "等價類夠大",
    "studio.risk.small": "有 {n} 筆資料列（{share}）位於少於 {size} 筆的等價類。",
    "studio.risk.no-small": "每個等價類都至少有 {size} 筆資料列。",
    "studio.risk.chance": "選中某人資料列的機率",
    "studio.risk.highest": "最容易被找到者的機率",
    "studio.risk.smallest": "最小等價類",
    "studio.risk.unique": "唯一資料列",
    "studio.risk.guess": "猜中「{column}」的機率",
    "studio.risk.instead-of": "毫無所知時為 {share}",
    "studio.risk.known-sizes": "在此背景知識下，資料列依等價類大小的分布",
    "studio.risk.no-drivers": (
        "須計算所有準識別符組合，才能得知各欄位增加的風險：請在政策檔的「subsets」之下寫入「sizes: all」。"
    ),
    "studio.risk.before": "單純猜測的機率",
    "studio.risk.after": "有此資料表時的機率",
    # the page: compare
    "studio.compare.intro": "查看與另一次檢查相比的變化，以及本次釋出與先前釋出合併後會揭露什麼。",
    "studio.compare.two": "兩次釋出並列比較",
    "studio.compare.with": "比較對象",
    "studio.compare.choose": "請選擇…",
    "studio.compare.policies": "政策檔",
    "studio.compare.checks": "先前的檢查結果",
    "studio.compare.compare": "比較",
    "studio.compare.nothing": "此資料夾中沒有其他政策檔，也沒有檢查結果（petworks check --json）。",
    "studio.compare.checking": "正在檢查兩者…",
    "studio.compare.old": "比較對象",
    "studio.compare.new": "本次",
    "studio.compare.change": "變化",
    "studio.compare.change.same": "相同",
    "studio.compare.change.better": "▲ 改善",
    "studio.compare.change.worse": "▼ 變差",
    "studio.compare.change.changed": "有變動",
    "studio.compare.change.new": "新增",
    "studio.compare.change.new built-in rule": "新增的內建規則",
    "studio.compare.change.waived": "已豁免",
    "studio.compare.change.other threshold": "！閾值不同",
    "studio.compare.no-rule": "無此規則",
    "studio.compare.not-measured": "未評估",
    "studio.compare.different": "數值無法直接比較，因為下列項目不同：{what}。",
    "studio.compare.equal": "規則、評估指標與資料表均無變動。",
    "studio.compare.curve": "最高再識別機率與已知屬性個數的關係",
    "studio.compare.measures": "評估指標",
    "studio.compare.same": "{n} 項評估指標相同",
    "studio.compare.facts": "資料表",
    "studio.compare.digest": "雜湊值：{what}",
    "studio.compare.fact.quasi_identifiers": "準識別符",
    "studio.compare.fact.sensitive_attributes": "敏感屬性",
    "studio.compare.fact.treatment": "資料列的計算方式",
    "studio.compare.fact.population": "母體",
    "studio.compare.fact.cell_size": "每組最少人數",
    "studio.compare.fact.petworks": "PETWorks 版本",
    "studio.compare.fact.records_in_classes": "等價類中的資料列",
    "studio.compare.fact.smallest_class": "最小等價類",
    "studio.compare.fact.largest_class": "最大等價類",
    "studio.compare.fact.suppressed_records": "遭抑制的資料列",
    "studio.compare.fact.incomplete_records": "有缺值的資料列",
    "studio.compare.several": "與同一群人的先前釋出合併評估",
    "studio.compare.several-note": (
        "每次釋出單獨看可能安全，合併後卻可能透露更多。此處以所有資料表共有的欄位串連同一人的資料列。"
    ),
    "studio.compare.earlier": "先前的釋出資料",
    "studio.compare.order": "視為依此順序釋出；{table} 排在最後，其中的人即為攻擊對象。",
    "studio.compare.key": "識別個人的欄位",
    "studio.compare.attack": "合併攻擊",
    "studio.compare.no-tables": "此資料夾中沒有其他資料表。",
    "studio.compare.no-file": "資料表必須是此資料夾中的單一檔案。",
    "studio.compare.together": "這 {n} 次釋出合併後揭露的資訊",
    "studio.compare.identity": (
        "能串連同一人在 {n} 次釋出中之資料列者，選中其資料列的機率為 {together}；僅憑本次釋出則為 {alone}。"
    ),
    "studio.compare.alone": "此時有 {together} 的人獨自構成一個等價類；僅憑本次釋出則為 {alone}。",
    "studio.compare.inference": "猜中{column}之值的機率為 {together}；僅憑本次釋出則為 {alone}。",
    "studio.compare.disclosed": (
        "無法串連資料列、但會比對{column}可能值者，可將 {together} 的人縮小到單一值；僅憑本次釋出則為 {alone}。"
    ),
    "studio.compare.after-each": "逐次加入釋出資料後的變化",
    "studio.compare.chart": "機率與獨自成類者比例，依釋出份數",
    "studio.compare.line-chance": "機率",
    "studio.compare.line-alone": "獨自成類",
    "studio.compare.axis": "已釋出的份數（依列表順序）",
    "studio.compare.number": "編號",
    "studio.compare.up-to": "累計至",
    "studio.compare.chance": "選中資料列的機率",
    "studio.compare.share-alone": "獨自成類者比例",
    "studio.compare.guess": "猜中「{column}」",
    "studio.compare.is-disclosed": "「{column}」遭揭露",
    "studio.compare.each-alone": "各次釋出單獨評估",
    "studio.compare.release": "釋出資料",
    "studio.compare.in-common": "亦在本次",
    "studio.compare.withdrawing": "各次釋出增加的風險，以及撤回後可減少的風險",
    "studio.compare.adds": "各次釋出增加的風險：{attack}",
    "studio.compare.saves": "可減少",
    "studio.compare.unlinked": "無法串連資料列、但會比對各次釋出可能值的攻擊者",
    "studio.compare.from": "依據",
    "studio.compare.all": "全部合併",
    "studio.compare.one-left": "只剩一個值",
    "studio.compare.two-left": "最多剩兩個值",
    "studio.compare.invariance": "m-不變性",
    "studio.compare.no-m": "無：{repeated} 個等價類有重複的值，{changing} 人在其他釋出中的一組值不同",
    "studio.job.doing.attacking": "攻擊中…",
    # the page: make it safe, decide
    "studio.save": "儲存",
    "studio.inside": "內部資料",
    "studio.out": "可對外提供",
    "studio.about-out": "檢查通過並經核可後，可提供給接收者。",
    "studio.about-inside": "僅供有權查看原始資料的人員使用：這些檔案列有原始值，或指出哪些資料列容易被辨識。",
    "studio.safe.intro": "PETWorks 會找出符合規則且損失最小的釋出資料，並證明沒有更好的結果。原始資料不會變更。",
    "studio.safe.lacking": "這些欄位沒有資料階層，其值只能原樣保留或成為「*」：{columns}。",
    "studio.safe.to-levels": "請在「層級」步驟設定。",
    "studio.safe.made": "已產生的釋出資料",
    "studio.safe.see": "查看產生方式",
    "studio.safe.lost": "您對 {release} 作了此政策檔沒有的決定（{keys}）。重新產生釋出資料時會被取代。",
    "studio.safe.adopt": "納入此政策檔",
    "studio.safe.settings": "設定",
    "studio.safe.suppression": "允許抑制的資料列",
    "studio.safe.about-suppression": "抑制少數離群的資料列，往往能讓其他資料列保留更多細節。",
    "studio.safe.suppressed-records": "未達規則的資料列如何處理",
    "studio.safe.suppressed-records.remove": "從資料表移除",
    "studio.safe.suppressed-records.stars": "保留，以 * 遮蔽",
    "studio.safe.about-suppressed-records": (
        "保留時，外人可能知道的欄位以 * 遮蔽，其他儲存格照舊；這些資料列合為一組，也要符合規則。"
    ),
    "studio.safe.objective": "資料損失的計算方式",
    "studio.safe.about-objective": "預設為細緻度，即數值保持的精細程度。",
    "studio.safe.protect": "較粗略的值",
    "studio.safe.about-protect": (
        "敏感或非敏感欄位的確切值若會洩漏是誰，請取整或分組：cost=round:1000,top:250000; day=dates:month"
    ),
    "studio.safe.minutes": "時間上限（分鐘）",
    "studio.safe.about-minutes": "留白：搜尋到證明為最佳為止。時間一到，就寫出目前最佳的結果。",
    "studio.safe.order": "資料列順序",
    "studio.safe.order.shuffled": "隨機打亂",
    "studio.safe.order.original": "與原始資料表相同",
    "studio.safe.about-order": "知道原始順序（例如學號順序）的人可逐筆對照。",
    "studio.safe.method": "概化方式",
    "studio.safe.method.global": "整欄一致",
    "studio.safe.method.global.about": "每個欄位一個層級：容易分析，且證明為最佳。",
    "studio.safe.method.local": "逐列調整",
    "studio.safe.method.local.about": "每筆資料有各自的層級：損失少得多，但同一欄位會有不同層級的值。",
    "studio.safe.more": "個別欄位的權重與層級限制",
    "studio.safe.aggregate": "各欄位的合併方式",
    "studio.safe.about-columns": "權重較高的欄位會保留得較精細。層級 0 為原始值。",
    "studio.safe.weight": "權重",
    "studio.safe.low": "最低層級",
    "studio.safe.high": "最高層級",
    "studio.safe.output": "輸出",
    "studio.safe.name": "釋出資料的檔名",
    "studio.safe.about-name": "檔案會放在政策檔的資料夾，旁邊附上它的政策檔、計畫檔、資料階層與報告。",
    "studio.safe.reasons": "同時寫出每筆資料列遭抑制的原因，以及如何才能保留",
    "studio.safe.below": "改列同組人數少於此數的資料列",
    "studio.safe.unfinished": "此釋出資料的搜尋曾被停止",
    "studio.safe.resume": "繼續搜尋",
    "studio.safe.over": "重新開始",
    "studio.safe.run": "開始匿名化",
    "studio.safe.frontier": "其他規則的代價如何？",
    "studio.safe.about-frontier": "比較多個抑制上限與閾值的最小損失；之後可選擇其中一點來產生釋出資料。",
    "studio.safe.limits": "抑制上限（百分比）",
    "studio.safe.varied": "要變動的閾值",
    "studio.safe.values": "閾值",
    "studio.safe.run-frontier": "比較",
    "studio.result.title": "釋出資料 {release}",
    "studio.result.decide": "以此釋出資料繼續：決定",
    "studio.result.report": "開啟報告",
    "studio.result.reasons": "逐筆原因",
    "studio.result.again": "其他設定",
    "studio.result.said": "訊息",
    "studio.result.both": "前後對照",
    "studio.result.levels": "各欄位的層級，以及再細一層會違反什麼",
    "studio.result.about-others": "這些層級也符合規則。若某個欄位對您較重要，可選擇其中一組；"
    "系統會以這些層級重新產生釋出資料。",
    "studio.result.choose": "選擇",
    "studio.result.files": "檔案",
    "studio.frontier.choose": "點選圖上的點，或選擇表格中的一列：系統會以該閾值與上限產生釋出資料。",
    "studio.frontier.looser": "低於您的規則要求：釋出資料將無法通過",
    "studio.frontier.nothing": "在這些閾值與上限下，沒有任何結果符合規則。",
    "studio.reasons.title": "逐筆原因",
    "studio.reasons.inside": "{file} 指出哪些資料列容易被辨識及其原因，請勿隨釋出資料提供。",
    "studio.reasons.below": "只列所在等價類少於",
    "studio.reasons.filter": "顯示",
    "studio.reasons.record": "資料列",
    "studio.reasons.stands-out": "因何容易被辨識",
    "studio.reasons.saved": "改用這些層級即可保留",
    "studio.reasons.loss": "增加的損失",
    "studio.reasons.more": "僅顯示前 {n} 筆；完整內容在 {file}。",
    "studio.reasons.none": "沒有列出任何資料。",
    "studio.reasons.back": "回到釋出資料",
    "evidence.what": "PETWorks 檢查的佐證資料。結果：{verdict}。",
    "evidence.out": "可提供給接收者：對外版，不含儲存格、等價類與小計數。",
    "evidence.inside": "僅供內部使用：政策檔、計畫檔與內部版報告。",
    "evidence.nothing-out": "此處沒有可提供給接收者的內容：{why}。對外版（report.external）在解決之前也僅供內部使用。",
    "evidence.not-told": "對外版不公開結果，因此不論結果為何，此資料夾的檔案都相同。"
    "結果請見內部版報告：若釋出資料可以對外提供，{file} 可一併提供；否則僅供內部使用。",
    "obstacle.fails": "有規則不符合",
    "obstacle.withheld": "此版不公開結果",
    "obstacle.changed": "它不是經檢查的檔案",
    "obstacle.outdated": "判斷所依據的內容在製作或檢查之後已變更；請重新製作，若只有它自己的政策變更，則再檢查一次",
    "obstacle.unfinished": "搜尋中途停止，可能有損失更少的版本；請接續搜尋，或在「決定」步驟對現有版本作決定",
    "studio.not-out": "{file} 尚不得對外提供：{why}。",
    "evidence.digests": "{file} 列有此處所有檔案的雜湊值，可用 sha256sum -c 比對。",
    "evidence.tables": "資料表不在此資料夾。其雜湊值（SHA-256）：",
    "studio.open.action": "動作",
    "studio.open.policy": "政策檔",
    "studio.open.table": "資料表",
    "studio.open.tables": "資料表",
    "studio.open.state": "狀態",
    "studio.open.mistake": "內容有誤",
    "studio.open.checked": "{day} 檢查，之後未變更",
    "studio.open.changed": "{day} 的結果；之後已變更或已過一日，請再檢查一次",
    "studio.open.unchecked": "尚未檢查",
    "studio.open.others": "其他 {n} 個檔案：資料階層與文字檔",
    "studio.open.receives": "誰會收到這份資料表？",
    "studio.open.release": "釋出方式",
    "studio.open.release.public": "公開釋出",
    "studio.open.release.controlled": "受控釋出",
    "studio.open.release.internal": "內部使用",
    "studio.open.preset": "（起始規則：{preset}）",
    "studio.open.nothing-written": "請確認資料表讀取正確。在您開始之前，不會寫入任何檔案。",
    "studio.open.begun": "此資料表已有政策檔，可繼續：",
    "studio.open.reading": "讀取有誤嗎？分隔符號與編碼",
    "studio.open.detect": "自動判斷",
    "studio.open.look": "重新查看",
    "studio.open.format": "格式",
    "studio.open.format.workbook": "Excel 等活頁簿",
    "studio.open.your-table": "資料表.csv",
    "studio.open.encoding": "編碼",
    "studio.open.separator": "分隔符號",
    "studio.open.separator.comma": "逗號 ,",
    "studio.open.separator.semicolon": "分號 ;",
    "studio.open.separator.tab": "定位字元",
    "studio.open.separator.bar": "直線 |",
    "studio.open.columns": "欄位數",
    "studio.open.sample": "儲存格的樣貌",
    "studio.open.sample.note": "已遮蔽：X 與 x 為英文字母，○ 為中文等文字，9 為數字。不顯示任何儲存格內容。",
    "studio.open.no-header": "第一列看起來是資料，而不是欄位名稱。請加上一列欄位名稱。",
    "studio.open.record": "第 {number} 筆",
    "studio.open.missing": "缺值",
    "studio.columns.intro": "請說明每個欄位的屬性型態。欄位透露多少個人資訊，決定資料表能如何釋出。",
    "studio.columns.help.identifier": "可直接指出某個人（姓名、證號、地址），或無人需要。不會釋出。",
    "studio.columns.help.quasi_identifier": "他人可能已知的個人資訊：年齡、性別、地點。須經概化。",
    "studio.columns.help.sensitive_attribute": "不得讓任何人得知的個人資訊：診斷、收入。會原樣釋出。",
    "studio.columns.help.insensitive_attribute": "以上皆非：無助於找出個人，也不會造成傷害。",
    "studio.columns.help.none": "完全不評估。請說明理由。",
    "studio.columns.help": "各屬性型態的意義",
    "studio.columns.contradictions": "{n} 個欄位與其屬性型態矛盾",
    "write.with-role": "（{role}）：",
    "studio.columns.worth-a-look": "{n} 個欄位值得留意",
    "studio.columns.no-contradiction": "各欄位的屬性型態與其名稱、內容並無矛盾。",
    "studio.columns.contradictions.short": "{n} 項矛盾",
    "studio.columns.saved": "所有變更均已儲存。",
    "studio.columns.unsaved": "有 {n} 項變更尚未儲存。",
    "studio.columns.many": "其餘 {n} 個",
    "studio.columns.find": "尋找欄位",
    "studio.columns.show": "顯示",
    "studio.columns.show.all": "所有欄位",
    "studio.columns.show.attention": "需要留意的欄位",
    "studio.columns.filter": "篩選",
    "studio.columns.shown": "共 {all} 個欄位，顯示 {n} 個",
    "studio.columns.none-shown": "沒有符合的欄位。",
    "studio.columns.page": "第 {n} 頁，共 {all} 頁",
    "studio.columns.previous": "上一頁",
    "studio.columns.next": "下一頁",
    "studio.columns.head.pick": "選取",
    "studio.columns.head.unique": "唯一值",
    "studio.columns.head.suggested": "建議",
    "studio.columns.head.hierarchy": "資料階層",
    "studio.columns.number": "數字",
    "studio.columns.date": "日期",
    "studio.columns.text": "文字",
    "studio.columns.empty": "無值",
    "studio.columns.missing": "缺值 {share}",
    "studio.columns.reason": "理由",
    "studio.columns.reason-needed": "為何不指定？",
    "studio.columns.as-suggested": "與建議相同",
    "studio.columns.take": "採用",
    "studio.columns.take-all": "採用全部 {n} 項建議",
    "studio.columns.levels": "{n} 層",
    "studio.columns.in-file": "來自 {file}",
    "studio.columns.declared": "已宣告",
    "studio.columns.no-hierarchy": "尚無",
    "studio.columns.scheme.width": "等寬區間",
    "studio.columns.scheme.cuts": "區間",
    "studio.columns.scheme.quantiles": "資料列數相等的區間",
    "studio.columns.scheme.dates": "時間區段",
    "studio.columns.scheme.prefix": "前幾個字元",
    "studio.columns.scheme.mask": "遮蔽字元",
    "studio.columns.scheme.icd10": "ICD-10 章節",
    "studio.columns.scheme.order": "相鄰的值",
    "studio.columns.scheme.groups": "自訂群組",
    "studio.columns.scheme.rare": "合併少見值",
    "studio.columns.scheme.top": "合併大值",
    "studio.columns.scheme.bottom": "合併小值",
    "studio.columns.strange": "{n} 個值在資料階層中沒有對應的位置",
    "studio.columns.values": "種值",
    "studio.columns.unit": "如何辨別同一個人？",
    "studio.columns.unit.intro": "若一個人有多筆資料列，請選擇代表個人的欄位，同一個人只計一次。"
    "該欄位不得為準識別符，且每筆資料列都須有值。",
    "studio.columns.unit.none": "每筆資料列都是不同的人",
    "studio.columns.unit.suggested": "{column}看起來就是：有些資料列的值相同。",
    "studio.columns.not-people": "值會重複，但並非代表個人的欄位",
    "studio.columns.not-people.intro": "有些欄位的值因其他緣故而重複，例如病房的電話或班級的代號。"
    "在此說明理由後，即使該欄位看似代表個人，每筆資料列仍視為不同的人；報告會列出該欄位。清空欄位即刪除理由。",
    "studio.columns.not-people.column": "並非代表個人的欄位",
    "studio.columns.not-people.choose": "選擇欄位",
    "studio.columns.not-people.reason": "為何不代表資料表所述的人",
    "studio.columns.unit.subsets": "對所有準識別符組合的攻擊以資料列計算，因此在政策檔中會改為註解。",
    "studio.columns.removed": "列為直接識別符，但資料表中沒有：{columns}。",
    "studio.columns.bulk": "將選取的欄位設為",
    "studio.columns.bulk.do": "套用",
    "studio.columns.save": "儲存",
    "studio.columns.next-step": "儲存並查看風險",
    # 步驟「層級」
    "studio.levels.counting": "正在計算資料表中相異的資料列。算完之後，每次調整都會立即顯示結果。",
    "studio.levels.no-script": "等待計算結果",
    "studio.levels.intro": (
        "每個欄位都有數個層級：第 0 層是原始值，最高層不透露任何資訊。"
        "移動滑桿，數字會立即更新；在您確認之前不會寫入任何檔案。"
    ),
    "studio.levels.columns": "欄位與層級",
    "studio.levels.figures": "調整後的資料表",
    "studio.levels.status.declared": "由政策檔宣告",
    "studio.levels.status.file": "來自檔案",
    "studio.levels.status.none": "沒有資料階層",
    "studio.levels.bounded": "搜尋可用的層級：{bounds}",
    "studio.levels.edit": "檢視與修改",
    "studio.levels.repair": "修正",
    "studio.levels.level-own": "第 0 層（最高第 {height} 層）：{n} 個原始值，例如 {example}",
    "studio.levels.level": "第 {level} 層（最高第 {height} 層）：{n} 組，例如 {example}",
    "studio.levels.level-top": "第 {level} 層（最高第 {height} 層）：全部為 {label}",
    "studio.levels.fixed": "維持原樣。",
    "studio.levels.without": "{n} 個欄位沒有資料階層，會維持原樣：{columns}。",
    "studio.levels.propose": "採用建議",
    "studio.levels.propose-all": "為 {n} 個欄位採用建議",
    "studio.levels.more-columns": "另有 {n} 個欄位未列出，會維持原樣；請改用指令處理。",
    "studio.levels.suppress": "抑制違反規則之等價類中的資料列",
    "studio.levels.recount": "重新計算",
    "studio.levels.make": "產生釋出資料",
    "studio.levels.release-name": "釋出檔名",
    "studio.levels.apply": "套用這些層級",
    "studio.levels.bound": "交由搜尋決定",
    "studio.levels.bound-note": "把這些層級寫入政策檔，作為「匿名化」步驟搜尋時的界限。",
    "studio.levels.bound-how": "這些層級是",
    "studio.levels.bound.exactly": "唯一允許的層級",
    "studio.levels.bound.at_least": "允許的最細層級",
    "studio.levels.bound.at_most": "允許的最粗層級",
    "studio.levels.use-bounds": "設為界限",
    "studio.levels.before": "目前",
    "studio.levels.after": "調整後",
    "studio.levels.bars": "目前與調整後的長條圖",
    "studio.levels.highest": "最高風險",
    "studio.levels.average": "平均風險",
    "studio.levels.unique-people": "唯一的當事人",
    "studio.levels.affected": "違反規則之等價類中的資料列",
    "studio.levels.loss": "損失（{objective}）",
    "studio.levels.by-size": "資料列依所屬等價類大小的分布",
    "studio.levels.too-small": "太小",
    "studio.levels.later": "產生釋出資料時才判定",
    "studio.levels.said": "k = {k}，最高風險 {risk}，損失 {loss}。",
    "studio.levels.said-nothing": "所有資料列均遭抑制，沒有剩下任何資訊。",
    "studio.levels.said-affected": "{n} 筆資料列（{share}）屬於違反規則的等價類。",
    "studio.levels.said-suppressed": "{n} 筆資料列（{share}）遭抑制。",
    "studio.levels.said-none": "沒有等價類違反規則。",
    "studio.levels.of": "{column}的層級",
    "studio.levels.back": "回到所有層級",
    "studio.levels.column-note": "共 {n} 種值。",
    "studio.levels.from-file": "資料階層來自檔案 {file}；在此儲存後，改用儲存的內容。",
    "studio.levels.declared": "政策檔的宣告：",
    "studio.levels.declare": "如何概化這個欄位",
    "studio.levels.kinds": "資料階層的種類",
    "studio.levels.kind.width": "等寬區間",
    "studio.levels.kind.cuts": "自訂區間",
    "studio.levels.kind.quantiles": "分位數",
    "studio.levels.kind.dates": "日期",
    "studio.levels.kind.prefix": "保留前幾碼",
    "studio.levels.kind.mask": "遮蔽後幾碼",
    "studio.levels.kind.icd10": "ICD-10 診斷碼",
    "studio.levels.kind.groups": "分組",
    "studio.levels.kind.order": "有序的值",
    "studio.levels.kind.rare": "少見值",
    "studio.levels.about.width": (
        "適用於數字：寬度相同的區間，層級愈高愈寬。極小與極大的數字可以各自成為一組；若不填寬度，就只有這兩組。"
    ),
    "studio.levels.about.cuts": "適用於數字：由您指定各區間的起點。",
    "studio.levels.about.quantiles": (
        "適用於數字：各區間的資料列數大致相同。界限是資料表中的值；若不宜公開，請改用自訂區間。"
    ),
    "studio.levels.about.dates": "適用於日期：層級愈高，期間愈長。",
    "studio.levels.about.prefix": "適用於郵遞區號等代碼：層級愈高，保留的前幾碼愈少。",
    "studio.levels.about.mask": "適用於代碼：層級愈高，後面有愈多字元改為 *。",
    "studio.levels.about.icd10": "適用於 ICD-10 診斷碼。",
    "studio.levels.about.groups": "適用於名稱：指定哪些值屬於同一組，例如同一地區的城市。",
    "studio.levels.about.order": "適用於有順序的值，例如學歷：相鄰的值合為一組。",
    "studio.levels.about.rare": "適用於任何欄位：出現筆數很少的值合為一組。",
    "studio.levels.field.width": "各層的區間寬度",
    "studio.levels.hint.width": "例如 5, 10, 20；每個數都是前一個的倍數",
    "studio.levels.field.start": "區間的起點",
    "studio.levels.hint.start": "若不從 0 開始",
    "studio.levels.field.bottom": "小於此數的合為一組",
    "studio.levels.hint.bottom": "例如 18：該組為 < 18",
    "studio.levels.field.top": "大於或等於此數的合為一組",
    "studio.levels.hint.top": "例如 90：該組為 >= 90",
    "studio.levels.field.cuts": "各區間的起點，每層一行",
    "studio.levels.hint.cuts": "例如第一行 18, 40, 65，第二行 65；每層只能用前一層的部分起點",
    "studio.levels.field.quantiles": "各層的區間個數",
    "studio.levels.hint.quantiles": "例如 8, 4, 2；每個數都是後一個的倍數",
    "studio.levels.field.dates": "各層的期間",
    "studio.levels.field.icd10": "層級",
    "studio.levels.field.calendar": "兩位數的年份",
    "studio.levels.calendar.gregorian": "不接受",
    "studio.levels.calendar.roc": "為民國年",
    "studio.levels.unit.day": "日",
    "studio.levels.unit.week": "週",
    "studio.levels.unit.month": "月",
    "studio.levels.unit.quarter": "季",
    "studio.levels.unit.year": "年",
    "studio.levels.unit.5-years": "5 年",
    "studio.levels.unit.decade": "10 年",
    "studio.levels.unit.category": "類目，例如 I21",
    "studio.levels.unit.chapter": "章，例如 I00-I99",
    "studio.levels.field.prefix": "各層保留的字元數",
    "studio.levels.hint.prefix": "例如 3, 1",
    "studio.levels.field.mask": "各層遮蔽的字元數",
    "studio.levels.hint.mask": "例如 1, 2",
    "studio.levels.field.order": "所有的值，依順序每行一個",
    "studio.levels.hint.order": "由低到高",
    "studio.levels.field.sizes": "各層以幾個相鄰的值為一組",
    "studio.levels.hint.sizes": "例如 2, 4；每個數都是前一個的倍數",
    "studio.levels.hint.groups": "若要有多個層級，請先寫較小的組：臺北 {above} 北部。未分組的值依下方設定處理。",
    "studio.levels.field.mapping": "每行一個值：值;所屬的組;更大的組",
    "studio.levels.hint.mapping": "以分號分隔，或從試算表貼上",
    "studio.levels.field.rest": "清單中其他值所屬的組",
    "studio.levels.hint.rest": "若有值未分組",
    "studio.levels.many-values": "值太多，無法在此列出：請貼上所有的值與所屬的組，或在政策檔中指定資料階層檔。",
    "studio.levels.field.rare": "各層的閾值：出現筆數少於此數的值合為一組",
    "studio.levels.hint.rare": "例如 20，或 20, 100",
    "studio.levels.field.label": "該組的名稱",
    "studio.levels.hint.label": "未填時為 other",
    "studio.levels.save": "存入政策檔",
    "studio.levels.preview": "顯示層級",
    "studio.levels.remove": "移除資料階層",
    "studio.levels.proposal": "針對這些值的建議：",
    "studio.levels.levels": "層級",
    "studio.levels.shown.saved": "已儲存的內容。",
    "studio.levels.shown.proposed": "這是建議，尚未儲存。",
    "studio.levels.shown.tried": "表單目前的內容，尚未儲存。",
    "studio.levels.shown.none": "目前沒有資料階層。填寫表單即可預覽結果。",
    "studio.levels.has-levels": "共 {n} 層（含原始值）。",
    "studio.levels.strange": "{n} 個值沒有對應的位置。",
    "studio.levels.value": "值",
    "studio.levels.group": "組",
    "studio.levels.tree": "全部 {n} 層與資料列數",
    "studio.levels.records": "{n} 筆",
    "studio.levels.level-head": "第 {level} 層",
    "studio.levels.groups": "{n} 組",
    "studio.levels.values": "{n} 個值",
    "studio.levels.smallest-group": "最小：{n} 筆",
    "studio.levels.more-levels": "另有 {n} 層未列出。",
    "studio.levels.applied": "依這些層級產生的釋出資料",
    "studio.levels.rules": "規則",
    "studio.levels.affected-records": "受影響的資料列",
    "studio.levels.applied-none": "沒有資料列遭抑制。",
    "studio.levels.applied-said": "{n} 筆資料列遭抑制。",
    "studio.levels.next": "可以釋出的檔案與下一步",
    "studio.levels.only-this": "只有 {file} 可以釋出。",
    "studio.levels.not-these": "以下檔案僅供可查看原始資料的人員使用：{files}。",
    "studio.levels.decide": "決定是否釋出",
    "studio.levels.look-at-risk": "檢視其風險",
    # the page: decide
    "studio.decide.original": "此政策檔針對原始資料表。請對由它產生的釋出資料作決定：",
    "studio.decide.no-release": "此政策檔針對目前的資料表。若未通過，請先產生釋出資料：",
    "studio.decide.verdict": "檢查結果",
    "studio.decide.rules": "規則",
    "studio.decide.presets": "主管機關的閾值",
    "studio.decide.own": "自訂規則",
    "studio.decide.no-own": "目前沒有自訂規則。",
    "studio.decide.by-attribute": "各屬性有各自的值；如需變更請編輯政策檔",
    "studio.decide.name": "規則名稱",
    "studio.decide.why": "為何需要此規則",
    "studio.decide.remove": "儲存時移除",
    "studio.decide.new": "新規則：{measure}",
    "studio.decide.subsets": "所有準識別符組合",
    "studio.decide.about-subsets": "只知道部分欄位的人最多能做到什麼程度；以 0 到 1 的比例表示。留白：不設限。",
    "studio.decide.sizes": "知道幾個欄位（all、2、1-3）",
    "studio.decide.save-rules": "儲存規則",
    "studio.decide.add": "新增規則，指標為",
    "studio.decide.add-button": "新增",
    "studio.decide.waivers": "豁免",
    "studio.decide.about-waivers": "在某日（含）之前不必符合的規則，並有人對此負責。",
    "studio.decide.waiver": "豁免 {rule}",
    "studio.decide.new-waiver": "新增豁免",
    "studio.decide.owner": "負責人",
    "studio.decide.reason": "理由",
    "studio.decide.expires": "最後有效日",
    "studio.decide.save-waivers": "儲存豁免",
    "studio.decide.context": "釋出情境",
    "studio.decide.kind.public": "公開：任何人都可取得",
    "studio.decide.kind.controlled": "受控：已知的接收者，並受使用條款約束",
    "studio.decide.kind.internal": "內部：僅限組織內部",
    "studio.decide.assumptions": "假設，每行一項",
    "studio.decide.none-earlier": "先前未曾釋出有關這些人的資料",
    "studio.decide.save-context": "儲存釋出情境",
    "studio.decide.regimes": "標準與法規",
    "studio.decide.about-regimes": "其檢核表會列在檢查結果之下：要求您記錄哪些事項，以及還缺少什麼。",
    "studio.decide.save-regimes": "儲存標準與法規",
    "studio.decide.save-sign-off": "儲存核可",
    "studio.decide.export": "匯出",
    "studio.decide.about-export": "政策檔與釋出資料已放在同一個資料夾；請將政策檔納入 git 版本控管。",
    "studio.decide.evidence": "建立佐證資料夾",
    "studio.decide.about-evidence": "{folder}：政策檔、計畫檔、內外部兩版報告與雜湊值，完整寫出，否則完全不寫。"
    "不會複製資料表。",
    "studio.decide.report": "寫出內外部兩版報告",
    "studio.decide.versions": "政策檔的版本（{n}）",
    "studio.exported.title": "已匯出",
    "studio.exported.passes": "所有規則都符合或已獲豁免。",
    "studio.exported.fails": "請勿提供釋出資料。原因見報告。",
    "studio.exported.folder": "全部檔案都在資料夾 {folder}。",
    "studio.exported.open": "開啟 {file}",
    "studio.versions.title": "政策檔的版本",
    "studio.versions.intro": "在此網頁所作的每次變更，最近的在前。開頭為 + 的行是新增，開頭為 - 的行是移除。"
    "還原本身也是一次變更，可以再復原。",
    "studio.versions.change": "第 {number} 次變更，{when}",
    "studio.versions.same": "沒有差異。",
    "studio.versions.restore": "還原到此變更之前",
    "studio.versions.none": "此政策檔未曾在此網頁變更。",
    "studio.versions.older": "更早的版本",
    # the command
    "write.bracketed": "（{text}）",
    "word.holds": "成立",
    "word.does-not-hold": "不成立",
    "head.parameters": "參數",
    "head.reason": "理由",
    "head.group": "組別",
    "attack.gain": "收益",
    "attack.chance": "機率",
    "write.named": "{id}（{name}）",
    "evaluate.nobody": "沒有資料列屬於任何等價類，因此對等價類的要求均成立：沒有人可供評估。",
    "evaluate.people": "同一人的多筆資料列在每個等價類中只計一次：等價類大小為人數。",
    "evaluate.not-applicable": "不適用：{measure}：",
    "evaluate.more": "若要查看各指標的細節，請用 --measure NAME，或 --format json。",
    "evaluate.read-as": "{encoding}，分隔符號 {separator}",
    "family.privacy": "隱私保護力",
    "family.risk": "風險",
    "family.attack": "攻擊",
    "family.utility": "資料可用性",
    "better.higher": "愈高愈好",
    "better.lower": "愈低愈好",
    "better.between": "介於上下限之間為佳",
    "better.mixed": "依參數而定",
    "write.kind": "（{family}；{better}）",
    "attack.head.attack": "攻擊",
    "attack.head.prior": "事前機率",
    "attack.head.posterior": "事後機率",
    "attack.head.times-better": "為猜測的倍數",
    "attack.head.difference": "差值",
    "attack.head.known": "已知",
    "attack.head.risk": "風險",
    "attack.all-known": "如果攻擊者知道所有屬性",
    "attack.some-known": "如果攻擊者知道部分屬性：{attack}",
    "attack.risky-sets": "最小的高風險組合（就已計算的組合而言）",
    "attack.drivers": "風險來源：{attack}",
    "attack.any": "任一個",
    "attack.all-the-same": "均相同",
    "attack.smallest": "超過上限的最小屬性組合",
    "attack.by-guessing": "不需任何屬性：僅憑猜測即超過",
    "attack.more": "其餘 {n} 組（--format json 列出全部）",
    "attack.adds": "增加的{what}",
    "attack.without": "移除後的{what}",
    "attack.gains": "{gain}；僅憑猜測為 {guessing}",
    "attack.one-in": "{number} 分之 1",
    "attack.in-hundred": "100 次中 {number} 次",
    "attack.not-better": "與猜測無異",
    "attack.hardly-better": "與猜測相差無幾",
    "attack.better": "為猜測的 {times} 倍",
    "compose.targets": "{n} 份釋出資料；攻擊目標為 {focal} 中的 {people} 人",
    "compose.linked": "能串連同一人各筆資料列的攻擊者",
    "compose.curve": "逐次加入釋出資料後的變化",
    "compose.added": "各次釋出增加的風險，以及撤回後可減少的風險",
    "compose.unlinked": "無法串連資料列、但取各次釋出可能值之交集的攻擊者",
    "compose.invariance": "m-不變性",
    "compose.limits": "上限",
    "compose.release-alone": "單獨一份",
    "compose.among-them": "其中的目標",
    "compose.alone": "獨自成類",
    "compose.guessing": "猜測",
    "compose.focal-alone": "僅目標所在釋出",
    "compose.all-releases": "所有釋出",
    "compose.certain-focal": "確定：僅目標所在釋出",
    "compose.certain-all": "確定：全部",
    "compose.inference": "屬性推論",
    "compose.gain": "猜測{column}的收益",
    "compose.disclosed": "{column}遭揭露",
    "compose.adds": "平均增加",
    "compose.confidence": "把握 >= {level}",
    "compose.changed": (
        "{column}：{people} 人中有 {changed} 人的值在各次釋出間不同；其中 {contradictory} 人沒有剩餘的可能值，"
        "{mistaken} 人只剩錯誤的值"
    ),
    "compose.why-none": "不成立的原因",
    "apply.suppressed": "{all} 筆資料列中抑制了 {n} 筆。",
    "apply.plan": "計畫檔",
    "apply.now": "本次",
    "apply.at-most": "抑制上限",
    "apply.too-many": "抑制的資料列超過計畫檔的上限 {limit}。",
    "apply.without-place": "不在資料階層中的值",
    "apply.not-placed": "因值不在資料階層中而抑制的資料列：{n} 筆。",
    "apply.swept": "因計畫檔的層級均不符合規則而抑制的資料列：{n} 筆。",
    "apply.failing": "因等價類不符合「{rule}」而抑制的資料列：{n} 筆。",
    "apply.missing": "資料表缺少計畫檔中的欄位：{columns}。",
    "diff.different": "無法比較，下列項目不同：{what}。",
    "diff.same": "規則、評估指標與資料表的各項資訊均未改變。",
    "write.state": "{verdict}：{value}（{asked}）",
    "diff.head.rule": "規則",
    "diff.head.measure": "評估指標",
    "diff.head.table": "資料表",
    "diff.head.old": "舊",
    "diff.head.new": "新",
    "diff.head.change": "變化",
    "diff.better": "變好",
    "diff.worse": "變差",
    "diff.changed": "已改變",
    "diff.new": "新增",
    "diff.new built-in rule": "新增的內建規則",
    "diff.new built-in rules": (
        "先前的檢查尚未判定下列新增的內建規則：{rules}。比較時不視為變差；是否符合，以檢查結果為準。"
    ),
    "diff.waived": "已豁免",
    "diff.other threshold": "閾值不同",
    "verify.matches": "相符",
    "verify.does-not-match": "不符",
    "init.more-columns": "另有 {n} 個欄位",
    "init.no-quasi-identifier": "沒有欄位看起來是準識別符：請在政策檔中指定，並加上規則。",
    "init.unread-dates": (
        "未視為日期：{columns}。無法得知何者為月份（例如 3/4/2024），請在來源檔改寫為 yyyy-mm-dd 後重新執行 init。"
    ),
    "init.one-record": "資料表只有 1 筆資料列：檔案或工作表是否正確？",
    "init.unit": "{column}可辨認個人：同一人的多筆資料列只計一次。",
    "regimes.regime": "標準或法規",
    "regimes.asks": "要求事項（依本工具的解讀）",
    "register.key": "識別鍵",
    "register.known": "準識別符",
    "register.sensitive": "敏感屬性",
    "register.digest": "SHA-256 雜湊值",
    "hierarchy.more": "另有 {n} 組",
    "cli.warning": "警告：{command}",
    "cli.declared": "請貼到政策檔的 hierarchies 之下：{line}",
    "cli.replaced": "{path} 先前已存在：已連同旁邊的檔案一併取代",
    "cli.two-levels": "下列欄位沒有資料階層，其值只能原樣保留或成為「*」：{columns}",
    "cli.two-levels.proposed": "；{column}可在 hierarchies 之下使用：{words}",
    "cli.verdict-withheld": "對外版不公開整體結果，因此結束代碼為 4，與資料內容無關；"
    "請在內部執行 --edition internal 以得知結果",
    "cli.do-not-release": "{path} 未通過：請勿交付",
    "cli.wrote": "已寫出 {path}",
    "cli.subsets-kept": "{all} 種組合中已完成 {n} 種，存於 {path}；可用 --resume 接續",
    "cli.of-the-frontier": "若要產生其中一種釋出資料，請將 --frontier 換成：{command}",
    "cli.for-insiders": "{path} 僅供內部使用：其中列出哪些資料列容易被辨識及其原因；請勿隨釋出資料一併提供",
    "cli.frontier-not-local": "此處的代價是就每欄單一層級而言；區域重新編碼的損失更小",
    "cli.stopped": "搜尋已中止；這是目前最佳的釋出資料",
    "cli.search-kept": "搜尋進度存於 {path}；可用 --resume 接續",
    "cli.not-explained": "說明的計算已中止；釋出資料已寫出，但不附說明",
    "cli.outside": "政策檔列有其資料夾以外的檔案：檢查時請加上 --root {path}",
    "cli.unit-dropped": "已依欄位 {column} 以人計數，並將該欄位移除",
    "cli.unit-kept": "依政策檔的要求，欄位 {column} 的值已換成編號；由編號可看出哪些資料列屬於同一人",
    "python.fails": "釋出資料不符合規則「{rule}」：{found}",
    "python.fails-limit": "釋出資料不符合規則「{rule}」：測得 {found}，要求 {required}",
    "python.not-judged": "引擎 {engine} 未將釋出資料載入記憶體，因此尚未檢視其欄位：請寫出檔案，並以政策檔檢查",
    "cli.in-order": "資料列順序與原始資料表相同{why}：知道原本順序（例如學號順序）的人可逐筆對照",
    "cli.in-order.asked": "（依您的要求）",
    "cli.in-order.database": "（即資料庫給出的順序）",
    "cli.in-order.engine": "（引擎 {engine} 無法打亂順序）",
    "cli.in-order.rule": "（{rules} 須逐筆比較）",
    "cli.in-order.large": "（資料表很大；打亂順序須將整份資料載入記憶體）",
    "cli.shuffled": "資料列順序已隨機打亂；隨機種子存於 {path}，該檔請勿對外提供",
    "cli.registered-already": "已登記過：{path}",
    "cli.registered-failing": "警告：這份釋出資料未通過檢查；登記內容已註明",
    "cli.none-registered": "{path} 中沒有登記任何釋出資料",
    "cli.page-opened": "此網址只能由您使用一次。按 Ctrl-C 結束網頁。",
    "cli.policy-written": "已寫出：{path}",
    "cli.look-then-check": "請確認其中的屬性型態，然後執行：{command}",
    "cli.if-it-fails": "若未通過，請執行：{command}",
    "cli.proposed": "建議（{why}）：{command}",
    "demo.table": (
        "1. 某醫院想分享一份 2,000 筆住院紀錄的資料表（純屬虛構）：含姓名、病歷號、出生日期與診斷碼。\n"
        "   可以直接提供嗎？若不行，該以什麼形式提供？"
    ),
    "demo.roles": (
        "2. 首先，每個欄位是什麼？`init` 檢視資料表並寫出政策檔：一份載明屬性型態與規則的文字檔。\n"
        "   推測都附有理由。處理自己的資料表時，請逐一確認；在此示範中不作修改。"
    ),
    "demo.raw": (
        "3. 原始資料表安全嗎？`check` 依政策檔判定。當然不通過：其中含有姓名。\n"
        "   即使移除姓名，仍可由出生日期與入院日期認出個人。"
    ),
    "demo.anonymize": (
        "4. 只要一個指令就能處理：找出符合規則且損失最小的層級，並打亂資料列的順序。\n"
        "   同時說明損失了什麼、為何無法更少，並附上證明。"
    ),
    "demo.released": "5. 任何持有政策檔的人，現在或一年後都能再檢查一次釋出資料。\n   結果通過；接收者拿到的資料如下：",
    "demo.report": (
        "6. 報告含英文與正體中文，供決策者與稽核人員閱讀；請用瀏覽器開啟。\n"
        "   從原始資料表到釋出資料，也可以全程用滑鼠操作；網頁只提供給您自己的瀏覽器："
    ),
    "demo.own": (
        "7. 接下來換您自己的資料表：CSV、Excel 或 Parquet 皆可；資料不會離開這台電腦。請從下面的指令之一開始。\n"
        "   它會在資料表旁寫出政策檔，並說明後續步驟。"
    ),
    "demo.more": "……其餘 {n} 行",
    "demo.your-table": "您的資料表",
    "progress.reading": "讀取 {what}",
    "progress.checking": "檢查 {what}",
    "progress.evaluating": "評估 {what}",
    "progress.attacking": "攻擊 {what}",
    "progress.recoding": "處理 {what}",
    "progress.explaining": "說明 {what}",
    "progress.measuring": "評估 {what}",
    "progress.writing": "寫出 {what}",
    "progress.records": "{what} 的每筆資料列",
    "progress.reasons": "找出每筆資料列的原因{what}",
    "progress.searching": "搜尋中",
    "progress.none-yet": "已試 {tried} 種，尚無符合規則者",
    "progress.best": "已試 {tried} 種，目前最小損失 {best}，不可能低於 {bound}（按 Ctrl-C 停止）",
    "progress.subsets": "準識別符組合",
    "progress.left": "剩餘",
}

# Errors and notices, by their English. What is in braces may stand in any order.
MESSAGES = {
    # charts and data frames
    "the check has no classes: no column is a quasi-identifier": "檢查結果沒有等價類：沒有任何欄位是準識別符",
    "there is nothing to draw: the policy does not ask for it with its key {key!r}": (
        "沒有可繪製的內容：政策檔沒有以鍵「{key}」要求"
    ),
    "expected a class size of 1 or more, got {given!r}": "等價類大小應為 1 以上，但收到「{given}」",
    "what each release adds is not known: there are too many releases": "無法得知各次釋出增加的風險：釋出次數過多",
    "pairs are drawn once subsets of one and of two attributes are counted, with sizes='1-2'": (
        "須先以 sizes='1-2' 計算一個與兩個屬性的組合，才能繪製成對圖"
    ),
    "there is nothing to draw: no levels keep the rules for any threshold or limit": (
        "沒有可繪製的內容：任何閾值或上限下，都沒有符合規則的層級"
    ),
    "the curve is not part of this edition": "此版本不含這條曲線",
    "expected the name of an attack, got {given}": "應為攻擊名稱，但收到 {given}",
    "attack": "攻擊",
    "there are no equivalence classes to draw: no record is in one": "沒有可繪製的等價類：沒有任何資料列屬於等價類",
    "a chart is written to an .svg file, got {file!r}; for other formats, use backend='matplotlib'": (
        "圖表只能寫入 .svg 檔，但收到「{file}」；其他格式請使用 backend='matplotlib'"
    ),
    "backend": "繪圖後端",
    "a {result} of this kind has no chart": "這類 {result} 沒有圖表",
    "no chart of a {result} is called {kind}; it has {kinds}": "{result} 沒有名為{kind}的圖表；可用的有{kinds}",
    "no option of the chart {kind!r} is called {option}; known: {known}": (
        "圖表「{kind}」沒有名為{option}的選項；可用的有{known}"
    ),
    "none": "無",
    "{function} needs the package {package}: pip install {package}": (
        "{function} 需要套件 {package}：pip install {package}"
    ),
    # parts of all errors
    ", ": "、",
    "no {kind} is called {name}; known: {known}": "沒有名為{name}的{kind}；可用的有：{known}",
    "cannot use {path!r}: {reason}": "無法使用「{path}」：{reason}",
    "{name!r}": "「{name}」",
    "no {kind} is called {name}; did you mean {near!r}?": "沒有名為{name}的{kind}；您要的是「{near}」嗎？",
    "cannot write the result: {reason}": "無法寫入結果：{reason}",
    "{place}: ": "{place}：",
    "and {n} more": "其餘 {n} 項",
    " ({hint})": "（{hint}）",
    "the system rejected it": "系統拒絕此操作",
    "Permission denied": "沒有權限",
    "No such file or directory": "沒有此檔案或目錄",
    "File exists": "檔案已存在",
    "No space left on device": "裝置空間不足",
    "File name too long": "檔名過長",
    "Is a directory": "這是目錄",
    "Not a directory": "這不是目錄",
    "Too many levels of symbolic links": "符號連結層數過多",
    "Read-only file system": "檔案系統為唯讀",
    "Too many open files": "開啟的檔案過多",
    "Input/output error": "輸入輸出錯誤",
    "File too large": "檔案過大",
    "Invalid argument": "引數無效",
    "Operation not permitted": "不允許此操作",
    "Device or resource busy": "裝置或資源忙碌中",
    "Disk quota exceeded": "超過磁碟配額",
    "No such device or address": "沒有此裝置或位址",
    "Broken pipe": "管線已中斷",
    "Directory not empty": "目錄不是空的",
    "Cannot allocate memory": "無法配置記憶體",
    "Stale file handle": "檔案控制代碼已失效",
    "Connection refused": "連線遭拒",
    "Connection timed out": "連線逾時",
    "Resource temporarily unavailable": "資源暫時無法使用",
    "Text file busy": "檔案正在執行中",
    "Invalid cross-device link": "無法跨裝置連結",
    # what users say about a table
    "ICD-10 codes such as I21.4": "ICD-10 代碼，例如 I21.4",
    "icd10: expected 'category', 'chapter' or both in this order, got {given}": (
        "icd10：應為「category」、「chapter」或兩者依此順序，但收到{given}"
    ),
    "dates such as 2024-03-01, 2024/3/1, 01.03.2024, 20240301, 113/03/01 or 1130301": (
        "日期，例如 2024-03-01、2024/3/1、01.03.2024、20240301、113/03/01 或 1130301"
    ),
    "dates: expected some of {labels}, got nothing": "dates：應至少列出{labels}之一，但未列出任何期間",
    "dates: expected periods from the shortest to the longest, got {given}": "dates：期間應由短到長排列，但收到{given}",
    "dates: a week can be in two months, quarters and years, so that the levels would not nest; end with 'week'": (
        "dates：一週可能跨兩個月、兩季或兩年，層級無法層層包含；請以「week」作為最後一項"
    ),
    "calendar: expected one of {calendars}, got {given}": "calendar：應為{calendars}之一，但收到{given}",
    "dates: {problem}": "dates：{problem}",
    "period": "期間",
    "expected hierarchies as a folder or as a dict by column, got {type}": (
        "資料階層應為資料夾，或以欄位為鍵的 dict，但收到 {type}"
    ),
    "hierarchy of {column!r}": "「{column}」的資料階層",
    "{name}: expected a file, rows of levels or a declaration, got {type}": (
        "{name}：應為檔案、各層級的資料或宣告，但收到 {type}"
    ),
    "expected one of the keys {keys}": "應有下列其中一個鍵：{keys}",
    "{strange} cannot be combined with {kind!r}": "{strange}不能與「{kind}」併用",
    "{strange} of {values} values have no place; expected {expects}": (
        "{values} 個值中有 {strange} 個沒有對應的位置；應為{expects}"
    ),
    "{name}: {problem}": "{name}：{problem}",
    "{number} of {values} values are generalised already, and the values that they stand for are not known; "
    "give the table before it was generalised": (
        "{values} 個值中有 {number} 個已經概化，無法得知其原本的值；請提供概化前的資料表"
    ),
    "hierarchies for columns that are not in the data: {strange}": (
        "資料中沒有下列欄位，卻為其指定了資料階層：{strange}"
    ),
    "the levels do not nest: a label of level {level} has two labels on level {next_level}": (
        "層級無法層層包含：第 {level} 層的同一個標籤在第 {next_level} 層有兩個標籤"
    ),
    "kind of hierarchy": "資料階層種類",
    "the hierarchy folder {folder!r} has no file '...hierarchy_<column>.csv' for any column of the data": (
        "資料階層資料夾「{folder}」中，沒有任何資料欄位的檔案「...hierarchy_<column>.csv」"
    ),
    "column {column!r}: {strange} of {values} {misfit} its hierarchy ({hierarchy})": (
        "欄位「{column}」：{values} 個值中有 {strange} 個不合其資料階層（{hierarchy}）：{misfit}"
    ),
    "{file}, line {line}: contains a NUL byte": "{file} 第 {line} 行：含有 NUL 位元組",
    "{file}: the levels are separated by ','; expected ';'": "{file}：層級以「,」分隔；應使用「;」",
    "{name}: the file is empty": "{name}：檔案是空的",
    "the hierarchy folder {folder!r} does not exist": "資料階層資料夾「{folder}」不存在",
    "cannot read the hierarchy folder {folder!r}: {reason}": "無法讀取資料階層資料夾「{folder}」：{reason}",
    "several hierarchies for column {column!r}: {named}": "欄位「{column}」有多個資料階層檔：{named}",
    "{file}: a cell is longer than 128 KiB, or a quote is not closed": "{file}：有儲存格超過 128 KiB，或引號未成對",
    "{name}: row {number} is not a list of strings, leaf first": (
        "{name}：第 {number} 列不是由字串組成、以葉節點為首的清單"
    ),
    "{name}, line {line}: {found} levels; at most {most} are allowed": (
        "{name} 第 {line} 行：有 {found} 個層級；最多 {most} 個"
    ),
    "{name}, line {line}: {found} levels, but the lines above have {expected}": (
        "{name} 第 {line} 行：有 {found} 個層級，但前面各行有 {expected} 個"
    ),
    "{name}, line {line}: level {level} is empty": "{name} 第 {line} 行：第 {level} 層是空的",
    "{name}, line {line}: the leaf of line {known_line} again, with a different parent": (
        "{name} 第 {line} 行：與第 {known_line} 行的葉節點重複，但上層不同"
    ),
    "released values are not on any level of": "釋出的值不在任何層級上",
    "numbers": "數字",
    "bottom: {bottom} is not below top, which is {top}": "bottom：{bottom} 未小於 top 的 {top}",
    "width: expected numbers above 0, got {given}": "width：應為大於 0 的數字，但收到{given}",
    "quantiles: expected numbers of parts from 2 to 1,000, got {given}": (
        "quantiles：分成的份數應為 2 到 1,000，但收到{given}"
    ),
    "cuts: expected ascending numbers, got {given}": "cuts：應為由小到大的數字，但收到{given}",
    "cuts: the levels would not nest: each needs some, but not all, of the cuts of the level below": (
        "cuts：層級無法層層包含：每一層的切點應取自下一層，且不得全部取用"
    ),
    "column {column!r} mixes levels {levels} of its hierarchy; one level per column is needed": (
        "欄位「{column}」混用其資料階層的第 {levels} 層；每個欄位只能有一個層級"
    ),
    "column {column!r} has no hierarchy, and some but not all of its cells are suppressed": (
        "欄位「{column}」沒有資料階層，且只有部分儲存格遭抑制"
    ),
    "column {column!r} mixes '*' with the top value of its hierarchy ({hierarchy})": (
        "欄位「{column}」混用「*」與其資料階層（{hierarchy}）的最頂層值"
    ),
    "the population table": "母體資料表",
    "{table}: the population lacks the quasi-identifiers {lacking}": "{table}：母體資料缺少準識別符{lacking}",
    "a share of {share} would mean a larger population than there are people": (
        "比例 {share} 所推算的母體人數超過全球人口"
    ),
    "a population of {size} is smaller than the release, {records} records": (
        "母體 {size} 人，少於釋出資料的 {records} 筆資料列"
    ),
    "expected the population as a table, a number of people (a whole number) or the share of them in the "
    "release (above 0, at most 1), got {given}": (
        "母體應為資料表、人數（整數），或釋出資料占母體的比例（大於 0、至多 1），但收到 {given}"
    ),
    "a larger number than there are people": "超過全球人口的數字",
    "expected roles as a dict from column to role, got {type}": "屬性型態應為以欄位為鍵的 dict，但收到 {type}",
    "roles name columns that are not in the data: {strange}; it has {columns}": (
        "屬性型態指定了資料中沒有的欄位：{strange}；資料的欄位：{columns}"
    ),
    "original and release have different columns; the original has {columns}": (
        "原始資料表與釋出資料的欄位不同；原始資料表的欄位：{columns}"
    ),
    "original and release have different columns; the release has {columns}": (
        "原始資料表與釋出資料的欄位不同；釋出資料的欄位：{columns}"
    ),
    "original and release have different columns: ": "原始資料表與釋出資料的欄位不同：",
    "the privacy unit {column!r} is not in the data; it has {columns}": (
        "資料中沒有隱私單位「{column}」；資料的欄位：{columns}"
    ),
    "the privacy unit {column!r} identifies the person, so it cannot also have the role {role!r}": (
        "隱私單位「{column}」用於識別個人，不能同時具有屬性型態「{role}」"
    ),
    "the table has no column {column!r}; it has {columns}": "資料表沒有欄位「{column}」；資料表的欄位：{columns}",
    "column {column!r} has two roles": "欄位「{column}」有兩種屬性型態",
    "{columns} only in the release": "{columns}僅釋出資料有",
    "{columns} only in the original; give removed columns the role {role!r}": (
        "{columns}僅原始資料表有；請將已移除的欄位設為屬性型態「{role}」"
    ),
    "column": "欄位",
    "; ": "；",
    "role": "屬性型態",
    "values of the original, or labels": "原始資料的值，或標籤",
    "{key}: expected numbers, got {given}": "{key}：應為數字，但收到{given}",
    "{key}: expected one number, got {given}": "{key}：應為一個數字，但收到{given}",
    "{key}: expected whole numbers from 1, got {given}": "{key}：應為 1 以上的整數，但收到{given}",
    "{key}: {found} levels; at most {most} can be declared": "{key}：有 {found} 個層級；最多可宣告 {most} 個",
    "a mapping": "鍵值對照",
    "nothing": "空白",
    "{key}: the numbers are not {order}: {after} follows {before}": "{key}：數字未{order}排列：{before} 之後是 {after}",
    "{key}: {larger} is not a multiple of {smaller}, so that the levels would not nest": (
        "{key}：{larger} 不是 {smaller} 的倍數，層級無法層層包含"
    ),
    "ascending": "由小到大",
    "descending": "由大到小",
    "the column {column} has two roles": "欄位{column}有兩種屬性型態",
    "expected the name of a column": "應為欄位名稱",
    "expected a mapping with the keys {keys}": "應為含有下列鍵的鍵值對照：{keys}",
    "{name}: expected a mapping under {key!r}": "{name}：「{key}」之下應為鍵值對照",
    "{name}: expected a list of column names under {key!r}": "{name}：「{key}」之下應為欄位名稱清單",
    "{file}: {key!r} is outside the file's own folder; pass the hierarchies explicitly": (
        "{file}：「{key}」在此檔案所在的資料夾之外；請明確指定資料階層"
    ),
    "expected a list of column names": "應為欄位名稱清單",
    "expected one of {options}": "應為{options}之一",
    "{file}: expected the name of a folder under {key!r}": "{file}：「{key}」應為資料夾名稱",
    "{file}: column {column!r} has two roles": "{file}：欄位「{column}」有兩種屬性型態",
    "key": "鍵",
    "{name} is {usual!r} or {other!r}, got {given!r}": "{name} 應為「{usual}」或「{other}」，但收到「{given}」",
    "values that the declaration lists": "宣告中列出的值",
    "order: the key 'sizes' is missing: how many neighbours make a group on each level": (
        "order：缺少鍵「sizes」：每一層由幾個相鄰的值組成一組"
    ),
    "groups: expected a mapping from a group to its values, got {given}": (
        "groups：應為由組別對應到值的鍵值對照，但收到{given}"
    ),
    "groups: more than {most} levels": "groups：超過 {most} 個層級",
    "{key}: expected a list of values": "{key}：應為值的清單",
    "{key}: expected a list of values, none of them empty or '*'": "{key}：應為值的清單，且不得含空白或「*」",
    "{key}: a value is listed twice": "{key}：有值重複列出",
    "rare: expected the key 'fewer_than', and perhaps 'label'": "rare：應有鍵「fewer_than」，另可有「label」",
    "rare: the label is empty or '*'": "rare：標籤是空白或「*」",
    "groups: a value is in two groups": "groups：有值同時屬於兩組",
    "groups: a group has no name, or is called '*'": "groups：有組別沒有名稱，或名稱為「*」",
    # the anonymiser
    "loosen, waive or leave out a rule, or allow more suppression": "請放寬、豁免或移除規則，或提高抑制上限",
    "no levels keep the rules with at most {most} suppressed records: {reason}; {remedy}": (
        "最多抑制 {most} 筆資料列時，沒有任何層級組合符合規則：{reason}；{remedy}"
    ),
    "method": "方法",
    "local recoding takes every objective but {objective}": "區域重新編碼可使用「{objective}」以外的所有目標函數",
    "expected a number of seconds above 0, got {seconds!r}": "秒數應大於 0，但收到 {seconds!r}",
    "each of the rules can be kept, but not all of them together": "每條規則都能個別符合，但無法同時符合",
    "loosen, waive or leave out a rule": "請放寬、豁免或移除規則",
    "for local recoding": "區域重新編碼時",
    "{rule} fails even on the lowest level of every column": "即使每個欄位都在最低層級，{rule} 仍未通過",
    "{rule} fails on all levels that are allowed": "在所有允許的層級，{rule} 皆未通過",
    "allow more levels of {columns}, if that helps; or {others}": (
        "可先試著放寬{columns}的層級範圍；若仍不行，{others}"
    ),
    "{rule} fails even on the highest level of every column": "即使每個欄位都在最高層級，{rule} 仍未通過",
    "{rule} is kept only where nothing is left: every quasi-identifier is *": (
        "唯有準識別符全部成為 *、沒有任何內容留存時，才符合 {rule}"
    ),
    "{fails}: {records:,} of {all:,} records are in classes that fail": (
        "{fails}：{all:,} 筆資料列中有 {records:,} 筆屬於不合格的等價類"
    ),
    "there are too many distinct rows to compare the release with the original values": (
        "相異的資料列過多，無法將釋出資料與原始值比較"
    ),
    "for a frontier": "計算代價曲線時",
    "a frontier of {thresholds} thresholds on {nodes:,} nodes needs too much memory; vary less, or give "
    "bounds on levels": (
        "在 {nodes:,} 個節點上計算 {thresholds} 個閾值的代價曲線所需記憶體過多；請減少閾值數，或限制層級"
    ),
    "all of the {records} records are suppressed already; nothing is left to generalise": (
        "全部 {records} 筆資料列都已遭抑制，沒有可概化的內容"
    ),
    "values of the table are not leaves of": "資料表的值不是葉節點",
    "column {column!r}: the levels of its hierarchy ({hierarchy}) do not nest: values that are equal on "
    "level {level} are not on level {next_level}": (
        "欄位「{column}」：其資料階層（{hierarchy}）的層級無法層層包含：在第 {level} 層相同的值，在第 {next_level} 層卻"
        "不同"
    ),
    "column {column!r} has the levels 0 to {height}; expected one of them, or the lowest and the highest as "
    "1-2, [1, 2] or {{at_least: 1, at_most: 2}}, got {given!r}": (
        "欄位「{column}」的層級為 0 到 {height}；應為其中之一，或以 1-2、[1, 2] 或 {{at_least: 1, at_most: 2}} 表示最低"
        "與最高層級，但收到 {given!r}"
    ),
    "the lattice has {nodes:,} nodes, at most {most:,} can be searched {purpose}; give fewer "
    "quasi-identifiers, hierarchies with fewer levels, or bounds on levels, such as {column!r}: at least "
    "{level}": (
        "層級組合共有 {nodes:,} 種，{purpose}最多可搜尋 {most:,} 種；請減少準識別符、使用層級較少的資料階層，或限制層"
        "級，例如「{column}」至少 {level}"
    ),
    "quasi-identifier": "準識別符",
    "bound of the levels of {column!r}": "「{column}」的層級界限",
    "objective": "目標函數",
    "only granularity takes an aggregate; the objective is {objective}": (
        "只有 granularity 可指定彙總方式；目前的目標函數為 {objective}"
    ),
    "aggregate": "彙總方式",
    "order": "順序",
    "suppressed records: {records}; each may be anybody of the original. Leave them out, or let them stand aside "
    "(suppressed: apart)": (
        "有 {records} 筆遭抑制的資料列，每筆都可能是原始資料表中的任何人；請移除這些資料列，或另計（suppressed: apart）"
    ),
    "suppressed records": "遭抑制的資料列",
    "weights are for {weighted}; the objective is {objective}": "權重僅適用於{weighted}；目前的目標函數為 {objective}",
    "expected weights that are numbers, 0 to {largest:,}": "權重應為 0 到 {largest:,} 的數字",
    "{rule}: a function of your own cannot be part of a plan": "{rule}：自訂函式不能納入計畫檔",
    "quasi-identifiers without a hierarchy cannot be generalised: {columns}": (
        "沒有資料階層的準識別符無法概化：{columns}"
    ),
    "every one of the {records:,} records is suppressed; nothing is left": (
        "全部 {records:,} 筆資料列皆遭抑制，沒有任何內容留存"
    ),
    "{rules} limits what is lost; with the engine {engine!r} that is not measured once suppressed records left the "
    "table: use the engine 'memory', or keep them (suppressed_records: stars)": (
        "{rules} 限制資訊損失；使用引擎「{engine}」時，遭抑制的資料列移除後便無法評估：請使用引擎 memory，"
        "或保留這些資料列（suppressed_records: stars）"
    ),
    "expected suppressed_records {options}, got {given!r}": "suppressed_records 應為 {options}，但收到「{given}」",
    "expected removed as ascending places of records, from 0 on": "removed 應為遞增的資料列位置，自 0 起",
    "suppressed records left the table, and what is lost by that is measured only where records have an order": (
        "遭抑制的資料列已自資料表移除，只有資料列具有順序時才能評估其損失"
    ),
    "expected suppression as a share of the records, 0 to 1 (5 % is 0.05), got {suppression!r}": (
        "抑制上限應為占資料列的比例，0 到 1（5% 請寫成 0.05），但收到「{suppression}」"
    ),
    "expected a level of column {column!r}, or the lowest and the highest as 1-2, [1, 2] or "
    "{{at_least: 1, at_most: 2}}, got {given!r}": (
        "欄位「{column}」的層級應為一個數字，或最低與最高層級，如 1-2、[1, 2] 或 {{at_least: 1, at_most: 2}}，"
        "但收到「{given}」"
    ),
    "expected {thing} as a dict from column, got {type}": "{thing} 應為以欄位為鍵的 dict，但收到 {type}",
    "for {objective}": "以 {objective} 為目標函數時",
    "column {column!r} is a sensitive attribute; only quasi-identifiers are generalised": (
        "欄位「{column}」是敏感屬性；只有準識別符會被概化"
    ),
    "column {column!r} is no quasi-identifier; only quasi-identifiers are generalised": (
        "欄位「{column}」不是準識別符；只有準識別符會被概化"
    ),
    "a sensitive attribute": "敏感屬性",
    "the table has changed since its values were counted; it must not while it is read": (
        "資料表在計數之後已變更；讀取期間不得變更"
    ),
    "each of the {records:,} records that are not suppressed has a value without a place in the hierarchies "
    "of the plan; this is another table, or its values are written in another way": (
        "未遭抑制的 {records:,} 筆資料列，每一筆都有值在計畫檔的資料階層中沒有位置；這是另一份資料表，或值的寫法不同"
    ),
    "no rule is given; name at least one, such as {{'k-anonymity': {{'k': 5}}}}": (
        "未指定規則；請至少指定一條，例如 {{'k-anonymity': {{'k': 5}}}}"
    ),
    "utility-bias hands whole tables to a function, which the engine {engine!r} does not have in memory; use "
    "the engine 'memory'": (
        "utility-bias 會將整份資料表交給函式，但引擎「{engine}」不會將資料表載入記憶體；請使用引擎「memory」"
    ),
    "expected rules as a dict from measure to parameters, got {type}": (
        "規則應為由評估指標對應到參數的 dict，但收到 {type}"
    ),
    "{metric} has no threshold here, so there is nothing to judge": "{metric} 在此沒有閾值，無從判定",
    "expected for each rule the name of a measure and a dict of its parameters": (
        "每條規則應有評估指標的名稱與其參數的 dict"
    ),
    "part of subsets": "subsets 的項目",
    "{number:,} distinct rows": "{number:,} 種相異的資料列",
    "the table has {rows}, and the memory limit allows {most:,}; bound the levels of columns with many "
    "values from below, such as age=1-3, or allow more memory": (
        "資料表有{rows}，記憶體上限只容許 {most:,} 種；請為相異值多的欄位設定層級下限，例如 age=1-3，或提高記憶體上限"
    ),
    "people are counted by {privacy_unit!r}, but the engine {engine!r} hands distinct rows to the search, "
    "which do not say whose they are; use the engine 'memory'": (
        "人數依「{privacy_unit}」計算，但引擎「{engine}」只將相異的資料列交給搜尋，無法得知屬於何人；請使用引擎「memory"
        "」"
    ),
    "{number:,} distinct rows on the lowest levels that are allowed": (
        "在允許的最低層級上仍有 {number:,} 種相異的資料列"
    ),
    "{file}: the file of another search: it had other {other}; give the same table and options, or remove "
    "the file to start over": (
        "{file}：這是另一次搜尋的檔案，其{other}不同；請使用相同的資料表與選項，或移除此檔案重新開始"
    ),
    "{rule}: a search with a function of your own cannot be resumed": "{rule}：含自訂函式的搜尋無法接續",
    "{file}: not the file of an unfinished search, or damaged; remove it to start over": (
        "{file}：不是未完成搜尋的檔案，或已損毀；請移除後重新開始"
    ),
    "expected suppression as shares of the records, 0 to 1, got {limits!r}": (
        "抑制上限應為占資料列的比例，0 到 1，但收到 {limits!r}"
    ),
    "a frontier has at most {most} points, got {thresholds} thresholds and {limits} limits": (
        "代價曲線最多 {most} 個點，但有 {thresholds} 個閾值與 {limits} 個上限"
    ),
    "expected a list of numbers for {thing}, got {values!r}": "{thing} 應為數字清單，但收到「{values}」",
    "{number} rules are about {metric}; its threshold can be changed if exactly one is: {known}": (
        "有 {number} 條規則與 {metric} 有關；恰有一條時才能更改其閾值：{known}"
    ),
    "{metric} has the thresholds {limits}, not {parameter!r}": "{metric} 的閾值為{limits}，沒有「{parameter}」",
    "the rule about {metric} does not set {parameter}; only what it sets can be varied": (
        "{metric} 的規則未設定 {parameter}；只有已設定的閾值才能變動"
    ),
    "no rule is about {metric}; its threshold can be changed if exactly one is: {known}": (
        "沒有規則與 {metric} 有關；恰有一條時才能更改其閾值：{known}"
    ),
    "column {column!r} has the levels 0 to {height}, got {level!r}": (
        "欄位「{column}」的層級為 0 到 {height}，但收到 {level!r}"
    ),
    "name rules, such as {{'k-anonymity': {{'k': 5}}}}, or a class size as below": (
        "請指定規則，例如 {{'k-anonymity': {{'k': 5}}}}，或以 below 指定等價類大小"
    ),
    "expected subsets such as {{'sizes': '1-3', 'limits': {{'uniques': 0}}}}": (
        "subsets 應類似 {{'sizes': '1-3', 'limits': {{'uniques': 0}}}}"
    ),
    "expected vary such as {{'k-anonymity': {{'k': [2, 5, 10]}}}}": (
        "vary 應類似 {{'k-anonymity': {{'k': [2, 5, 10]}}}}"
    ),
    "expected one rule and one of its thresholds to vary, such as {{'k-anonymity': {{'k': [2, 5, 10]}}}}": (
        "應指定一條規則及其一個要變動的閾值，例如 {{'k-anonymity': {{'k': [2, 5, 10]}}}}"
    ),
    "'table'": "資料表",
    "'population'": "母體",
    "'hierarchies'": "資料階層",
    "'rules'": "規則",
    "'suppression limit'": "抑制上限",
    "'objective'": "目標函數",
    "'levels'": "層級",
    "'treatment'": "計算方式",
    # the command
    "only one result can be printed: give '-' once, without --format json": (
        "只能輸出一項結果：「-」只能用一次，且不能與 --format json 併用"
    ),
    "--vary is for --frontier": "--vary 須與 --frontier 併用",
    "-o names the file of the release; only --frontier without a report does without it": (
        "請以 -o 指定釋出資料的檔案；只有使用 --frontier 且不產生報告時才可省略"
    ),
    "--{option} is for a release, and -o names none; a frontier is always complete": (
        "--{option} 用於釋出資料，但未以 -o 指定檔案；代價曲線一律完整計算"
    ),
    "{file!r} is the file for a search that is stopped; give the report another name": (
        "「{file}」是中止搜尋時使用的檔案；請為報告另取名稱"
    ),
    "--resume needs the file of a search that was stopped, and there is no {path!r}": (
        "--resume 需要先前中止之搜尋的檔案，但沒有「{path}」"
    ),
    "{path!r} is the file of a search that was stopped: go on with it by --resume, or remove it to start over": (
        "「{path}」是先前中止之搜尋的檔案：請以 --resume 接續，或移除後重新開始"
    ),
    "--time expects a time such as 90, 10m or 2h, got {given!r}": (
        "--time 應為時間，例如 90、10m 或 2h，但收到「{given}」"
    ),
    "--suppression expects a share of the records, 0 to 1 (5 % is 0.05), got {given!r}": (
        "--suppression 應為占資料列的比例，0 到 1（5% 請寫成 0.05），但收到「{given}」"
    ),
    "{option} expects {expected}; got {given!r}": "{option} 應為 {expected}，但收到「{given}」",
    "{option} gives the column {column!r} twice; once is enough": "{option} 重複指定欄位「{column}」；指定一次即可",
    "COLUMN=N, with levels from 0 on": "COLUMN=N，層級由 0 起算",
    "COLUMN=NUMBER": "COLUMN=NUMBER",
    "COLUMN=N or COLUMN=N-M, with levels from 0 on": "COLUMN=N 或 COLUMN=N-M，層級由 0 起算",
    "-o names the file of the release, such as -o released.csv": "請以 -o 指定釋出資料的檔案，例如 -o released.csv",
    "--strict is for --plan": "--strict 須與 --plan 併用",
    "--{option} cannot be combined with --plan; the plan says it": "--{option} 不能與 --plan 併用；計畫檔中已有規定",
    "with --plan, name the table itself; the plan has what a policy says": (
        "使用 --plan 時，請直接指定資料表；計畫檔已包含政策檔的內容"
    ),
    "--plan needs the engine 'memory', got {engine!r}": "--plan 需要引擎「memory」，但收到「{engine}」",
    "name a table, or a policy that names one with --policy": "請指定資料表，或以 --policy 指定含有資料表的政策檔",
    "--population expects a file, a number of people or a share of them, got {given!r}": (
        "--population 應為檔案、人數或比例，但收到「{given}」"
    ),
    "--measure {metric}: parameters": "--measure {metric}：參數",
    "column names": "欄位名稱",
    "an option names no column; omit it, or name one": "有選項未指定欄位；請省略該選項，或指定欄位",
    "{items} are separated by commas, those that contain a comma in double quotes; got {given!r}": (
        "{items}以逗號分隔，含有逗號者須加雙引號；收到「{given}」"
    ),
    "--measure {metric}: expected parameter=value, got {given!r}": (
        "--measure {metric}：應為「參數=值」，但收到「{given}」"
    ),
    "--measure {metric}: {parameter!r} is given twice": "--measure {metric}：「{parameter}」重複指定",
    "--limit expects NAME=VALUE, each name once; got {given!r}": (
        "--limit 應為 NAME=VALUE，每個名稱只能用一次；收到「{given}」"
    ),
    "--worth expects COLUMN:VALUE=NUMBER,VALUE=NUMBER, each column and each value once": (
        "--worth 應為 COLUMN:VALUE=NUMBER,VALUE=NUMBER，每個欄位與每個值只能出現一次"
    ),
    "values": "值",
    "--worth: values are separated by commas, those that contain a comma in double quotes with their number": (
        "--worth：值以逗號分隔，含有逗號者須連同其數字加雙引號"
    ),
    "column {column!r} has two roles: {other!r} and {role!r}": (
        "欄位「{column}」有兩種屬性型態：「{other}」與「{role}」"
    ),
    "--worth needs a sensitive attribute": "--worth 需要敏感屬性",
    "--per-record and --output name the same file": "--per-record 與 --output 指定了同一個檔案",
    "--limit and --resume need --subsets": "--limit 與 --resume 須與 --subsets 併用",
    "--output writes {files}, got {output!r}": "--output 可寫出 {files}，但收到「{output}」",
    "--resume needs the --output of the run that was interrupted": "--resume 需要先前中斷之執行的 --output",
    "finished subsets would be written to {unfinished!r}, which is an input of this run": (
        "已完成的組合會寫入「{unfinished}」，但它是本次執行的輸入"
    ),
    ".json or text": ".json 或文字檔",
    ".csv, .parquet, .json or text": ".csv、.parquet、.json 或文字檔",
    "--subset-limit needs --subsets": "--subset-limit 須與 --subsets 併用",
    "name at least two releases, the oldest first: petworks compose 2022.csv 2023.csv --key ID": (
        "請至少指定兩份釋出資料，由舊到新：petworks compose 2022.csv 2023.csv --key ID"
    ),
    "--vary expects MEASURE:parameter=VALUE,... or suppression=SHARE,..., each once; got {given!r}": (
        "--vary 應為 MEASURE:parameter=VALUE,... 或 suppression=SHARE,...，各只能用一次；收到「{given}」"
    ),
    "--threshold expects MEASURE:parameter=VALUE, got {given!r}": (
        "--threshold 應為 MEASURE:parameter=VALUE，但收到「{given}」"
    ),
    "--threshold gives {metric}:{parameter} twice; each threshold has one value": (
        "--threshold 重複指定 {metric}:{parameter}；每個閾值只有一個值"
    ),
    "give --policy or the kind of the hierarchy, not both": "--policy 與資料階層種類請擇一指定",
    "{file}: the policy declares no hierarchy for {column!r}": "{file}：政策檔未宣告「{column}」的資料階層",
    "--group expects NAME=A,B, got {given!r}": "--group 應為 NAME=A,B，但收到「{given}」",
    "the table": "資料表",
    "{name}: values are generalised already; name the original table, or a kind": (
        "{name}：值已經概化；請指定原始資料表，或指定種類"
    ),
    "--group names a group twice": "--group 的組別名稱重複",
    "--group: values": "--group：值",
    "--below is for {option}": "--below 須與 {option} 併用",
    "--below expects a number of records, 2 or more, got {given!r}": "--below 應為資料列數，至少 2，但收到「{given}」",
    "{option} writes .csv or .parquet, got {file!r}": "{option} 可寫出 .csv 或 .parquet，但收到「{file}」",
    "{option} needs the engine 'memory'; {engine!r} keeps counts, not records": (
        "{option} 需要引擎「memory」；「{engine}」只保留計數，不保留資料列"
    ),
    "not enough memory, or too many processes: the system starts no further thread": (
        "記憶體不足，或處理程序過多：系統無法再啟動執行緒"
    ),
    "not enough memory": "記憶體不足",
    "interrupted": "已中斷",
    "cannot write {path!r}: it already exists; name another file with --output, or delete it: what you wrote there is "
    "lost then": "無法寫入「{path}」：檔案已存在；請以 --output 指定其他檔案，或先刪除它（您寫在裡面的內容會消失）",
    "only one result can be printed: give '-' once, and one edition": (
        "只能輸出一項結果：「-」只能用一次，且只能有一種版本"
    ),
    "--reasons is for insiders; ask for it without --edition external": (
        "--reasons 僅供內部使用；請勿與 --edition external 併用"
    ),
    "two results would be written to the same file": "兩項結果會寫入同一個檔案",
    "cannot write to {folder!r}: it is not a folder": "無法寫入「{folder}」：不是資料夾",
    "cannot create {folder!r}: {reason}": "無法建立「{folder}」：{reason}",
    "name a rule with --measure, such as --measure k-anonymity:k=5; or name a policy (petworks init writes one)": (
        "請以 --measure 指定規則，例如 --measure k-anonymity:k=5；或指定政策檔（可用 petworks init 產生）"
    ),
    "a rule compares with the original, which is on a server: allow that with --network": (
        "有規則需與原始資料表比較，而原始資料表在伺服器上：請以 --network 允許連線"
    ),
    "--reasons are told record by record, which needs --engine memory": "--reasons 逐筆說明原因，需要 --engine memory",
    "a random order needs all records in memory; the engine {engine!r} writes them piece by piece: keep the order, or "
    "use the engine 'memory'": (
        "隨機順序需要將所有資料列載入記憶體；引擎「{engine}」是分段寫出：請保留原本的順序，或使用引擎「memory」"
    ),
    "columns without a role: {without}; name them with --identifier (they are left out), --insensitive (they "
    "stay as they are), --qi or --sensitive": (
        "下列欄位未指定屬性型態：{without}；請以 --identifier（不釋出）、--insensitive（保持原樣）、--qi 或 "
        "--sensitive 指定"
    ),
    "petworks anonymize POLICY -o RELEASED.csv writes RELEASED_plan.json": (
        "petworks anonymize POLICY -o RELEASED.csv 會寫出 RELEASED_plan.json"
    ),
    "--identifier: they are left out; --insensitive: they stay as they are": (
        "--identifier：不釋出；--insensitive：保持原樣"
    ),
    "a seed is for records in random order, and these keep theirs": "隨機種子用於隨機順序，但這些資料列保留原本的順序",
    "expected a seed that is a whole number, got {seed!r}": "隨機種子應為整數，但收到「{seed}」",
    "people are given for records in memory, one for each of the {records:,} records": (
        "須為記憶體中的 {records:,} 筆資料列逐筆指定所屬的人"
    ),
    "records in random order need a file; save the table as a CSV or Parquet file first, or keep the order": (
        "要隨機打亂資料列，資料表須為檔案；請先存成 CSV 或 Parquet 檔，或保留原本的順序"
    ),
    "--seed is for records in random order, so it cannot be combined with --keep-order": (
        "--seed 用於隨機順序，不能與 --keep-order 併用"
    ),
    "the records cannot be shuffled: {rules} compares them one by one with the original; keep the order, or leave out "
    "the rule": "無法打亂資料列的順序：規則 {rules} 須與原始資料逐筆比較；請保留原本的順序，或移除該規則",
    "columns without a role: {without}; give each of them one: identifier (it is left out), insensitive_attribute (it "
    "stays as it is), quasi_identifier or sensitive_attribute": (
        "下列欄位未指定屬性型態：{without}；請逐一指定：identifier（不釋出）、insensitive_attribute（保持原樣）、"
        "quasi_identifier 或 sensitive_attribute"
    ),
    "expected the order {orders}, got {order!r}": "順序應為 {orders} 之一，卻是「{order}」",
    "{release}: the key {key!r} is in the original, but the records of the release are in another order; give the "
    "release the key as a column, or the seed of that order, in memory": (
        "{release}：識別鍵「{key}」在原始資料表中，但釋出資料的資料列順序已改變；請在釋出資料中加入該鍵的欄位，"
        "或提供該順序的隨機種子（須在記憶體中計算）"
    ),
    "--seed expects a whole number, got {given!r}": "--seed 應為整數，但收到「{given}」",
    "--{option} is for a table; the policy says it": "--{option} 用於資料表；政策檔中已有規定",
    "name another output": "請指定其他輸出檔名",
    "cannot write {path!r}: a file with 'hierarchy_' in its name is taken for a hierarchy; {another}": (
        "無法寫入「{path}」：名稱含有「hierarchy_」的檔案會被視為資料階層；{another}"
    ),
    "cannot write {path!r}: the engine 'spark' writes a folder of Parquet files; expected a name that ends "
    "in {suffixes}": "無法寫入「{path}」：引擎「spark」會寫出一個 Parquet 檔的資料夾；名稱結尾應為{suffixes}",
    "cannot write {path!r}: the folder exists; remove it, or {another}": (
        "無法寫入「{path}」：資料夾已存在；請先移除，或{another}"
    ),
    "cannot write {path!r}: the name of a folder of files must have none of {signs}": (
        "無法寫入「{path}」：檔案資料夾的名稱不得含有 {signs} 中的任何字元"
    ),
    "cannot write {path!r}: it exists and is not a regular file; {another}": (
        "無法寫入「{path}」：已存在，且不是一般檔案；{another}"
    ),
    "cannot write {path!r}: it exists and was not written by petworks anonymize; {another}": (
        "無法寫入「{path}」：已存在，且不是由 petworks anonymize 寫出的；{another}"
    ),
    "cannot write {path!r}: it is the policy of another release, {data!r}; {another}": (
        "無法寫入「{path}」：這是另一份釋出資料「{data}」的政策檔；{another}"
    ),
    "cannot write {path!r}: it is the plan of another release; {another}": (
        "無法寫入「{path}」：這是另一份釋出資料的計畫檔；{another}"
    ),
    "cannot write {path!r}: it exists and is a symlink or not a folder; {another}": (
        "無法寫入「{path}」：已存在，且是符號連結或不是資料夾；{another}"
    ),
    "cannot write {path!r}: the folder is not writable": "無法寫入「{path}」：資料夾無法寫入",
    "--{option} expects COLUMN=TEXT, with a column that has a role and a "
    "text with a letter or digit that can be seen; got {given!r}": (
        "--{option} 須為「欄位=理由」，該欄位須有角色，理由須有看得見的文字或數字；收到的是 {given!r}"
    ),
    "cannot write {path!r}: inputs of this run are in it; {another}": (
        "無法寫入「{path}」：本次執行的輸入在此資料夾中；{another}"
    ),
    "cannot write {path!r}: another run is writing it; wait for it, or name another output": (
        "無法寫入「{path}」：另一次執行正在寫入；請等它結束，或指定其他輸出檔"
    ),
    "cannot write {path!r}: it is an input of this run; {another}": "無法寫入「{path}」：這是本次執行的輸入；{another}",
    "cannot write {path!r}, or what comes beside it: {reason}": "無法寫入「{path}」或其附屬檔案：{reason}",
    "two results would be written to the same file, {path!r}": "兩項結果會寫入同一個檔案「{path}」",
    "cannot write {path!r}: the folder is for the hierarchies of the release": (
        "無法寫入「{path}」：此資料夾專供釋出資料的資料階層使用"
    ),
    "a plan": "計畫檔",
    "cannot write {path!r}: it would be one of the files that {pattern!r} names, which are the input; {another}": (
        "無法寫入「{path}」：它會成為「{pattern}」所指的檔案之一，而那些檔案是輸入；{another}"
    ),
    "the page needs more packages: pip install 'petworks[studio]'": (
        "此網頁需要其他套件：pip install 'petworks[studio]'"
    ),
    "{folder!r} is not a folder; name the one with your tables": "「{folder}」不是資料夾；請指定存放資料表的資料夾",
    "--idle expects at least 1 minute, got {idle}": "--idle 至少為 1 分鐘，但收到 {idle}",
    "{type}: an error in the program itself; the lines above contain none of your data": (
        "{type}：程式本身的錯誤；以上各行不含您的任何資料"
    ),
    # the published interface
    "technique of anonymization": "匿名化技術",
    "expected one technique, as the third argument or as metric=...": "應指定一種技術，作為第三個引數或 metric=...",
    "{metric} needs {missing}": "{metric} 需要 {missing}",
    "report format": "報告格式",
    "expected what PETValidation or a measure returned, got {type}": (
        "應為 PETValidation 或評估指標傳回的結果，但收到 {type}"
    ),
    "expected the frame that PETAnonymization returned, got {type}": (
        "應為 PETAnonymization 傳回的資料框，但收到 {type}"
    ),
    "expected filePath to be the path of a file, got {type}": "filePath 應為檔案路徑，但收到 {type}",
    "{function} needs pandas: pip install 'petworks[pandas]'": "{function} 需要 pandas：pip install 'petworks[pandas]'",
    "technique": "技術",
    "cannot write {path!r}: a cell has characters that no text can have": (
        "無法寫入「{path}」：有儲存格含有無法存成文字的字元"
    ),
    "parameter of {metric}": "{metric} 的參數",
    # counting
    "the original table is needed but was not given": "需要原始資料表，但未提供",
    "{table}: the table has columns but no records": "{table}：資料表有欄位，但沒有資料列",
    "the engine of this release has been closed; create the release again": (
        "此釋出資料的引擎已關閉；請重新建立 Release"
    ),
    "DuckDB has not enough memory, or its folder for temporary files is full; allow more memory": (
        "DuckDB 的記憶體不足，或其暫存檔資料夾已滿；請提高記憶體上限"
    ),
    " or name a folder on a larger disk": "，或指定較大磁碟上的資料夾",
    "DuckDB cannot write its temporary files ({type}); the disk may be full; name a folder on a larger disk": (
        "DuckDB 無法寫入暫存檔（{type}）；磁碟可能已滿；請指定較大磁碟上的資料夾"
    ),
    "expected the engine {engines}, got {engine!r}": "引擎應為{engines}，但收到「{engine}」",
    "the engine {engine!r} needs a package: pip install 'petworks[{engine}]'": (
        "引擎「{engine}」需要安裝套件：pip install 'petworks[{engine}]'"
    ),
    "expected a memory limit in bytes or like '2GB', '512MiB', at least {least}; got {given!r}": (
        "記憶體上限應為位元組數，或類似「2GB」、「512MiB」，至少 {least}；收到「{given}」"
    ),
    "{needed} may be needed in memory, {limit} are allowed: counted with DuckDB": (
        "可能需要 {needed} 的記憶體，而上限為 {limit}：改以 DuckDB 計算"
    ),
    "about {needed} may be needed in memory, more than the limit of {limit}; use the engine 'duckdb' or 'auto'": (
        "約需 {needed} 的記憶體，超過上限 {limit}；請使用引擎「duckdb」或「auto」"
    ),
    "{table}: the distinct values of its columns take {size:.1f} GB, too much for a memory limit of "
    "{memory_limit:.1f} GB; shorten the texts, leave a column without a role, or allow more memory": (
        "{table}：各欄位的相異值需要 {size:.1f} GB，超過記憶體上限 {memory_limit:.1f} GB；請縮短文字、不為某個欄位指定"
        "屬性型態，或提高記憶體上限"
    ),
    "{column!r} has {number:,} values in all releases; out of core or in a cluster, at most {most:,} can be "
    "intersected; generalise it, or join the releases in memory": (
        "「{column}」在所有釋出資料中共有 {number:,} 個值；在記憶體外或叢集中最多只能取 {most:,} 個值的交集；請將其概"
        "化，或在記憶體中串連釋出資料"
    ),
    "more than four billion records are equal in all columns, too many to count their subsets": (
        "有超過四十億筆資料列的所有欄位都相同，無法計算其欄位組合"
    ),
    "column {column!r}: up to {most:,} rows have the same value, more than fit into {memory:.1f} GB; allow "
    "more memory": (
        "欄位「{column}」：最多有 {most:,} 筆資料列的值相同，超過 {memory:.1f} GB 所能容納；請提高記憶體上限"
    ),
    "the privacy unit {unit!r} is missing in some records of {table}; every record needs one": (
        "{table}中有資料列缺少隱私單位「{unit}」；每筆資料列都必須有"
    ),
    "the released table": "釋出資料",
    "the release": "釋出資料",
    "the original table": "原始資料表",
    "column {column!r} is generalised already: none of its {values} values is a leaf of its hierarchy "
    "({hierarchy}); start from the original table, with its policy": (
        "欄位「{column}」已經概化：它的 {values} 個值都不是其資料階層（{hierarchy}）的葉節點；請以原始資料表及其政策檔"
        "重新開始"
    ),
    "column {column!r} has no hierarchy, so it has only level 0; got level {level}": (
        "欄位「{column}」沒有資料階層，因此只有層級 0；收到層級 {level}"
    ),
    "{table}: columns {columns} have cells that are not text or numbers": (
        "{table}：欄位{columns}含有不是文字或數字的儲存格"
    ),
    "{table}: Spark reads {number} records but {rows} were expected": (
        "{table}：Spark 讀到 {number} 筆資料列，但應為 {rows} 筆"
    ),
    "rows are compared in their order, which the engine 'spark' does not keep": (
        "資料列須依順序比較，而引擎「spark」不保留順序"
    ),
    "column {column!r} changes while it is read; persist the data frame first": (
        "欄位「{column}」在讀取期間變動；請先以 persist 保存資料框"
    ),
    "the Spark session of this table has been stopped; create the data frame again": (
        "此資料表的 Spark 工作階段已停止；請重新建立資料框"
    ),
    "the table changed while it was read": "資料表在讀取期間變更",
    "{table}: the engine 'spark' releases Parquet files and Spark data frames, which executors read "
    "themselves; use another engine, or save the table as Parquet": (
        "{table}：引擎「spark」只釋出執行節點能自行讀取的 Parquet 檔與 Spark 資料框；請使用其他引擎，或將資料表存成 "
        "Parquet"
    ),
    "an executor cannot write the release: {reason}; all must see its folder": (
        "執行節點無法寫出釋出資料：{reason}；所有執行節點都必須能存取其資料夾"
    ),
    "{table}: {number} records were written, but {records} were counted; the table changes": (
        "{table}：寫出 {number} 筆資料列，但計數為 {records} 筆；資料表有變動"
    ),
    "expected temp_folder as a path, got {type}": "temp_folder 應為路徑，但收到 {type}",
    "the folder for temporary files {path!r} does not exist": "暫存檔資料夾「{path}」不存在",
    "cannot write temporary files to {path!r}: {reason}": "無法將暫存檔寫入「{path}」：{reason}",
    "original values are not leaves of": "原始值不是葉節點",
    "population values are not leaves of": "母體的值不是葉節點",
    "no column has the role {role!r}; name the columns that an adversary may know, here or in a YAML file "
    "beside the table": "沒有欄位的屬性型態為「{role}」；請在此處，或在資料表旁的 YAML 檔，指定攻擊者可能知道的欄位",
    "needs a hierarchy for every quasi-identifier; there is none for {without}": (
        "每個準識別符都需要資料階層；{without}沒有"
    ),
    # policies and checks
    "the text says nothing: it has no letter or digit that can be seen": "此文字沒有內容：看不到任何文字或數字",
    "column {column!r} names people, and {records:,} records are of {people:,} people: without a privacy unit, "
    "records are counted, and a class of many records may be one person; give it as 'privacy_unit', "
    "or, if it does not name the people the table is about, say so under 'no_privacy_unit'": (
        "欄位 {column!r} 指出個人，{records:,} 筆資料列屬於 {people:,} 人：若未指定隱私單位，便以資料列計數，"
        "有許多資料列的等價類可能只是一個人；請將此欄位指定為 privacy_unit；"
        "若此欄位並非指資料表所述的人，請在 no_privacy_unit 說明"
    ),
    "no such day: {day}": "沒有這一天：{day}",
    "every rule that a release could break is waived: {waived}; nothing is demanded of the release, so "
    "remove a waiver or add a rule": (
        "釋出資料可能違反的規則全部已豁免：{waived}；對釋出資料沒有任何要求，請移除一項豁免或新增規則"
    ),
    "the policy has no rule that a release could break; give 'rules' or 'presets'": (
        "政策檔沒有釋出資料可能違反的規則；請設定「rules」或「presets」"
    ),
    "{file} has another SHA-256: it is not the table that was released": (
        "{file}的 SHA-256 不同：這不是當時釋出的資料表"
    ),
    "the table of {release}": "{release}的資料表",
    "no column {key!r}, which is to name the people; it has {columns}": (
        "沒有用以辨認個人的欄位「{key}」；資料的欄位：{columns}"
    ),
    "the result of a check": "檢查結果",
    "{file}: not the result of a check: {problem}": "{file}：不是檢查結果：{problem}",
    "editions differ: {editions}; compare two of the same": "版本不同：{editions}；請比較兩份相同版本的結果",
    "the key 'key' is missing: the column that names the person": "缺少鍵「key」：用以辨認個人的欄位",
    "two releases are called {release}; give one of them another 'name'": (
        "有兩份釋出資料都名為{release}；請為其中一份另取「name」"
    ),
    "there is no earlier release to measure; give the 'data' of one": (
        "沒有可評估的先前釋出資料；請提供其中一份的「data」"
    ),
    "the policy of that release says where its table is": "該釋出資料的政策檔已說明其資料表的位置",
    "the key 'recipients' is missing: who has that table": "缺少鍵「recipients」：誰持有該資料表",
    "which table was it? Give its 'data', its 'policy' or its 'sha256'": (
        "這是哪一份資料表？請提供其「data」、「policy」或「sha256」"
    ),
    "{file}: this is a table, and a policy is expected; to write one, run: petworks init {path!r}": (
        "{file}：這是資料表，此處應為政策檔；若要產生政策檔，請執行：petworks init {path!r}"
    ),
    "--html writes a page, so that the file must end with .html, got {given!r}; to get a PDF, print the page": (
        "--html 會寫出網頁，檔名須以 .html 結尾，目前為「{given}」；若要 PDF，請在瀏覽器列印該網頁"
    ),
    '; put quotes around a name that has blanks: "my table.csv"': '含空白的名稱請加上引號："my table.csv"。',
    "no such file: {path!r}": "沒有此檔案：「{path}」",
    "no such file: {path!r}; did you mean {near!r}?": "沒有此檔案：「{path}」；是否為「{near}」？",
    "files were added or removed while they were checked; check again": "檢查期間有檔案新增或移除；請重新檢查",
    "{file}: the file changed while it was checked; check again": "{file}：檔案在檢查期間變更；請重新檢查",
    "cannot read {file}: {reason}": "無法讀取 {file}：{reason}",
    "{file}: not JSON in UTF-8": "{file}：不是 UTF-8 的 JSON",
    "{file}: not JSON; expected {expected}": "{file}：不是 JSON；應為{expected}",
    "\nand at least {number} more errors": "\n另有至少 {number} 項錯誤",
    "\nand 1 more error": "\n另有 1 項錯誤",
    "\nand {number} more errors": "\n另有 {number} 項錯誤",
    "{name}: unknown version {version} of the format; this program reads version {known}": (
        "{name}：不明的格式版本{version}；此程式可讀取版本 {known}"
    ),
    "{name}: not a plan: {problem}": "{name}：不是計畫檔：{problem}",
    "{name}: 'removed' must list numbers of records, ascending and at most {records:,}": (
        "{name}：removed 應列出資料列編號，由小到大，且不大於 {records:,}"
    ),
    "the plan is of another table: {removed:,} of {records:,} records left it, but there are {given:,}": (
        "此計畫檔屬於另一份資料表：{records:,} 筆資料列中移除了 {removed:,} 筆，但此處有 {given:,} 筆"
    ),
    "{name}: the plan contradicts itself: {problem}": "{name}：計畫檔自相矛盾：{problem}",
    "column {column!r}: its hierarchy ({hierarchy}) is not the one that the plan was made with; restore that "
    "one, or make a new plan": (
        "欄位「{column}」：其資料階層（{hierarchy}）不是建立計畫檔時所用的；請還原該資料階層，或建立新的計畫檔"
    ),
    "column {column!r}: the plan names no file of its hierarchy": "欄位「{column}」：計畫檔未指明其資料階層的檔案",
    "column {column!r}: the file of its hierarchy is not in the folder of the plan": (
        "欄位「{column}」：其資料階層的檔案不在計畫檔的資料夾中"
    ),
    "'columns' are not the quasi-identifiers of its 'roles', in this order": (
        "「columns」與其「roles」中的準識別符或順序不一致"
    ),
    "a column is listed twice in 'roles' and 'no_role'": "「roles」與「no_role」中有欄位重複列出",
    "there is no hierarchy for {columns}": "{columns}沒有資料階層",
    "expected {number} numbers in each list of 'levels', one for each column": (
        "「levels」的每個清單應有 {number} 個數字，每個欄位一個"
    ),
    "levels are whole numbers, without a decimal point": "層級應為不含小數點的整數",
    "the method is 'global', so there is one list of levels": "方法為「global」，因此只能有一個層級清單",
    "two rules have the same name": "有兩條規則名稱相同",
    "column {column!r} has a level that is not one of those that were allowed": (
        "欄位「{column}」的層級不在允許的範圍內"
    ),
    "the plan has a population already, so none can be given": "計畫檔已有母體，不能另行指定",
    "every rule of the plan is waived; nothing is demanded of the release": (
        "計畫檔的規則全部已豁免；對釋出資料沒有任何要求"
    ),
    "presets have other rules than the plan: {rules}; make a new plan": (
        "規則範本的規則與計畫檔不同：{rules}；請建立新的計畫檔"
    ),
    "the table lacks columns that the plan needs: {missing}; it has {columns}": (
        "資料表缺少計畫檔所需的欄位：{missing}；資料表的欄位：{columns}"
    ),
    "the plan does not know some columns, and nobody has said that they may be released: {columns}; remove "
    "them from the table, say what they are, or make a new plan": (
        "計畫檔中沒有下列欄位，也未說明可否釋出：{columns}；請將其自資料表移除、說明其屬性型態，或建立新的計畫檔"
    ),
    "the plan needs the hierarchies that it was made with, of {without}": (
        "計畫檔需要建立時所用的資料階層，欄位為{without}"
    ),
    "{rule}: expected the parameters 'limit' (a name), 'at_most' and 'sizes'": (
        "{rule}：應有參數「limit」（名稱）、「at_most」與「sizes」"
    ),
    "values without a place in the hierarchies of the plan: {columns}": "有值在計畫檔的資料階層中沒有位置：{columns}",
    "the plan says what column {column!r} is; only columns that it does not know can be named": (
        "計畫檔已說明欄位「{column}」的屬性型態；只能指定計畫檔中沒有的欄位"
    ),
    "column {column!r} is new to the plan, so it can be {identifier!r} (it is left out) or {insensitive!r} "
    "(it stays as it is), got {role}": (
        "欄位「{column}」不在計畫檔中，因此只能是「{identifier}」（不釋出）或「{insensitive}」（保持原樣），但收到"
        "{role}"
    ),
    "the waivers in the plan are not those of a policy": "計畫檔中的豁免不是政策檔的格式",
    "{column!r} ({values} values, {records} records)": "「{column}」（{values} 個值、{records} 筆資料列）",
    "column {column!r}: its hierarchy has the levels 0 to {height}, but the plan says 0 to {planned}": (
        "欄位「{column}」：其資料階層的層級為 0 到 {height}，但計畫檔為 0 到 {planned}"
    ),
    "expected a mapping that begins with 'petworks_policy: 1'": "應為以「petworks_policy: 1」開頭的鍵值對照",
    "no rule: give 'rules', 'presets', or limits under 'subsets'": (
        "沒有規則：請設定「rules」、「presets」，或「subsets」之下的上限"
    ),
    "unknown version {version} of the format; this program reads version {known}": (
        "不明的格式版本{version}；此程式可讀取版本 {known}"
    ),
    "the column has a role": "此欄位已有屬性型態",
    "the column has no role": "此欄位沒有屬性型態",
    "the column is no sensitive attribute": "此欄位不是敏感屬性",
    "sensitive columns that no rule is about, each with the reason why none is needed": (
        "沒有規則涉及的敏感欄位，以及各自不需要規則的理由"
    ),
    "why the rules are enough for this release, if they demand smaller classes than it needs or set records aside": (
        "若規則要求的等價類小於此次釋出所需，或有資料列不受評估，規則為何仍然足夠"
    ),
    "{metric} needs a threshold here: one of {parameters}": "{metric} 在此需要閾值：{parameters}之一",
    "two rules have the name {rule}; give one of them another 'name'": (
        "有兩條規則都名為{rule}；請為其中一條另取「name」"
    ),
    "the rule {rule} is waived twice": "規則{rule}重複豁免",
    "rule": "規則",
    "preset": "規則範本",
    "the path leads out of the policy's folder; allow a higher folder": (
        "路徑超出政策檔所在的資料夾；請允許使用更上層的資料夾"
    ),
    "no such file or folder: {path!r}": "沒有此檔案或資料夾：「{path}」",
    "no such file or folder: {path!r}; write paths with / on every system": (
        "沒有此檔案或資料夾：「{path}」；不論在哪種系統，路徑都請以 / 分隔"
    ),
    "{path!r} is on another drive than {folder!r}; files that belong together have to be on one": (
        "「{path}」與「{folder}」位於不同磁碟機；相關檔案須放在同一磁碟機"
    ),
    "unknown kind of address; expected a path or one of {known}": "不明的位址種類；應為路徑，或下列之一：{known}",
    "no quasi-identifier: name the columns that an adversary may know": "沒有準識別符：請指定攻擊者可能知道的欄位",
    "expected a file, got an address": "應為檔案，但收到位址",
    "not a valid path": "不是有效的路徑",
    "options of an address in a policy are {options}; others may name files": (
        "政策檔中的位址只能使用選項{options}；其他選項可能會指向檔案"
    ),
    "expected a folder, got an address": "應為資料夾，但收到位址",
    "the policy names a server; allow connections to it": "政策檔指向伺服器；請允許連線",
    "regime": "標準或法規",
    "the external edition has no digest of the table; register the internal one": (
        "對外版沒有資料表的雜湊值；請登記內部版"
    ),
    "the document was changed since the check: its content digest does not match; check again": (
        "文件在檢查後已遭更改：內容雜湊值不符；請重新檢查"
    ),
    "the table and its original have no column {key}": "資料表及其原始資料表都沒有欄位{key}",
    "the policy does not say who receives the table": "政策檔未說明資料表的接收者",
    "the register has another entry {entry}: of the same table and day; remove that first, or name another day": (
        "釋出登記簿另有一筆登記{entry}：同一資料表、同一天；請先移除該筆，或指定其他日期"
    ),
    "no such folder: {folder}; an empty folder is a register without releases": (
        "沒有此資料夾：{folder}；空的資料夾代表沒有任何釋出的登記簿"
    ),
    "{folder}: more than {most:,} files; a register has one for each release": (
        "{folder}：檔案超過 {most:,} 個；登記簿中每份釋出資料一個檔案"
    ),
    "an entry of a register": "釋出登記簿的一筆登記",
    "{file}: not an entry of a register: {problem}": "{file}：不是釋出登記簿的登記：{problem}",
    "cannot read {folder!r}: {reason}": "無法讀取「{folder}」：{reason}",
    "{file}: a symbolic link; a register has files of its own": "{file}：是符號連結；登記簿必須存放檔案本身",
    "{file}: {problem}": "{file}：{problem}",
    "a day is like 2026-11-16, got {given}": "日期格式應類似 2026-11-16，但收到{given}",
    "a list": "清單",
    "a text": "文字",
    "a whole number": "整數",
    "a number": "數字",
    "{place} violates {rule!r} of the schema": "不符合結構描述的「{rule}」：{place}",
    " or ": "或",
    "the document": "文件",
    "one of {options}": "下列之一：{options}",
    "{kind} ({meaning})": "{kind}（{meaning}）",
    "something else": "其他內容",
    "the key {key} is missing": "缺少鍵{key}",
    "the keys {keys} are missing": "缺少鍵{keys}",
    "the list has an entry twice": "清單中有重複的項目",
    "longer than {most:,}": "超過 {most:,} 的長度上限",
    "expected {expected}, got {given}": "應為{expected}，但寫的是{given}",
    "{file}: {columns:,} columns; init suggests roles for at most {most:,}": (
        "{file}：有 {columns:,} 個欄位；init 最多為 {most:,} 個欄位建議屬性型態"
    ),
    "one column": "1 個欄位",
    "{file}: the first line does not look like a header of {columns}: one is a number, a date or an address, "
    "or half of them are names of people or values of their own column": (
        "{file}：第一行不像 {columns}的標題列：其中有數字、日期或地址，或有一半是人名或該欄位本身的值"
    ),
    "{number} columns": "{number} 個欄位",
    "salt is 32 hexadecimal digits, got {given}": "salt 應為 32 個十六進位數字，但收到{given}",
    "as_of is like 2026-11-16 or 2026-11-16T08:00:00Z, got {given}": (
        "as_of 應類似 2026-11-16 或 2026-11-16T08:00:00Z，但收到{given}"
    ),
    "has no threshold here, so there is nothing to judge": "在此沒有閾值，無從判定",
    "needs amounts: a rule of the policy that sets them": "需要金額：請在政策檔以規則設定",
    "the document given as the internal edition is an external one": "作為內部版提供的文件其實是對外版",
    "the document has no digest of {file}: it was checked in memory or in a database": (
        "文件中沒有{file}的雜湊值：檢查時資料在記憶體或資料庫中"
    ),
    "{file} can be compared with an external edition only by the salt": "必須有 salt 才能將{file}與對外版比對",
    "the document and its content digest": "文件與其內容雜湊值",
    "the verdict and the verdicts of the rules": "整體結果與各規則的結果",
    "the policy": "政策檔",
    "the internal edition is not complete, so no external one can be made of it": "內部版不完整，無法據以產生對外版",
    "the internal edition and its content digest": "內部版與其內容雜湊值",
    "the document and the internal edition": "文件與內部版",
    "the time of the check in both editions": "兩個版本的檢查時間",
    "a text, or one for each language under 'en' and 'zh-TW'": "一段文字，或以「en」與「zh-TW」分別提供各語言的文字",
    "a day, as 2027-01-31": "日期，例如 2027-01-31",
    "rules that need not hold until a date": "在某日之前無須符合的規則",
    "the last day it holds, as 2027-01-31": "有效的最後一天，例如 2027-01-31",
    "the name of the rule": "規則的名稱",
    "how `petworks anonymize` makes a release of the table": "`petworks anonymize` 如何由資料表產生釋出資料",
    "the level of a column, or the lowest and the highest: 1-2, [1, 2], {{at_least: 1, at_most: 2}}": (
        "欄位的層級，或最低與最高層級：1-2、[1, 2]、{{at_least: 1, at_most: 2}}"
    ),
    "the importance of columns, 1 if it is not given": "各欄位的重要性，未指定時為 1",
    "stop searching after this time, with the best release so far: 90 (seconds), 10m or 2h": (
        "搜尋至此時間即停止，採用目前最佳的釋出資料：90（秒）、10m 或 2h"
    ),
    "global (default): one level for each column; local: each record on levels of its own": (
        "global（預設）：每個欄位一個層級；local：每筆資料列各有層級"
    ),
    "of granularity: geometric (default), arithmetic, sum or maximum": (
        "granularity 的彙總方式：geometric（預設）、arithmetic、sum 或 maximum"
    ),
    "what becomes of suppressed records: they leave the table (remove, the default), or stay with * in every "
    "quasi-identifier and all other cells, and are judged as a class (stars)": (
        "遭抑制的資料列如何處理：自資料表移除（remove，預設），或保留其他欄位、準識別符改為 *，"
        "並視為一個等價類評估（stars）"
    ),
    "of the order 'shuffled', if petworks anonymize made it; it stays inside": (
        "shuffled 順序的隨機種子（由 petworks anonymize 產生）；不對外提供"
    ),
    "of a release: the file that says how it was made and which records left it": (
        "釋出資料的製作計畫檔：說明其如何製作，以及移除了哪些資料列"
    ),
    "what becomes of the column that names the person: it is left out (drop, the default), or numbers take its place "
    "(keep), and the release fails if anybody has several records": (
        "識別個人的欄位如何處理：移除（drop，預設），或換成編號（keep；若有人有多筆資料列，則檢查結果為未通過）"
    ),
    "true: an apostrophe is written before cells that a spreadsheet takes for formulas": (
        "true：在試算表軟體會當作公式的儲存格前加上單引號"
    ),
    "spreadsheet-safe cells need the engine 'memory' or 'duckdb': executors copy cells": (
        "試算表安全的儲存格需要使用引擎 'memory' 或 'duckdb'：執行器會照樣複製儲存格"
    ),
    "in which order the records are written: shuffled (default, where possible) or original": (
        "資料列以何種順序寫出：shuffled（隨機；可行時為預設）或 original（與原始資料表相同）"
    ),
    "in which order the records are: that of the original (default), or another one": (
        "資料列的順序：與原始資料表相同（original，預設），或不同（shuffled）"
    ),
    "what is to be small: granularity (default), precision, non-uniform-entropy, ...": (
        "要最小化的損失：granularity（預設）、precision、non-uniform-entropy 等"
    ),
    "the share of records that may be suppressed, from 0 to 1; 0 if it is not given": (
        "可抑制的資料列比例，0 到 1；未指定時為 0"
    ),
    "the folder of the register of releases": "釋出登記簿的資料夾",
    "other releases about the same people, and what they may disclose together with this one": (
        "同一群人的其他釋出資料，以及與本次釋出合併後可揭露的程度"
    ),
    "for each sensitive attribute what it gains an adversary to guess a value; 1 for those not listed": (
        "每個敏感屬性中，攻擊者猜中各值的收益；未列出者為 1"
    ),
    "what all releases together may disclose: re-identification, alone, inference, one-value, gain, "
    "disclosed, half-sure, m-invariance": (
        "所有釋出資料合併後可揭露的程度：re-identification、alone、inference、one-value、gain、disclosed、half-sure、"
        "m-invariance"
    ),
    "releases that are already out, the oldest first": "已釋出的資料，由舊到新",
    "who has it": "持有者",
    "when it was released": "釋出日期",
    "which column is what; without it, the YAML file beside the table says": (
        "各欄位的屬性型態；未指定時，依資料表旁的 YAML 檔"
    ),
    "the key, if it is called differently there": "識別鍵，若在該處名稱不同",
    "the table that it was made from, if only that has the key": "產生該釋出資料的資料表，若僅該表有識別鍵",
    "the SHA-256 of its table, 64 hexadecimal digits; without 'data' it is known, but not measured": (
        "其資料表的 SHA-256，64 個十六進位數字；沒有「data」時僅列為已知，不予評估"
    ),
    "its own policy, which says where its table is, and its roles": "其本身的政策檔，其中說明資料表的位置與屬性型態",
    "its table": "其資料表",
    "what reports call it; outsiders see it": "報告中使用的名稱；外部人員看得到",
    "the column that names the person, in each table or in its original": (
        "用以辨認個人的欄位，位於各資料表或其原始資料表"
    ),
    "attack with every subset of the quasi-identifiers": "以準識別符的所有組合進行攻擊",
    "what no subset may exceed": "任何組合都不得超過的上限",
    "how many attributes an adversary knows: all, 2, 1-3 or 1,3": "攻擊者已知的屬性個數：all、2、1-3 或 1,3",
    "what must hold: a measure and its thresholds": "必須符合的條件：評估指標及其閾值",
    "a parameter of the measure": "評估指標的參數",
    "the reason for the rule": "規則的理由",
    "what waivers call the rule; the measure otherwise": "豁免時使用的規則名稱；未指定時為評估指標的名稱",
    "a measure of the catalogue": "目錄中的評估指標",
    "who answers for the release": "對釋出負責的人",
    "whom to tell if something goes wrong": "發生問題時的聯絡人",
    "the office of the approver": "核可者的職稱",
    "who approves the release": "核可釋出的人",
    "standards and laws whose checklist applies, by name": "適用其檢核表的標準與法規名稱",
    "rules of regulators, by name": "主管機關的規則名稱",
    "the share of records, or of people with a privacy unit, from 0 to 1, that a column may single out by values with "
    "digits and by texts of more than 30 characters, 0.05 if it is not given; for a higher one, "
    "{{share: ..., reason: ...}}": (
        "欄位中含數字的值與超過 30 字的文字可使資料列（有隱私單位時為人）獨一無二的比例上限，介於 0 與 1 之間，"
        "未指定時為 0.05；若要更高，請寫成 {{share: ..., reason: ...}}"
    ),
    "columns that do not name the people the table is about, although they repeat, each with the reason": (
        "值雖重複出現、但並非指資料表所述的人的欄位，各附理由"
    ),
    "why so many records may be found by an exact value": "為何可容許這麼多資料列由確切值找出",
    "from 0 to 1": "介於 0 與 1 之間",
    "dates or times such as 2024-03-01 14:30 or 14:30": "日期時間或時間，例如 2024-03-01 14:30 或 14:30",
    "protect {column!r}: {problem}": "protect 的欄位 {column!r}：{problem}",
    "expected a mapping such as {{round: 1000}} or {{dates: month}}, got {given}": (
        "應為對應，例如 {{round: 1000}} 或 {{dates: month}}，但收到{given}"
    ),
    "'calendar' is for dates": "calendar 僅用於日期",
    "'round' and 'intervals' exclude each other": "round 與 intervals 不可並用",
    "round: expected a number above 0, got {given}": "round：應為大於 0 的數字，但收到 {given}",
    "'dates' and {others} exclude each other": "dates 與 {others} 不可並用",
    "expected for each column a protection, got {given}": "應為各欄位的保護方式，但收到 {given}",
    "protect: expected COLUMN=round:1000,top:250000 or COLUMN=dates:month, each column once; got {given!r}": (
        "protect：應為「欄位=round:1000,top:250000」或「欄位=dates:month」，每個欄位一次；但收到 {given!r}"
    ),
    "column {column!r} has changed since it was looked at": "欄位 {column!r} 在檢視後已變更",
    "protect: column {column!r} is a quasi-identifier; its hierarchy says how it becomes coarser": (
        "protect：欄位 {column!r} 為準識別符，如何概化由其資料階層決定"
    ),
    "protect: column {column!r} names people; coarser values would mix them up": (
        "protect：欄位 {column!r} 用以辨認個人；較粗略的值會將不同的人混為一談"
    ),
    "protect: there is no column {columns}": "protect：沒有欄位 {columns}",
    "column {column!r} cannot be protected: {wrong:,} of its {present:,} values are not {expected}; correct them, or "
    "leave the column out": (
        "無法保護欄位 {column!r}：{present:,} 個值中有 {wrong:,} 個不是{expected}；請更正，或不釋出此欄位"
    ),
    "protect is not possible with the engine 'spark'; round the columns before, or use another engine": (
        "引擎 'spark' 不支援 protect；請先將欄位取整，或改用其他引擎"
    ),
    "by column, how sensitive and insensitive columns become coarser: {{round: 1000, top: 250000}}, {{dates: month}}, "
    "{{intervals: [0, 1000]}}": (
        "各欄位的保護方式，使敏感與非敏感欄位的值較粗略：{{round: 1000, top: 250000}}、{{dates: month}}、"
        "{{intervals: [0, 1000]}}"
    ),
    "expected a share from 0 to 1, got {given}": "應為 0 與 1 之間的比例，但收到 {given}",
    "a whole number, at least 1: counts below it are not shown in the external edition": (
        "1 以上的整數：對外版不顯示小於此值的計數"
    ),
    "who gets the table, and who is assumed to know what": "資料表提供給誰，以及假設誰知道哪些資訊",
    "tables about the same people that were handed out before; an empty list if there are none": (
        "先前已提供的同一群人的資料表；若沒有，則為空清單"
    ),
    "what the release is for": "釋出的目的",
    "how records are counted": "資料列的計算方式",
    "the column that names the person, where one has several records": (
        "用以辨認個人的欄位，適用於一人有多筆資料列的情形"
    ),
    "columns that have no role, each with the reason": "沒有屬性型態的欄位，各附理由",
    "why columns have their role": "欄位具有該屬性型態的理由",
    "columns that are none of these": "不屬於上述任一種的欄位",
    "columns that nobody may learn of a person": "不得讓任何人得知其個人資訊的欄位",
    "columns an adversary may know": "攻擊者可能知道的欄位",
    "columns that name a person": "可直接識別個人的欄位",
    "the encoding of the CSV files": "CSV 檔的編碼",
    "the separator of the CSV files": "CSV 檔的分隔符號",
    "the people the records were drawn from: a table, how many, or the share of them in the release": (
        "資料列所取自的母體：資料表、人數，或釋出資料占母體的比例"
    ),
    "the folder of the hierarchy files, or a file or a declaration for each column": (
        "資料階層檔的資料夾，或各欄位的檔案或宣告"
    ),
    "a file, or a few words such as {{width: [5, 10, 20]}}": "檔案，或簡短的宣告，例如 {{width: [5, 10, 20]}}",
    "values with fewer records become one group": "資料列較少的值合併為一組",
    "the values of each group, or groups": "各組的值，或子組別",
    "so many neighbours make a group, each a multiple of the one before": (
        "由幾個相鄰的值組成一組，每個數字是前一個的倍數"
    ),
    "all values in their order": "依順序列出所有的值",
    "category, chapter": "category、chapter",
    "so many last characters are masked, ascending": "遮蔽末尾幾個字元，由小到大",
    "so many first characters stay, descending": "保留開頭幾個字元，由大到小",
    "periods from the shortest: day, week, month, quarter, year, 5-years, decade": (
        "由短到長的期間：day、week、month、quarter、year、5-years、decade"
    ),
    "numbers of parts with about the same number of records, each a multiple of the next": (
        "分成資料列數大致相同的份數，每個數字是下一個的倍數"
    ),
    "where intervals begin: a list, or one for each level": "區間的起點：一個清單，或每個層級一個清單",
    "this number and larger ones are one group": "此數字以上合併為一組",
    "smaller numbers are one group": "小於此數字者合併為一組",
    "where intervals of equal width begin, instead of at 0": "等寬區間的起點，用以取代 0",
    "intervals of these widths, each a multiple of the one before": "區間的寬度，每個數字是前一個的倍數",
    "the table the release was made from": "產生釋出資料的原始資料表",
    "the released table: a file, a sheet (book.xlsx#May), a database table (census.duckdb#people), or an address": (
        "釋出資料：檔案、工作表（book.xlsx#May）、資料庫中的資料表（census.duckdb#people），或位址"
    ),
    "what the report is called": "報告的名稱",
    "the version of this format, 1": "此格式的版本，1",
    # measures
    "{file}: the file is too large for finished subsets": "{file}：檔案過大，不是已完成組合的檔案",
    "{file}: the file of another run, with different {other}; give the same table and options, or remove the "
    "file to start over": "{file}：這是另一次執行的檔案，其{other}不同；請使用相同的資料表與選項，或移除此檔案重新開始",
    "{file}: expected a regular file for the finished subsets, not a link or a folder": (
        "{file}：已完成的組合應存於一般檔案，不能是連結或資料夾"
    ),
    "cannot write {path!r}: {reason}": "無法寫入「{path}」：{reason}",
    "{file}: not a file of finished subsets, or damaged; remove it to start over": (
        "{file}：不是已完成組合的檔案，或已損毀；請移除後重新開始"
    ),
    "{file}: the file of an unfinished run; remove it to start over, or resume the run": (
        "{file}：這是未完成之執行的檔案；請移除後重新開始，或接續該次執行"
    ),
    "results for each record need the engine 'memory'; {engine!r} keeps counts, not records": (
        "逐筆結果需要引擎「memory」；「{engine}」只保留計數，不保留資料列"
    ),
    "{sensitive!r} is not a sensitive attribute; expected one of {sensitive_attributes}": (
        "「{sensitive}」不是敏感屬性；應為{sensitive_attributes}之一"
    ),
    "expected below as a number of records, 2 or more; got {below!r}": "below 應為資料列數，至少 2；收到 {below!r}",
    "the limit 'gain' needs a worth of sensitive values": "上限「gain」需要敏感屬性值的價值",
    "no limit is called {limit!r}; known: {known}": "沒有名為「{limit}」的上限；可用的有：{known}",
    "the limit 'inference' needs a sensitive attribute": "上限「inference」需要敏感屬性",
    "a limit": "上限",
    "subsets of the quasi-identifiers are counted in records; omit the privacy unit": (
        "準識別符的組合以資料列計算；請勿設定隱私單位"
    ),
    "expected sizes of subsets as 'all', '2', '1-3' or '1,3', within 1-{most}; got {sizes!r}": (
        "組合大小應為「all」、「2」、「1-3」或「1,3」，在 1-{most} 之內；收到「{sizes}」"
    ),
    "{columns} quasi-identifiers are too many to count their subsets; at most {most} are allowed": (
        "{columns} 個準識別符過多，無法計算其組合；最多 {most} 個"
    ),
    "ask for fewer quasi-identifiers": "請減少準識別符",
    "{columns} quasi-identifiers have {total:,} subsets of these sizes, more than can be counted in "
    "{records:,} records (at most {most:,}); {instead}": (
        "{columns} 個準識別符在這些大小下有 {total:,} 種組合，在 {records:,} 筆資料列中最多只能計算 {most:,} 種；"
        "{instead}"
    ),
    "ask for fewer, as 1-{size}: {subsets:,} subsets": "請減少，例如 1-{size}：{subsets:,} 種組合",
    "expected some of the quasi-identifiers {quasi_identifiers}, got {names}": (
        "應為準識別符{quasi_identifiers}中的一部分，但收到{names}"
    ),
    "subsets of {number} attributes were not counted": "未計算 {number} 個屬性的組合",
    "what drives the risk is known only once all subsets are counted": "計算所有組合之後，才能得知風險來源",
    "expected up_to as a number of attributes, 1 or more; got {up_to!r}": "up_to 應為屬性數，至少 1；收到 {up_to!r}",
    "finding the records that are unique in up to {deepest} of {columns} attributes needs {memory:.0f} GB; "
    "ask for up to {fits}": (
        "找出由 {columns} 個屬性中至多 {deepest} 個即為唯一的資料列，需要 {memory:.0f} GB；請改為至多 {fits} 個"
    ),
    "sensitive attribute": "敏感屬性",
    "expected worth as a dict from attribute to a dict from value to number": (
        "worth 應為由屬性對應到「值與數字之 dict」的 dict"
    ),
    "worth: numbers are too large to be added up for all records": "worth：數字過大，無法為所有資料列加總",
    "worth of {column!r}: {missing} of {values} values do not occur in {place}": (
        "「{column}」的價值：{values} 個值中有 {missing} 個未出現在{place}"
    ),
    "worth": "worth",
    "quasi-identifiers": "準識別符",
    "a population table": "母體資料表",
    "the population or its size": "母體或其人數",
    "hierarchies": "資料階層",
    "records in the order of the input": "依輸入順序的資料列",
    "records in the order of the original": "與原始資料表順序相同的資料列",
    "{metric} measures a Release(data, roles), got {type}": "{metric} 的對象應為 Release(data, roles)，但收到 {type}",
    "measure": "評估指標",
    "{metric} takes no parameters, got {name}": "{metric} 沒有參數，但收到{name}",
    "{metric} needs {lower} <= {upper}, got {lower}={low}, {upper}={high}": (
        "{metric} 應符合 {lower} <= {upper}，但收到 {lower}={low}、{upper}={high}"
    ),
    " and {need}": "，以及{need}",
    "needs {need}": "需要{need}",
    "expected a Release(data, roles), got {type}": "應為 Release(data, roles)，但收到 {type}",
    "expected the name of a measure, several names or a dict, got {type}": (
        "應為評估指標的名稱、多個名稱或 dict，但收到 {type}"
    ),
    "expected a dict of the parameters of {name!r}, got {type}": "「{name}」的參數應為 dict，但收到 {type}",
    "{metric} needs {name} to be true or false, got {name}={value}": (
        "{metric}：{name} 應為 true 或 false，但收到 {name}={value}"
    ),
    "{metric} needs {name} to be a whole number, got {name}={value}": (
        "{metric}：{name} 應為整數，但收到 {name}={value}"
    ),
    "{metric} needs {name} to be a text, got {given}": "{metric}：{name} 應為文字，但收到 {given}",
    "{metric} needs {name} to be a function, got {type}": "{metric}：{name} 應為函式，但收到 {type}",
    "{metric} needs {name} by attribute and value, as a dict of dicts": (
        "{metric}：{name} 應以屬性與值為鍵，即 dict 中的 dict"
    ),
    "a very long {type}": "很長的 {type}",
    "{metric} needs {name} to be one of {options}; got {given}": "{metric}：{name} 應為{options}之一，但收到 {given}",
    "an empty one": "空白",
    "released records whose class the population does not have: {records}; the release was not drawn from it": (
        "有 {records} 筆釋出的資料列，其等價類不存在於母體中；此釋出資料不是取自該母體"
    ),
    "released records beyond those the population has of their kind: {too_many}; the release was not drawn from it": (
        "有 {too_many} 筆釋出的資料列，超過母體中同類的人數；此釋出資料不是取自該母體"
    ),
    "the given value is in no sensitive attribute": "指定的值不屬於任何敏感屬性",
    "distance names columns that are not sensitive attributes: {strange}": (
        "distance 指定了不是敏感屬性的欄位：{strange}"
    ),
    "column {column!r}: {strange} of {values} values are not numbers; its distance cannot be numeric": (
        "欄位「{column}」：{values} 個值中有 {strange} 個不是數字；無法使用數值距離"
    ),
    "column {column!r} has no hierarchy; its distance cannot be hierarchical": (
        "欄位「{column}」沒有資料階層；無法使用階層距離"
    ),
    "values have no place, or several, in": "值沒有對應的位置，或對應到多個位置",
    "released records that match no record of the original: {records}": (
        "有 {records} 筆釋出的資料列，在原始資料表中找不到對應者"
    ),
    "{text}; the release was not made from it": "{text}；此釋出資料不是由該原始資料表產生的",
    "released records beyond those the original has of their kind: {too_many}; the release was not made from it": (
        "有 {too_many} 筆釋出的資料列，超過原始資料表中同類的筆數；此釋出資料不是由該原始資料表產生的"
    ),
    "every record of the original stands aside": "原始資料表的每筆資料列都不列入計算",
    "{text}; values that the original does not have are in {columns}": "{text}；{columns}含有原始資料表沒有的值",
    "{text}, and no hierarchy says what those in {columns} stand for": (
        "{text}，且沒有資料階層說明{columns}的值代表什麼"
    ),
    "needs a function of yours (in Python: function=...)": "需要您的自訂函式（在 Python 中：function=...）",
    "needs a function that returns a number; of the {table} table it returned {answer}": (
        "需要傳回數字的函式；對{table}資料表傳回的是 {answer}"
    ),
    "one that is not finite": "無限大或非數值",
    "needs a class; every record stands aside": "需要等價類；目前每筆資料列都不列入計算",
    "the release has {released} records, more than the original's {records}": (
        "釋出資料有 {released} 筆資料列，多於原始資料表的 {records} 筆"
    ),
    "compares row by row: the release has {records} records, the original {rows}": (
        "須逐列比較：釋出資料有 {records} 筆資料列，原始資料表有 {rows} 筆"
    ),
    "needs a column to compare: a quasi-identifier or a sensitive attribute": "需要可比較的欄位：準識別符或敏感屬性",
    "hierarchies of one leaf each have no information to lose": "各資料階層都只有一個葉節點，沒有可損失的資訊",
    "{metric} needs {bounds}, got {name}={value}": "{metric}：須符合 {bounds}，但收到 {name}={value}",
    "{metric} needs a number, {bounds}, got {name}={value}": "{metric}：須為數字，且 {bounds}，但收到 {name}={value}",
    "original": "原始",
    "released": "釋出",
    "quasi identifiers": "準識別符",
    "sensitive attributes": "敏感屬性",
    "sizes": "組合大小",
    "records": "資料列數",
    # several releases
    "columns with two roles: {columns}": "下列欄位有兩種屬性型態：{columns}",
    "expected a key for each of {names}, got keys for {key}": "{names}各需一個識別鍵，但收到的識別鍵屬於{key}",
    "release": "釋出資料",
    "{release}: no sensitive attribute is called {missing}": "{release}：沒有名為{missing}的敏感屬性",
    "release {number}": "第 {number} 份釋出資料",
    "no release has the column {column}": "沒有任何釋出資料含有欄位{column}",
    "expected limits as a dict from name to number, got {type}": "limits 應為由名稱對應到數字的 dict，但收到 {type}",
    "the limit {limit!r} needs a sensitive attribute that two releases have": (
        "上限「{limit}」需要兩份釋出資料共有的敏感屬性"
    ),
    "no limit is called {limit}; known: {known}": "沒有名為{limit}的上限；可用的有：{known}",
    "the limit {limit!r} needs a sensitive attribute of the focal release": "上限「{limit}」需要主要釋出資料的敏感屬性",
    "{release}: no column has the role {role!r}": "{release}：沒有欄位的屬性型態為「{role}」",
    "{release}: the key {key!r} names the person, so it cannot have the role {role!r}": (
        "{release}：識別鍵「{key}」用於識別個人，不能具有屬性型態「{role}」"
    ),
    "{release}: no column {key!r}, which is to name the people; it has {columns}": (
        "{release}：沒有用以辨認個人的欄位「{key}」；資料的欄位：{columns}"
    ),
    "{twice} can be a column of two releases; give the releases other names": (
        "{twice}可能同時是兩份釋出資料的欄位；請為釋出資料另取名稱"
    ),
    "{release}: the key {key!r} is in the original, and suppressed records left the release; give the release the key "
    "as a column, or measure it in memory": (
        "{release}：識別鍵「{key}」在原始資料表中，而遭抑制的資料列已自釋出資料移除；請在釋出資料中加入識別鍵欄位，"
        "或在記憶體中評估"
    ),
    "{release}: the key {key!r} is in the original, but records come in no fixed order; give the release the "
    "key as a column, or use files and another engine": (
        "{release}：識別鍵「{key}」在原始資料表中，但資料列沒有固定順序；請在釋出資料中加入識別鍵欄位，或使用檔案與其他"
        "引擎"
    ),
    "{release}: {keys} keys were read for {records} records; a key in the original needs a release that has "
    "the same records in the same order": (
        "{release}：讀到 {keys} 個識別鍵，但有 {records} 筆資料列；識別鍵在原始資料表時，釋出資料須有相同的資料列與相同"
        "的順序"
    ),
    "{release}: the key {key!r} is missing in {missing} of {records} records; every record needs one": (
        "{release}：{records} 筆資料列中有 {missing} 筆缺少識別鍵「{key}」；每筆資料列都必須有"
    ),
    "{release}: the key {key!r} is repeated: {repeated} of {people} people have more than one record; keep "
    "one record of each person": (
        "{release}：識別鍵「{key}」重複：{people} 人中有 {repeated} 人有多筆資料列；請為每人保留一筆"
    ),
    "{member} has no person in common with {focal}; use the same {key!r} in both, or leave that release out": (
        "{member}與{focal}沒有共同的人；請確認兩者使用相同的「{key}」，或不納入該釋出資料"
    ),
    "expected a list or dict of at least two releases, got {given}": (
        "應為至少含兩份釋出資料的 list 或 dict，但收到 {given}"
    ),
    "expected the key as the name of a column, got {type}": "識別鍵應為欄位名稱，但收到 {type}",
    "any release": "任何一份釋出資料",
    "sensitive attribute of the focal release": "主要釋出資料的敏感屬性",
    "{column!r} is sensitive in {focal} but a quasi-identifier in {release}: whoever joins the records knows it": (
        "「{column}」在{focal}是敏感屬性，在{release}卻是準識別符：串連資料列的人會知道其值"
    ),
    "{share} of the values of {column!r} in {release} do not occur in {focal}; the unlinked adversary and "
    "m-invariance need the same coding": (
        "{release}中「{column}」有 {share} 的值未出現在{focal}；無法串連資料列的攻擊者與 m-不變性需要相同的編碼"
    ),
    # reports
    "edition is {internal!r} or {external!r}, got {edition!r}": (
        "edition 應為「{internal}」或「{external}」，但收到「{edition}」"
    ),
    "format": "格式",
    "the report would be larger than {most} MB; shorten the texts of the policy": (
        "報告會超過 {most} MB；請縮短政策檔中的文字"
    ),
    "lang is one of {languages}; got {lang}": "lang 應為{languages}之一，但收到{lang}",
    # the page
    "{strange} of {values} values are not in {file}": "{values} 個值中有 {strange} 個不在 {file} 中",
    "there is no such quasi-identifier; look at the step Columns": "沒有此準識別符；請查看步驟「欄位」",
    "the levels do not nest: values that are equal on level {level} are not on level {next_level}": (
        "層級無法層層包含：在第 {level} 層相同的值，在第 {next_level} 層卻不同"
    ),
    "the form names a column that the table does not have; look at the page again": (
        "表單中有資料表沒有的欄位；請重新查看此頁"
    ),
    "the form names a role that there is not; look at the page again": "表單中有不存在的屬性型態；請重新查看此頁",
    "the policy file was changed meanwhile; load the page again": "政策檔已變更；請重新載入此頁",
    "the table of this policy is not a single file below the folder, as several releases need it": (
        "此政策檔的資料表不是此資料夾中的單一檔案，無法比較多份釋出資料"
    ),
    "choose at least one earlier release, and at most {most}": "請至少選擇一份先前的釋出資料，最多 {most} 份",
    "choose the column that names the person": "請選擇用以辨認個人的欄位",
    "the command printed no result; start it again": "指令沒有輸出結果；請重新執行",
    "there is no such form": "沒有此表單",
    "the page shows at most {most}; edit the policy file for more": "此頁最多顯示 {most} 項；其餘請直接編輯政策檔",
    "choose a measure of the list": "請從清單中選擇評估指標",
    "{kind}: nothing is given; fill in the form": "{kind}：尚未填寫；請填寫表單",
    "groups: a group contains both values and groups; give it one or the other": (
        "groups：有組別同時含有值與子組別；請擇一"
    ),
    "groups: a quote is not closed in the list of values": "groups：值的清單中引號未成對",
    "this job has not exported anything of the policy that is open": "此工作未匯出目前開啟之政策檔的任何內容",
    "expected a kind of hierarchy": "應指定資料階層種類",
    "there is no proposal: the values are generalised already, or have a hierarchy": (
        "無法建議：值已經概化，或已有資料階層"
    ),
    "there is no such job; it may have been of an earlier start of the page": "沒有此工作；可能是網頁先前啟動時的工作",
    "{number} commands are running already; wait until one has ended, or cancel it": (
        "已有 {number} 個指令正在執行；請等待其中一個結束，或將其取消"
    ),
    "this job has not made a release; start it again in the step Levels": (
        "此工作未產生釋出資料；請在步驟「層級」重新執行"
    ),
    "expected how the levels bound the search: exactly, at least or at most": (
        "應指定層級如何限制搜尋：恰好、至少或至多"
    ),
    "the policy file was changed meanwhile; look at the levels again": "政策檔已變更；請重新查看層級",
    "the class size of the reasons is a whole number from 2 to {most:,}": "原因的等價類大小應為 2 到 {most:,} 的整數",
    "the suppression limit is a share of the records, from 0 to 1": "抑制上限應為占資料列的比例，0 到 1",
    "this job has not found a frontier; start it again in the step Make it safe": (
        "此工作未算出代價曲線；請在步驟「匿名化」重新執行"
    ),
    "no rule of the policy has such a threshold; compute the frontier again": (
        "政策檔沒有此閾值的規則；請重新計算代價曲線"
    ),
    "the release was made anew meanwhile; look at its levels again": "釋出資料已重新產生；請重新查看其層級",
    "expected a number": "應為數字",
    "no rule of the policy has such a threshold": "政策檔沒有此閾值的規則",
    "the form names a kind of release that there is not; look at the page again": (
        "表單中有不存在的釋出方式；請重新查看此頁"
    ),
    "expected the name of a policy file that ends in .yaml, without a folder": (
        "應為以 .yaml 結尾、不含資料夾的政策檔名稱"
    ),
    "{file!r} already exists; give the new policy another name": "「{file}」已存在；請為新的政策檔另取名稱",
    "{table}: the table has no columns": "{table}：資料表沒有欄位",
    "the form cannot be read": "無法讀取表單",
    "the policy file was changed by someone else meanwhile; look at it again": "政策檔已由他人變更；請重新查看",
    "{folder}: the folder of earlier versions is a symlink; remove it": (
        "{folder}：先前版本的資料夾是符號連結；請將其移除"
    ),
    "the policy is not a YAML file in UTF-8": "政策檔不是 UTF-8 的 YAML 檔",
    "there is no such version of the policy any more": "政策檔的這個版本已不存在",
    "there is nothing to undo: this policy was not changed on this page": "沒有可復原的變更：此政策檔未曾在此頁變更",
    "the name of the release is the name of a file in the folder of the policy, got {given!r}": (
        "釋出資料的名稱應為政策檔資料夾中的檔名，但收到「{given}」"
    ),
    "the name of the release ends in one of {suffixes}, got {given!r}": (
        "釋出資料的名稱結尾應為{suffixes}之一，但收到「{given}」"
    ),
    "{file} is a symlink; give the release another name": "{file}是符號連結；請為釋出資料另取名稱",
    "{given!r} exists and was not made here; give the release another name": (
        "「{given}」已存在，且不是在此產生的；請為釋出資料另取名稱"
    ),
    "there is no {file}: make the release again to see how it was made": (
        "沒有{file}：請重新產生釋出資料，才能查看其產生方式"
    ),
    "the policy asks for no subsets of the quasi-identifiers": "政策檔未要求計算準識別符的組合",
    "{file}: the check does not say how the release was made": "{file}：檢查結果未說明釋出資料如何產生",
    "the class size is a whole number": "等價類大小應為整數",
    "there is no {file}: ask for reasons when the release is made": "沒有{file}：請在產生釋出資料時要求列出原因",
    "{file} is no report below the folder": "{file}不是此資料夾中的報告",
    "{file}: not a file of reasons that petworks anonymize wrote": "{file}：不是 petworks anonymize 寫出的原因檔",
    "{field}: expected a number from {lowest} to {highest}, got {given!r}": (
        "{field}：應為 {lowest} 到 {highest} 的數字，但收到「{given}」"
    ),
    "{field} is one of {known}": "{field}應為下列之一：{known}",
    "column {column!r}: the lowest level is above the highest one": "欄位「{column}」：最低層級高於最高層級",
    "{field}: expected a number at least {lowest}, got {given!r}": (
        "{field}：應為至少 {lowest} 的數字，但收到「{given}」"
    ),
    "expected the path of a file below the folder that the page was opened with": "應為開啟此網頁之資料夾中的檔案路徑",
    "{file!r} is not below the folder that the page was opened with": "「{file}」不在開啟此網頁的資料夾中",
    "{file!r} is not a valid path": "「{file}」不是有效的路徑",
    "see the step Columns": "見步驟「欄位」",
    "see the step Levels": "見步驟「層級」",
    "put the policy and its files in one folder": "請將政策檔與其檔案放在同一個資料夾",
    "choose presets of the list": "請從清單中選擇規則範本",
    "choose regimes of the list": "請從清單中選擇標準與法規",
    "suppression": "抑制上限",
    "weight": "權重",
    "low": "最低層級",
    "high": "最高層級",
    "minutes": "分鐘數",
    # tables
    "{table}: the table has changed since it was opened": "{table}：資料表在開啟後已變更",
    "{table}: a column has cells of types that do not fit together": "{table}：有欄位的儲存格型別彼此不合",
    "{table}: column {column!r} has cells of type {kind}, not all of them text": (
        "{table}：欄位「{column}」的儲存格型別為 {kind}，並非全部是文字"
    ),
    "{table}: column {column!r} has cells that are not valid UTF-8; save the table as UTF-8": (
        "{table}：欄位「{column}」有儲存格不是有效的 UTF-8；請將資料表存成 UTF-8"
    ),
    "{table}: {cells} with characters that its encoding {encoding} does not have; save the table as UTF-8, "
    "or write Parquet": "{table}：{cells}含有其編碼 {encoding} 所沒有的字元；請將資料表存成 UTF-8，或寫成 Parquet",
    "{table}: column {column!r} has cells with a NUL character, which CSV cannot have": (
        "{table}：欄位「{column}」的新儲存格含有 NUL 字元，CSV 無法儲存"
    ),
    "column {column!r} has cells": "欄位「{column}」的儲存格",
    "it has cells": "其儲存格",
    "{table}: the file has changed since it was opened": "{table}：檔案在開啟後已變更",
    "no text file is in the encoding {encoding}; expected one like 'utf-8' or 'big5'": (
        "文字檔不使用{encoding}這種編碼；請改用如 'utf-8' 或 'big5' 的編碼"
    ),
    "{scheme}:// addresses are read with Spark: pip install 'petworks[spark]'; a file on this machine is named "
    "by its path alone": ("讀取 {scheme}:// 位址需要 Spark：pip install 'petworks[spark]'；本機檔案只需寫出路徑"),
    "no encoding is called {encoding}; expected one like 'utf-8' or 'big5'": (
        "沒有名為{encoding}的編碼；應類似「utf-8」或「big5」"
    ),
    "{file}, line {line}: the bytes are not {encoding}": "{file} 第 {line} 行：位元組不符合編碼 {encoding}",
    "name its encoding": "請指定其編碼",
    "{file}, line {line}: contains a NUL byte; the file is damaged or not CSV": (
        "{file} 第 {line} 行：含有 NUL 位元組；檔案已損毀，或不是 CSV"
    ),
    "{file}, line {line}: the line is longer than {most} MiB": "{file} 第 {line} 行：此行超過 {most} MiB",
    "{name}: the order of the records must name each of {rows} records at most once": (
        "{name}：資料列的順序中，{rows} 筆資料列各只能出現一次"
    ),
    "the header has": "標題列",
    "{name}, line 1: expected the column names, got an empty line": "{name} 第 1 行：應為欄位名稱，但這一行是空的",
    "expected a separator of one ASCII character other than a quote or a line end, got {separator!r}": (
        "分隔符號應為引號與換行以外的一個 ASCII 字元，但收到 {separator!r}"
    ),
    "{table}: the file has a header but no records": "{table}：檔案有標題列，但沒有資料列",
    "{table}: the file cannot be read in pieces; use the engine 'memory'": (
        "{table}：檔案無法分段讀取；請使用引擎「memory」"
    ),
    "cannot read {path!r}: {reason}": "無法讀取「{path}」：{reason}",
    "{name}, line 1: expected a header of column names": "{name} 第 1 行：應為欄位名稱的標題列",
    "{table}: the file is empty": "{table}：檔案是空的",
    "{table}, line {line}: a quote is not closed": "{table} 第 {line} 行：引號未成對",
    "{table}, line {line}: {cells}, but the header has {width}": (
        "{table} 第 {line} 行：有 {cells}，但標題列有 {width} 個"
    ),
    "{table}, line {line}: text follows a closing quote": "{table} 第 {line} 行：右引號之後還有文字",
    "1 cell": "1 個儲存格",
    "{number} cells": "{number} 個儲存格",
    "a PostgreSQL address is postgresql://USER@HOST:PORT/DATABASE#TABLE": (
        "PostgreSQL 位址的格式為 postgresql://USER@HOST:PORT/DATABASE#TABLE"
    ),
    "DuckDB {version} needs its extension {extension!r} for this: pip install "
    "'duckdb-extension-{package}=={version}'": (
        "DuckDB {version} 需要擴充套件「{extension}」：pip install 'duckdb-extension-{package}=={version}'"
    ),
    "{file}: not a DuckDB or SQLite database, nor a workbook; leave '#{table}' out": (
        "{file}：不是 DuckDB 或 SQLite 資料庫，也不是活頁簿；請去掉「#{table}」"
    ),
    "{name}: expected the name of a table: {address}": "{name}：應指定資料表名稱：{address}",
    "a database is read with DuckDB: pip install 'petworks[duckdb]'": (
        "讀取資料庫需要 DuckDB：pip install 'petworks[duckdb]'"
    ),
    "{name}: several tables have this name: {matches}": "{name}：有多個資料表使用此名稱：{matches}",
    "{table}: {rows} records were read but {expected} were expected; the table may have changed": (
        "{table}：讀到 {rows} 筆資料列，但應為 {expected} 筆；資料表可能已變更"
    ),
    "{address}; write / # ? in a password as %2F, %23, %3F": "{address}；密碼中的 / # ? 請寫成 %2F、%23、%3F",
    "{name}: the database cannot be read ({type}); it must exist, be undamaged and readable for you, and not "
    "be written to meanwhile": (
        "{name}：無法讀取資料庫（{type}）；資料庫必須存在、未損毀、您有讀取權限，且讀取期間沒有寫入"
    ),
    "table": "資料表",
    "{name}, line {line}: the bytes are neither UTF-8 nor Big5 (CP950); {advice}": (
        "{name} 第 {line} 行：位元組既不是 UTF-8 也不是 Big5（CP950）；{advice}"
    ),
    "save it as UTF-8": "請存成 UTF-8",
    "{name}: matches {pattern!r}, but is not a readable file": "{name}：符合「{pattern}」，但不是可讀取的檔案",
    "no file matches {pattern!r}": "沒有檔案符合「{pattern}」",
    "{pattern!r} matches a file twice: {files} are links to the same records": (
        "「{pattern}」重複符合同一個檔案：{files}連結到相同的資料列"
    ),
    "{file} and {first} are not files of the same kind": "{file} 與 {first} 不是同類的檔案",
    "{file} and {first} have different columns: {columns} only in one of them": (
        "{file} 與 {first} 的欄位不同，只出現在其中一個檔案的有：{columns}"
    ),
    "{file}: column {column!r} is {kind}, but {other} in {first}": (
        "{file}：欄位「{column}」是 {kind}，但在 {first} 中是 {other}"
    ),
    "{columns}; the first line looks like data ({strange} of {names} names); add a header": (
        "{columns}；第一行看起來像資料（{names} 個名稱中有 {strange} 個）；請加上標題列"
    ),
    "1 column": "1 個欄位",
    "{columns}; {strange} of {names} names look like data and are not shown": (
        "{columns}；{names} 個名稱中有 {strange} 個看起來像資料，因此不顯示"
    ),
    "{name}: expected a path or an Arrow-compatible data frame (pandas, Polars, PyArrow, DuckDB), got {type}": (
        "{name}：應為路徑，或與 Arrow 相容的資料框（pandas、Polars、PyArrow、DuckDB），但收到 {type}"
    ),
    "{table}: duplicate column names {columns}": "{table}：欄位名稱重複：{columns}",
    "unknown kind of address; expected one of {kinds}": "不明的位址種類；應為下列之一：{kinds}",
    "{file}: the file is a database; name one of its tables: '{file}#TABLE'": (
        "{file}：此檔案是資料庫；請指定其中的資料表：「{file}#TABLE」"
    ),
    "{file}: the bytes are not {encoding}; save it as UTF-8": "{file}：位元組不是 {encoding}；請存成 UTF-8",
    "{file}: the bytes are not {encoding}": "{file}：位元組不是 {encoding}",
    "{file}, line {line}: {problem}": "{file} 第 {line} 行：{problem}",
    "column {column!r} has a list or an object as its cell": "欄位「{column}」有儲存格是清單或物件",
    "not JSON: each line must be an object": "不是 JSON：每一行必須是一個物件",
    "an object has a key twice": "物件中有重複的鍵",
    "column {column!r} cannot be protected: rounded values are too large for its type {kind}, or are no "
    "numbers; store the column as text or with a wider type": (
        "欄位 {column!r} 無法保護：捨入後的值超出其型別 {kind} 的範圍，或不是數字；請以文字或更寬的型別儲存該欄位"
    ),
    "NaN and Infinity are not JSON; write null for a missing cell": "JSON 沒有 NaN 與 Infinity；缺漏的儲存格請寫 null",
    "{file}: the lines have more than {most:,} different keys": "{file}：各行的鍵超過 {most:,} 種",
    "{table}: the file has no records with keys": "{table}：檔案中沒有帶有鍵的資料列",
    "{table}: column {column!r} has cells that are not valid Unicode": (
        "{table}：欄位「{column}」有儲存格不是有效的 Unicode"
    ),
    'expected an object with the columns as keys, such as {{"zip": 471}}': '應為以欄位為鍵的物件，例如 {{"zip": 471}}',
    "{file}: expected a CSV file or JSON lines in it; unpack it first": (
        "{file}：其中應為 CSV 檔或 JSON Lines；請先解壓縮"
    ),
    "{file}: expected JSON lines, an object per line: jq -c '.[]' FILE.json > TABLE.jsonl": (
        "{file}：應為 JSON Lines，每行一個物件：jq -c '.[]' FILE.json > TABLE.jsonl"
    ),
    "{file}: expected one table in the zip file, got {files}; unpack it first": (
        "{file}：zip 檔中應有一個資料表，但有 {files} 個檔案；請先解壓縮"
    ),
    "{file}: the zip file is protected by a password; unpack it first": "{file}：zip 檔有密碼保護；請先解壓縮",
    "{file}: the file is more than {times} times as large when it is unpacked, and larger than "
    "{size} GiB; if it is meant to be, unpack it first": (
        "{file}：檔案解壓縮後超過原來的 {times} 倍，且大於 {size} GiB；若確實如此，請先解壓縮"
    ),
    "{file}: the file cannot be unpacked; it may be truncated or damaged": "{file}：檔案無法解壓縮；可能不完整或已損毀",
    "{table}, row {row}: the row is empty, but there are cells below it; delete it, or what is no part of the table": (
        "{table} 第 {row} 列：此列是空的，但下方還有儲存格；請刪除此列，或刪除不屬於資料表的內容"
    ),
    "{table}: column {column!r} has cells that are an error, such as #N/A; correct or clear them": (
        "{table}：欄位「{column}」有儲存格是錯誤值，例如 #N/A；請更正或清除"
    ),
    "{table}: column {column!r} has formulas without their values; open the workbook in a "
    "spreadsheet program, and save it again": (
        "{table}：欄位「{column}」有公式沒有儲存計算結果；請用試算表程式開啟活頁簿並重新儲存"
    ),
    "{table}: column {letters} is empty, but there are cells to the right of it; delete it": (
        "{table}：{letters} 欄是空的，但右方還有儲存格；請刪除此欄"
    ),
    "{table}: column {letters} has no name in row {row}; the first row must have the names of all "
    "columns: delete what stands above them, or name the column": (
        "{table}：{letters} 欄在第 {row} 列沒有名稱；第一列必須有所有欄位的名稱：請刪除名稱上方的內容，或為該欄命名"
    ),
    "{file}: the workbook is protected by a password; save it without one": (
        "{file}：活頁簿有密碼保護；請存成沒有密碼的檔案"
    ),
    "{file}: a workbook needs a package: pip install 'petworks[files]'": (
        "{file}：讀取活頁簿需要套件：pip install 'petworks[files]'"
    ),
    "{table}: the sheet is empty": "{table}：工作表是空的",
    "{table}: the sheet has merged cells; split them, and fill in the values that they stand for": (
        "{table}：工作表有合併儲存格；請取消合併，並填入各儲存格的值"
    ),
    "sheet": "工作表",
    "{file}: the workbook has several sheets; name one of them:\n{sheets}": (
        "{file}：活頁簿有多個工作表；請指定其中一個：\n{sheets}"
    ),
    "{file}: no visible sheet has cells; a hidden one can be named: '{file}#SHEET'": (
        "{file}：沒有任何可見的工作表有儲存格；可指定隱藏的工作表：「{file}#SHEET」"
    ),
    "{table}: column {column!r} has a value label that is also a value without a label; label all values": (
        "{table}：欄位「{column}」的某個數值標籤與另一個沒有標籤的值相同；請為所有值加上標籤"
    ),
    "{file}: files of SPSS, Stata and SAS need a package: pip install 'petworks[files]'": (
        "{file}：讀取 SPSS、Stata 與 SAS 檔案需要套件：pip install 'petworks[files]'"
    ),
    "{file}: not a readable {program} file; it may be damaged, or in an encoding that it does not "
    "state: name the encoding, or save the table as CSV": (
        "{file}：不是可讀取的 {program} 檔；可能已損毀，或未註明編碼：請指定編碼，或將資料表存成 CSV"
    ),
    "{table}: column {column!r} has whole numbers beyond {most:,}, of which such a file does not "
    "keep all digits; store them as text": (
        "{table}：欄位「{column}」有超過 {most:,} 的整數，此種檔案無法保留其所有位數；請存成文字"
    ),
    "{file}: the file is {kind}; {instead}": "{file}：此檔案是{kind}；{instead}",
    "{file}: the workbook cannot be read; it may be damaged: open it in a spreadsheet program, and save it again": (
        "{file}：無法讀取活頁簿；可能已損毀：請用試算表程式開啟並重新儲存"
    ),
    "{table}: the cells reach to row {row:,} and column {letters}, but most of them are empty; "
    "delete the rows and columns around the table": (
        "{table}：儲存格一直到第 {row:,} 列、{letters} 欄，但大多是空的；請刪除資料表周圍的列與欄"
    ),
    "unpack it first": "請先解壓縮",
    "open it in a spreadsheet program, and save it as .xlsx or CSV": "請用試算表程式開啟，並存成 .xlsx 或 CSV",
    "copy its table to a sheet, and save that as .xlsx or CSV": "請將其中的表格複製到工作表，並存成 .xlsx 或 CSV",
    "export the table in Access as CSV or Excel": "請在 Access 中將資料表匯出為 CSV 或 Excel",
    "ask for the table as CSV or Excel; what is copied from a PDF loses cells": (
        "請索取 CSV 或 Excel 格式的資料表；從 PDF 複製會遺失儲存格"
    ),
    "save it in R: write.csv(x, 'x.csv', row.names = FALSE)": "請在 R 中儲存：write.csv(x, 'x.csv', row.names = FALSE)",
    "a PDF document": " PDF 文件",
    "a 7z archive": " 7z 壓縮檔",
    "a RAR archive": " RAR 壓縮檔",
    "packed with xz": " xz 壓縮檔",
    "packed with bzip2": " bzip2 壓縮檔",
    "a tar archive": " tar 封存檔",
    "an Access database": " Access 資料庫",
    "saved by R": " R 儲存的檔案",
    "a shapefile": " Shapefile 圖資檔",
    "open it in a GIS program, and save its attributes as CSV": "請用 GIS 程式開啟，並將屬性表存成 CSV",
    "a web page": "網頁",
    "XML": " XML 檔",
    "an Avro file": " Avro 檔",
    "save it as Parquet": "請存成 Parquet",
    "an HDF5 file": " HDF5 檔",
    "save its table as Parquet or CSV": "請將其中的資料表存成 Parquet 或 CSV",
    "a binary Excel workbook (.xlsb)": "二進位的 Excel 活頁簿（.xlsb）",
    "save it as .xlsx": "請存成 .xlsx",
    "a Word document": " Word 文件",
    "a PowerPoint presentation": " PowerPoint 簡報",
    "a document of Apple Numbers or Pages": " Apple Numbers 或 Pages 文件",
    "export it as .xlsx or CSV": "請匯出為 .xlsx 或 CSV",
    "an OpenDocument file without sheets": "沒有工作表的 OpenDocument 檔",
    "{name}: {cells} cannot be converted to Arrow; it may mix types or lengths": (
        "{name}：{cells}無法轉換為 Arrow；可能混有不同的型別或長度"
    ),
    "{name}: the system rejects this path": "{name}：系統不接受此路徑",
    "{name}: duplicate column names": "{name}：欄位名稱重複",
    "column {column!r}": "欄位「{column}」",
    "{file}: not a readable Feather file; it may be truncated": "{file}：不是可讀取的 Feather 檔；可能不完整",
    "cannot write {path!r}: it exists; name a new folder, such as {other!r}": (
        "無法寫入「{path}」：已存在；請指定新的資料夾，例如「{other}」"
    ),
    "cannot write {path!r}: the folder {folder!r} does not exist": "無法寫入「{path}」：資料夾「{folder}」不存在",
    "cannot write {path!r}: it is a folder or a device, not a file": "無法寫入「{path}」：它是資料夾或裝置，不是檔案",
    "cannot write {path!r}: it is an input of this run, or is named like one": (
        "無法寫入「{path}」：它是本次執行的輸入，或與輸入同名"
    ),
    "a symlink loop": "符號連結形成迴圈",
    "{table}: not a readable Parquet file; it may be truncated": "{table}：不是可讀取的 Parquet 檔；可能不完整",
    "{table}: row group {group} cannot be read; the file may be damaged": (
        "{table}：無法讀取第 {group} 個資料列群組；檔案可能已損毀"
    ),
    "cannot read {path!r}: not a regular file": "無法讀取「{path}」：不是一般檔案",
    "cannot read {path!r}: not a regular file: its size is 0, but it is not empty; copy its content to a "
    "file, and use that": "無法讀取「{path}」：不是一般檔案：大小為 0，卻有內容；請將內容複製到檔案後再使用",
    "{file}: the file is larger than {most} MiB": "{file}：檔案超過 {most} MiB",
    "the job failed": "工作失敗",
    "it does not start; is Java 17 there?": "無法啟動；是否已安裝 Java 17？",
    "Spark: {problem} ({type}); Spark's own message may contain cells and is not shown": (
        "Spark：{problem}（{type}）；Spark 本身的訊息可能含有儲存格內容，因此不顯示"
    ),
    "the {scheme} address cannot be read as Parquet": "{scheme} 位址無法以 Parquet 讀取",
    "{table}: the database cannot be read ({type}); it must be undamaged, with text in UTF-8": (
        "{table}：無法讀取資料庫（{type}）；資料庫必須未損毀，且文字為 UTF-8"
    ),
    "{table}: the records have no order of their own; save the table as a CSV or Parquet file": (
        "{table}：資料列沒有固定的順序；請將資料表存成 CSV 或 Parquet 檔"
    ),
    "{table}: no such columns to drop or change: {columns}": "{table}：沒有要移除或更改的欄位：{columns}",
    "{table}: every column is dropped; at least one must be left to write": (
        "{table}：所有欄位都會移除；至少須保留一個欄位"
    ),
    "{table}: the columns have {numbers} cells": "{table}：各欄位分別有 {numbers} 個儲存格",
    "cannot write {path!r}: expected a name that ends in one of {suffixes}": (
        "無法寫入「{path}」：名稱結尾應為{suffixes}之一"
    ),
    "cannot write {path!r}: the format cannot hold all of the types": "無法寫入「{path}」：此格式無法儲存所有型別",
    " and ": "與",
    "cannot write {path!r}: the format cannot hold all of the types {kinds}": (
        "無法寫入「{path}」：此格式無法儲存所有型別：{kinds}"
    ),
    "{file}, line {line}, {key}": "{file} 第 {line} 行，{key}",
    "{name}, line {line}: {thing} is not allowed": "{name} 第 {line} 行：不得使用{thing}",
    "{name}, line {line}: the content is nested too deeply": "{name} 第 {line} 行：內容的巢狀層次過深",
    "{file}, line {line}": "{file} 第 {line} 行",
    "{place}: not plain YAML: {advice}": "{place}：格式有誤：{advice}",
    "indent with blanks, not with tabs": "縮排請用半形空格，不可用 Tab",
    "the colon is full-width; write a half-width one and a blank": (
        "冒號「：」為全形；請改用半形「:」，後面加一個半形空格"
    ),
    "write a blank behind '-'": "「-」後面要有一個半形空格",
    "write a blank behind ':'": "「:」後面要有一個半形空格",
    "look at the indentation, for quotes and brackets that are not closed, and for blanks behind '-' and half-width "
    "':'": ("請檢查縮排、未成對的引號或括號，以及「-」與「:」後面是否有一個半形空格、冒號是否為半形"),
    "{file}, line {line}, {key} (on this line, '{signs}' may have to be of half width)": (
        "{file} 第 {line} 行，{key}（此行的「{signs}」可能須改為半形）"
    ),
    "'{signs}' may have to be of half width, as the sign : is": "「{signs}」可能須改為半形，例如「:」",
    "{file}: its text is not in UTF-8{guess}; save it as UTF-8 (Notepad: File, Save as, Encoding)": (
        "{file}：文字不是 UTF-8{guess}；請另存為 UTF-8（記事本：檔案 → 另存新檔 → 編碼）"
    ),
    ", but in {encoding}": "，而是 {encoding}",
    ", but perhaps in {encoding}": "，可能是 {encoding}",
    "{file}: not a YAML file in UTF-8": "{file}：不是 UTF-8 的 YAML 檔",
    "an alias": "別名（alias）",
    "a tag": "標籤（tag）",
    "{name}, line {line}: a key is not a name": "{name} 第 {line} 行：有鍵不是名稱",
    "{name}, line {line}: the key {key} is a duplicate": "{name} 第 {line} 行：鍵{key}重複",
    "{name}: the file has more than one YAML document": "{name}：檔案含有多個 YAML 文件",
    "{folder!r} is not an empty folder; name another one": "「{folder}」不是空資料夾；請指定其他資料夾",
    "the demonstration did not work as it should; the lines above say why": "示範未能順利執行；原因見上方訊息",
    # counts of columns, proposed hierarchies, m-invariance
    "{n:,} records": "{n:,} 筆資料列",
    "{n:,} record": "{n:,} 筆資料列",
    "no value in {records}": "{records}均無值",
    "{n:,} distinct values": "{n:,} 種值",
    "{n:,} distinct value": "{n:,} 種值",
    "{values}, {unique}": "共 {values}，{unique}",
    "no record has a unique one": "沒有只出現一次的值",
    "{share} of {records} have a unique one": "{records}中，{share} 其值只出現一次",
    "{counts}, {share} without a value": "{counts}，{share} 為缺值",
    "{n} %": "{n}%",
    "codes of ICD-10: category, then chapter": "ICD-10 代碼：先到類目，再到章",
    "values in few records become {label!r}; declare groups instead where some make sense": (
        "少見的值歸為「{label}」；若有合理的分組，請改為宣告分組"
    ),
    "dates; levels: {levels}": "日期；層級：{levels}",
    "{level} = {period}": "{level} = {period}",
    "a postcode: its first characters are a larger area": "郵遞區號：前幾碼代表較大的區域",
    "numbers: at most {n} intervals, then wider ones": "數值：最多 {n} 個區間，再逐層加寬",
    "few people reach {age}": "很少人達到 {age}",
    "few records reach {number}": "很少資料列達到 {number}",
    "month": "月",
    "quarter": "季",
    "year": "年",
    "5-years": "五年",
    "decade": "十年",
    "{n} class of {release!r} with a value more than once": "「{release}」有 {n} 個等價類含重複的值",
    "{n} classes of {release!r} with a value more than once": "「{release}」有 {n} 個等價類含重複的值",
    "1 person": "1 人",
    "{n} people": "{n} 人",
    "{people} with other values in another release": "{people}在其他釋出中的一組值不同",
    "a population of {n}": "{n} 人的母體",
}
