{#- Fails if a class has fewer than l distinct sensitive values, or if no record is left. A class of which no sensitive
    value is known tells none. The number of failures is that of records. -#}
{% test l_diversity(model, quasi_identifiers, sensitive_attribute, l, suppressed='class') %}
{{ config(fail_calc='coalesce(sum(case when classes = 0 then 1 else records end), 0)') }}
select sensitive_values, count(*) as classes, sum(class_size) as records
from ({{ petworks.classes(model, quasi_identifiers, sensitive_attribute, suppressed) }}) as classes
where sensitive_values > 0 and sensitive_values < {{ l }}
group by sensitive_values
union all
{{ petworks.nothing_left(model, quasi_identifiers, 'sensitive_values') }}
{% endtest %}
