-- The logged values of a record, by column, as a read gives them.
CREATE OR REPLACE FUNCTION docket_system.logged_values(of_class bigint, stored jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select case when exists (select from jsonb_each(stored) as e where jsonb_typeof(e.value) = 'array')
    then (select jsonb_object_agg(e.key, case when jsonb_typeof(e.value) = 'array' and docket_system.is_reference_list(of_class, e.key)
            then to_jsonb(docket_system.logged_text(of_class, e.key, e.value)) else e.value end)
          from jsonb_each(stored) as e)
    else stored end
$function$;
