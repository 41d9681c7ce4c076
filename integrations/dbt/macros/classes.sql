{#- A cell as PETWorks reads it: without blanks around it; null and an empty text are the same missing value. -#}
{% macro cell(column) -%}
    nullif({{ petworks.trimmed('cast(' ~ adapter.quote(column) ~ ' as ' ~ dbt.type_string() ~ ')') }}, '')
{%- endmacro %}

{#- A text without blanks around it, or without other characters. Blanks are all white space of Unicode, as for
    `petworks evaluate`: trim alone would leave tabs, line ends and others. -#}
{% macro trimmed(text, characters=none) -%}
    {{ adapter.dispatch('trimmed', 'petworks')(text, characters or petworks.blanks()) }}
{%- endmacro %}

{% macro default__trimmed(text, characters) -%}
    trim({{ text }}, '{{ characters }}')
{%- endmacro %}

{% macro redshift__trimmed(text, characters) -%}
    btrim({{ text }}, '{{ characters }}')
{%- endmacro %}

{% macro spark__trimmed(text, characters) -%}
    trim(both '{{ characters }}' from {{ text }})
{%- endmacro %}

{% macro blanks() -%}
    {{ "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000" }}
{%- endmacro %}

{#- A sensitive value without what is only spelling, as far as SQL can tell: upper and lower case are the same, and a
    cell that is missing, blank or *, or says only that the value is not known, says nothing (null). -#}
{% macro folded(column) -%}
    {%- set text = 'lower(' ~ petworks.cell(column) ~ ')' -%}
    {%- set core = petworks.trimmed("replace(replace(" ~ text ~ ", '_', ' '), '-', ' ')", ' .()[]<>') -%}
    case
        when {{ text }} in ('*', '<na>') or {{ core }} in ({{ petworks.not_known() }}) then null
        when {{ core }} <> '' and replace({{ core }}, '?', '') = '' then null
        else {{ text }}
    end
{%- endmacro %}

{#- The words that say only that a value is not known, as PETWorks knows them (PETWorks.about.treatment). -#}
{% macro not_known() -%}
        'n/a', 'n / a', '#n/a', 'n.a', 'n. a', 'nan', 'null', '#null!', 'unknown', 'unknown value',
        'value unknown', 'not known', 'not available', 'not stated', 'unstated', 'not recorded', 'unrecorded',
        'not specified', 'unspecified', 'not filled in', 'missing', 'missing value', 'value missing',
        'missing data', 'data missing', 'no data', 'no data available', 'data not available', 'no information',
        'no information available', 'information not available', '不詳', '不详', '資料不詳', '不明', '資料不明', '未知', '無資料',
        '无资料', '查無資料', '沒有資料', '未填', '未填寫', '未填写', '未填答', '缺值', '缺失值', '遺漏值', '空值', '未提供', '未記錄', '未紀錄', '未註明',
        '未載明',
        '拒答', '拒絕回答', '不願回答', '不便回答', '未回答', '未作答', '無回應', '保密', '未檢測', '未檢驗', '未測', '待查', '待補', 'refused',
        'refused to answer', 'declined', 'declined to answer', 'prefer not to say', 'prefer not to answer',
        'no answer', 'no response', 'not answered', 'not asked', 'not tested', 'not measured', 'pending',
        'tbd', 'tba', 'to be determined', 'unk', 'withheld', 'undisclosed', 'see file'
{%- endmacro %}

{#- Whether a record is suppressed: it has * in every quasi-identifier. -#}
{% macro is_suppressed(quasi_identifiers) -%}
    (
        {%- for column in quasi_identifiers %}
        coalesce({{ petworks.cell(column) }}, '') = '*'{{ ' and' if not loop.last }}
        {%- endfor %}
    )
{%- endmacro %}

{#- A row of zeros, which counts as one failure, if the model is empty or every record of it is suppressed. -#}
{% macro nothing_left(model, quasi_identifiers, measured) -%}
    select 0 as {{ measured }}, 0 as classes, 0 as records
    from (
        select count(case when not {{ petworks.is_suppressed(quasi_identifiers) }} then 1 end) as records_left
        from {{ model }}
    ) as remaining
    where records_left = 0
{%- endmacro %}

{#- A row for each equivalence class with its size and, if asked for, the number of distinct sensitive values in it. A
    missing quasi-identifier is a value, equal to itself; a missing sensitive value is none. Suppressed records are a
    class, unless suppressed is 'apart'. No value leaves the query, so that stored failures have none either. -#}
{% macro classes(model, quasi_identifiers, sensitive_attribute=none, suppressed='class') -%}
    {%- if quasi_identifiers is string or not quasi_identifiers -%}
        {{ exceptions.raise_compiler_error("quasi_identifiers is a list of columns") }}
    {%- endif -%}
    {%- if suppressed not in ('apart', 'class') -%}
        {{ exceptions.raise_compiler_error("suppressed is 'apart' or 'class', got '" ~ suppressed ~ "'") }}
    {%- endif -%}
    select
        count(*) as class_size
        {%- if sensitive_attribute is not none %},
        count(distinct {{ petworks.folded(sensitive_attribute) }}) as sensitive_values
        {%- endif %}
    from {{ model }}
    {%- if suppressed == 'apart' %}
    where not {{ petworks.is_suppressed(quasi_identifiers) }}
    {%- endif %}
    group by
        {%- for column in quasi_identifiers %}
        {{ petworks.cell(column) }}{{ ',' if not loop.last }}
        {%- endfor %}
{%- endmacro %}
