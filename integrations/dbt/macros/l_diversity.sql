{#- Fails if a class has fewer than l distinct sensitive values. The number of failures is that of records. -#}
{% test l_diversity(model, quasi_identifiers, sensitive_attribute, l, suppressed='apart') %}
{{ config(fail_calc='coalesce(sum(records), 0)') }}
select sensitive_values, count(*) as classes, sum(class_size) as records
from ({{ petworks.classes(model, quasi_identifiers, sensitive_attribute, suppressed) }}) as classes
where sensitive_values < {{ l }}
group by sensitive_values
{% endtest %}
