"""Every text of a report in Traditional Chinese as used in Taiwan, by its English."""

CHINESE = {
    # verdicts and words of the tables
    "pass": "通過",
    "waived": "豁免",
    "fail": "未通過",
    "none": "無",
    "yes": "是",
    "no": "否",
    "language": "語言",
    "contents": "目錄",
    "rules": "規則",
    "rule": "規則",
    "measures": "評估指標",
    "measure": "評估指標",
    "value": "數值",
    "what it is": "說明",
    "found": "測得",
    "wanted": "要求",
    "verdict": "結果",
    "files": "檔案",
    "file": "檔案",
    "is": "用途",
    "SHA-256": "SHA-256 雜湊值",
    "policy": "政策檔",
    "data": "去識別化資料表",
    "roles": "屬性型態定義",
    "original": "原始資料表",
    "population": "母體資料表",
    "hierarchies": "資料階層定義",
    "a table in memory": "記憶體中的資料表",
    "no direct identifiers": "不含直接識別符",
    "every subset": "所有準識別符組合",
    "re-identification": "再識別",
    "attribute-inference": "屬性推論",
    "{attack} of {column}": "{attack}（{column}）",
    "and {n} more": "其餘 {n} 項",
    "withheld (small class)": "不公開（等價類過小）",
    "withheld (tells counts)": "不公開（會透露人數）",
    "withheld (few records)": "不公開（資料列過少）",
    "Shown are {n} of {all}; the JSON file has all.": "此處顯示 {all} 項中的 {n} 項；全部內容見 JSON 檔。",
    "internal edition: not for release": "內部版：不得對外提供",
    "external edition": "對外版",
    # verdict
    "{n} of {all} rules do not hold.": "{all} 條規則中有 {n} 條未通過。",
    "What does not hold is waived: {n} of {all} rules.": "未符合的規則均已豁免：{all} 條中有 {n} 條。",
    "All rules hold ({n}).": "全部 {n} 條規則均通過。",
    "Records: {records}; quasi-identifiers: {known}; sensitive attributes: {sensitive}.": (
        "資料列數 {records}；準識別符 {known} 個，敏感屬性 {sensitive} 個。"
    ),
    "Not looked at: {n} columns without a role.": "有 {n} 個欄位未指定屬性型態，未經評估。",
    "The records are of {n} people.": "這些資料列屬於 {n} 人。",
    "Waived until {expires}: {reason}": "豁免至 {expires}：{reason}",
    "The waiver expired on {expires}: {reason}": "豁免已於 {expires} 到期：{reason}",
    "The waiver until {expires} is not needed: {reason}": "效期至 {expires} 的豁免已無必要：{reason}",
    # context
    "Context and assumptions": "釋出情境與假設",
    "The policy does not say who will get the table.": "政策檔未說明資料表將提供給誰。",
    "The release is public: anybody may try to find somebody in it.": "公開釋出：任何人都可能嘗試在其中尋找特定人。",
    "The release is controlled: recipients are known and bound by terms.": (
        "受控釋出：接收者身分已知，並受使用條款約束。"
    ),
    "The release is internal: it stays within the organisation.": "內部使用：資料不離開組織。",
    "Recipients: {who}.": "接收者：{who}。",
    "An adversary may know all of: {columns}.": "攻擊者可能知道下列所有欄位：{columns}。",
    "Assumed adversary: {who}, who knows {columns}.": "假設的攻擊者：{who}，已知欄位為 {columns}。",
    "A missing quasi-identifier is a value of its own.": "準識別符的缺值視為一個獨立的值。",
    "Records that miss a quasi-identifier stand aside from class-based checks.": (
        "準識別符有缺值的資料列不列入以等價類為基礎的檢查。"
    ),
    "Suppressed records stand aside from class-based checks; attacks see them.": (
        "遭抑制的資料列不列入以等價類為基礎的檢查；攻擊評估則仍予計入。"
    ),
    "Suppressed records are one more class.": "遭抑制的資料列另成一個等價類。",
    "Each sensitive attribute is judged alone.": "各敏感屬性分別評估。",
    "The other sensitive attributes count among what the adversary knows.": "其他敏感屬性視為攻擊者已知的資訊。",
    "Several records of one person count once in each class, by {column}.": (
        "同一人（依 {column} 認定）的多筆資料列只計一次。"
    ),
    "Without a population, whoever is looked for is assumed to be in the table.": (
        "未提供母體資料，因此假設攻擊者尋找的對象確實在資料表中。"
    ),
    "The population has {n} people.": "母體共 {n} 人。",
    "Amounts, of the measure unless a rule gives others: an attack costs {adversary_cost} and gains {adversary_gain}; "
    "the publisher loses {publisher_loss} and has {publisher_benefit} of each record.": (
        "金額假設（規則未另行指定時採指標預設值）：每筆資料列的攻擊成本 {adversary_cost}、攻擊收益 {adversary_gain}；"
        "發布者損失 {publisher_loss}、發布者收益 {publisher_benefit}。"
    ),
    "Presets": "規則範本",
    "preset": "規則範本",
    "source": "來源",
    "cell size": "最小儲存格人數",
    "probability": "再識別機率",
    "probability and cell size": "再識別機率與最小儲存格人數",
    "stated as": "原文表述方式",
    "rule of thumb": "經驗法則",
    # columns
    "Columns": "欄位",
    "column": "欄位",
    "role": "屬性型態",
    "values": "相異值數",
    "missing or suppressed": "缺值或遭抑制",
    " (removed)": "（已移除）",
    "no role": "未指定",
    "direct identifier": "直接識別符",
    "quasi-identifier": "準識別符",
    "sensitive attribute": "敏感屬性",
    "insensitive attribute": "非敏感屬性",
    # identity
    "Identity risk: can a person be found?": "身分揭露風險：能否找出特定人？",
    "Records by the size of their equivalence class": "資料列依所屬等價類大小的分布",
    "class size": "等價類大小",
    "classes": "等價類數",
    "records": "資料列數",
    "share": "比例",
    "Records in small classes": "屬於較小等價類的資料列",
    "smaller than": "小於",
    "Three adversaries": "三種攻擊者",
    "scenario": "情境",
    "who looks for whom": "尋找對象",
    "somebody who is known to be in the table": "已知在資料表中的某人",
    "without a register: as the prosecutor": "未提供名冊：同檢察官情境",
    "people": "人數",
    "privacy unit": "隱私單位",
    " (distance)": "（距離）",
    "hierarchical": "階層距離",
    "equal": "相等距離",
    "numeric": "數值距離",
    "somebody of the population, by a register": "母體中的某人（依母體名冊）",
    "as many as possible": "盡可能多的人",
    "highest": "最高",
    "average": "平均",
    "lowest": "最低",
    "median": "中位數",
    "The adversaries that were assumed": "所假設的攻擊者",
    "who": "攻擊者",
    "knows": "已知欄位",
    "finds the record": "找出資料列的機率",
    "unique records": "唯一資料列比例",
    # drivers
    "What drives it": "風險來源",
    "Counted: {n} subsets of the quasi-identifiers.": "已計算 {n} 種準識別符組合。",
    "Chance of success by what is known: {attack}": "攻擊者所知與成功機率：{attack}",
    "number of attributes that the adversary knows": "攻擊者已知的屬性個數",
    "numbers of the chart": "圖表數值",
    "attributes known": "已知屬性數",
    "the riskiest": "風險最高的組合",
    "What each column adds: {attack}": "各欄位增加的機率：{attack}",
    "adds to the chance": "增加的機率",
    "chance without it": "移除後的機率",
    "Minimal risky sets: the fewest attributes that exceed a limit": "最小的高風險組合：足以超過上限的最少屬性",
    "limit": "上限",
    "attributes": "屬性",
    "none needed: by guessing alone": "不需任何屬性：僅憑猜測即可",
    "No subset exceeds a limit.": "沒有任何組合超過上限。",
    "Subsets are counted in records: not together with a privacy unit.": (
        "各種組合以資料列計算，不適用於設有隱私單位的情形。"
    ),
    "Subsets of the quasi-identifiers were not counted; 'subsets' in the policy asks for it.": (
        "未計算準識別符的各種組合；可於政策檔以「subsets」要求計算。"
    ),
    # attributes, presence, profit
    "Attribute disclosure: can something be learnt of a person?": "屬性揭露：能否得知某人的敏感資訊？",
    "No column has the role of a sensitive attribute.": "沒有欄位設定為敏感屬性。",
    "by sensitive attribute": "各敏感屬性",
    " (before)": "（事前）",
    " (after)": "（事後）",
    "Presence: can somebody tell who is in the table?": "存在性：能否得知誰在資料表中？",
    "Not measured: it does not apply to this release and its original.": "未評估：不適用於此釋出資料及其原始資料表。",
    "Not measured: it needs the original table, of which this is a part.": (
        "未評估：需要原始資料表（本資料表為其中一部分）。"
    ),
    "Profitability: is an attack worth its cost?": "獲利力：攻擊是否划算？",
    "The publisher's payout over what an attack gains for its cost": "發布者淨收益與攻擊收益成本比的關係",
    "gain of an attack for its cost": "攻擊收益成本比",
    "gain for cost, above": "攻擊收益成本比（高於）",
    "payout": "淨收益",
    # utility
    "Utility: what is it still worth?": "資料可用性：還剩多少價值？",
    "Not measured: it needs hierarchies or the original table.": "未評估：需要資料階層定義或原始資料表。",
    "By column": "各欄位",
    "values before": "原始資料相異值數",
    "values after": "釋出資料相異值數",
    "precision": "精準度",
    "granularity": "細緻度",
    "non-uniform entropy": "非均勻熵",
    "total variation": "總變異距離",
    "1: as in the original; 0: nothing left. Total variation the other way round.": (
        "1 表示與原始資料相同，0 表示資訊全失；總變異距離則相反。"
    ),
    "The bars show: {what}.": "長條表示：{what}。",
    # steps
    "Residual risk and next steps": "剩餘風險與後續步驟",
    "Nothing is left to do.": "沒有待辦事項。",
    "Who knows all quasi-identifiers of a random person picks the right record with a chance of {chance}.": (
        "隨機選取一人，若已知其所有準識別符，選中其資料列的機率為 {chance}。"
    ),
    "The value of {column} is guessed with a chance of {posterior}, without the table with {prior}.": (
        "猜中 {column} 的機率為 {posterior}；未見資料表時為 {prior}。"
    ),
    "The sensitive value is guessed with a chance of {chance}.": "猜中敏感屬性值的機率為 {chance}。",
    "No risk was measured.": "未評估風險。",
    "{records} records ({share}) are in classes smaller than {size} ({rules}): generalise further, or suppress them.": (
        "有 {records} 筆資料列（{share}）所屬的等價類小於 {size}（{rules}）：請進一步概化，或抑制這些資料列。"
    ),
    "Some records are in classes smaller than {size} ({rules}): generalise further, or suppress them.": (
        "部分資料列所屬的等價類小於 {size}（{rules}）：請進一步概化，或抑制這些資料列。"
    ),
    " Without {column} it would be {records}.": "若移除 {column}，則降為 {records} 筆。",
    " Begin with {columns}.": "可由 {columns} 著手。",
    "Remove the direct identifiers from the release: {columns}.": "請移除釋出資料中的直接識別符：{columns}。",
    "{columns} links the records of a person: remove it before the release, or put a random number there.": (
        "{columns} 可連結同一人的資料列：釋出前請移除，或改為隨機編號。"
    ),
    "{rules} cannot hold: {columns} has fewer different values in the whole table than every class should have.": (
        "{rules} 不可能成立：{columns} 在整個資料表中的相異值數少於每個等價類所要求的數目。"
    ),
    "Classes have too few different sensitive values ({rules}): merge classes by generalising {columns}.": (
        "等價類中的相異敏感屬性值過少（{rules}）：請概化 {columns} 以合併等價類。"
    ),
    "Classes tell too much of a sensitive attribute ({rules}): merge classes by generalising {columns}, or coarsen "
    "the sensitive values.": "等價類透露過多敏感資訊（{rules}）：請概化 {columns} 以合併等價類，或將敏感屬性值概化。",
    "Presence can be told ({rules}): generalise {columns}, or release a sample.": (
        "可得知誰在資料表中（{rules}）：請概化 {columns}，或改為僅釋出樣本。"
    ),
    "Too many records can be told apart ({rules}): generalise or remove {columns}.": (
        "可區分的資料列過多（{rules}）：請概化或移除 {columns}。"
    ),
    "Too much was lost ({rules}): use finer levels where the risk allows it.": (
        "資訊損失過多（{rules}）：請在風險容許的範圍內改用較細的層級。"
    ),
    "Waivers that have expired: {rules}. Mend the release, or decide again.": (
        "已到期的豁免：{rules}。請修正釋出資料，或重新核定。"
    ),
    "Waivers that end within a month: {rules}.": "一個月內到期的豁免：{rules}。",
    "Waivers that are no longer needed: {rules}. Remove them from the policy.": (
        "已無必要的豁免：{rules}。請自政策檔移除。"
    ),
    "Readers of the external edition see from the verdict of {rules} that classes are below or above it: the "
    "threshold is smaller than the cell size.": (
        "{rules} 的閾值小於最小儲存格人數：對外版的讀者可由其結果得知等價類是否小於該閾值。"
    ),
    "Columns without a role were not looked at: {columns}.": "未指定屬性型態的欄位未經評估：{columns}。",
    "{share} of the records are suppressed: the rest may no longer stand for the whole.": (
        "{share} 的資料列遭抑制：其餘資料可能已不足以代表全體。"
    ),
    "Nobody knows what an adversary knows: ask for every subset of the quasi-identifiers ('subsets' in the policy).": (
        "無法確知攻擊者知道什麼：建議計算準識別符的所有組合（於政策檔設定「subsets」）。"
    ),
    # method
    "Method and sources": "方法與來源",
    "Counts are whole numbers, and thresholds are compared exactly; a value on the limit keeps it.": (
        "計數均為整數，閾值以精確值比較；恰等於閾值者視為符合。"
    ),
    "Nothing here is random: there is no seed, and the same files give the same numbers.": (
        "所有計算均無隨機成分：沒有隨機種子，相同檔案必得相同結果。"
    ),
    "PETWorks {version}; format {schema}; judged as of {moment}, a moment that was given.": (
        "PETWorks {version}；格式 {schema}；評估時點 {moment}（由使用者指定）。"
    ),
    "To repeat it: petworks check {policy} --as-of {moment} --edition {edition} --json FILE; the content digest must "
    "be the same.": (
        "重現方式：petworks check {policy} --as-of {moment} --edition {edition} --json 檔案；內容雜湊值應相同。"
    ),
    "PETWorks {version}; format {schema}; judged as of {moment}.": (
        "PETWorks {version}；格式 {schema}；評估時點 {moment}。"
    ),
    "External edition: no value of the table, no class, and no count of people below {n} is shown; numbers are "
    "rounded.": "對外版：不顯示資料表的任何值、任何等價類，以及小於 {n} 的人數；數值經捨入處理。",
    "The JSON file of this check has the content digest": "本次檢查之 JSON 檔的內容雜湊值為",
    "Not measured": "未評估的指標",
    "Sources of the measures": "評估指標的文獻來源",
    "{measure}: {reason}": "{measure}：{reason}",
    " ({owner})": "（{owner}）",
    "{verdict}: {title}": "{verdict}：{title}",
    "needs {what}": "需要{what}",
    "does not apply to this release; the JSON file of the internal edition tells why": (
        "不適用於此釋出資料；原因見內部版的 JSON 檔"
    ),
    "quasi-identifiers": "準識別符",
    "a sensitive attribute": "敏感屬性",
    "the original table": "原始資料表",
    "a population table": "母體資料表",
    "the population or its size": "母體資料表或母體大小",
    "Made by PETWorks {version} on the machine that has the data; nothing left it.": (
        "由 PETWorks {version} 於資料所在的電腦上產生；任何資料均未離開該電腦。"
    ),
    # glossary
    "Glossary": "名詞解釋",
    "equivalence class": "等價類",
    "The records that agree in all quasi-identifiers: an adversary cannot tell them apart.": (
        "所有準識別符皆相同的資料列：攻擊者無法加以區分。"
    ),
    "A column that an adversary may know of a person from elsewhere, as age or postcode.": (
        "攻擊者可能由他處得知個人之值的欄位，如年齡或郵遞區號。"
    ),
    "A column of which nobody may learn a person's value, as a diagnosis.": (
        "個人之值不應為人所知的欄位，如診斷結果。"
    ),
    "A column that names a person by itself, as a name or a number.": "單獨即可指認個人的欄位，如姓名或證件號碼。",
    "The fewest people that a published group may have.": "公布的群組至少須有的人數。",
    "prosecutor, journalist, marketer": "檢察官、記者、行銷者情境",
    "Adversaries who look for one person they know to be there, for anybody, or for everybody.": (
        "三種攻擊者，分別尋找：已知在資料表中的特定人、任何一人、所有人。"
    ),
    "excess": "超額成功率",
    "What an attack gains beyond guessing, as a share of what guessing leaves.": (
        "攻擊成功率超出單純猜測的部分，占猜測失敗機率的比例。"
    ),
    "Shapley share": "Shapley 值",
    "What a column adds to the chance of an attack, averaged over all orders in which columns may become known.": (
        "某欄位使攻擊成功機率增加的量，對欄位為攻擊者得知的所有可能順序取平均。"
    ),
    "generalisation, suppression": "概化、抑制",
    "Coarser values instead of exact ones; values or records that are left out.": (
        "以較粗略的值取代精確值；略去部分的值或資料列。"
    ),
    "waiver": "豁免",
    "A decision, with an owner and an end, to release although a rule does not hold.": (
        "雖有規則未符合仍予釋出的決定，須有負責人與期限。"
    ),
}
