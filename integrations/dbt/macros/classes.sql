{#- A cell as PETWorks reads it: without blanks around it; null and an empty text are the same missing value. -#}
{% macro cell(column) -%}
    nullif(trim(cast({{ adapter.quote(column) }} as {{ dbt.type_string() }})), '')
{%- endmacro %}

{#- A row for each equivalence class with its size and, if asked for, the number of distinct sensitive values in it.
    Null is a value, equal to itself. A record with * in every quasi-identifier is suppressed: it is in no class, unless
    suppressed is 'class'. No value leaves the query, so that stored failures have none either. -#}
{% macro classes(model, quasi_identifiers, sensitive_attribute=none, suppressed='apart') -%}
    {%- if quasi_identifiers is string or not quasi_identifiers -%}
        {{ exceptions.raise_compiler_error("quasi_identifiers is a list of columns") }}
    {%- endif -%}
    {%- if suppressed not in ('apart', 'class') -%}
        {{ exceptions.raise_compiler_error("suppressed is 'apart' or 'class', got '" ~ suppressed ~ "'") }}
    {%- endif -%}
    select
        count(*) as class_size
        {%- if sensitive_attribute is not none %},
        count(distinct coalesce({{ petworks.cell(sensitive_attribute) }}, '')) as sensitive_values
        {%- endif %}
    from {{ model }}
    {%- if suppressed == 'apart' %}
    where not (
        {%- for column in quasi_identifiers %}
        coalesce({{ petworks.cell(column) }}, '') = '*'{{ ' and' if not loop.last }}
        {%- endfor %}
    )
    {%- endif %}
    group by
        {%- for column in quasi_identifiers %}
        {{ petworks.cell(column) }}{{ ',' if not loop.last }}
        {%- endfor %}
{%- endmacro %}
