{#- Fails if a record shares its quasi-identifiers with fewer than k - 1 others, or if no record is left. The number of
    failures is that of records. -#}
{% test k_anonymity(model, quasi_identifiers, k, suppressed='class') %}
{{ config(fail_calc='coalesce(sum(case when classes = 0 then 1 else records end), 0)') }}
select class_size, count(*) as classes, sum(class_size) as records
from ({{ petworks.classes(model, quasi_identifiers, suppressed=suppressed) }}) as classes
where class_size < {{ k }}
group by class_size
union all
{{ petworks.nothing_left(model, quasi_identifiers, 'class_size') }}
{% endtest %}
