{#- Fails if a record shares its quasi-identifiers with fewer than k - 1 others. The number of failures is that of records. -#}
{% test k_anonymity(model, quasi_identifiers, k, suppressed='apart') %}
{{ config(fail_calc='coalesce(sum(records), 0)') }}
select class_size, count(*) as classes, sum(class_size) as records
from ({{ petworks.classes(model, quasi_identifiers, suppressed=suppressed) }}) as classes
where class_size < {{ k }}
group by class_size
{% endtest %}
