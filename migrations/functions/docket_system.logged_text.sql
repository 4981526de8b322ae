-- A logged value as a text.
CREATE OR REPLACE FUNCTION docket_system.logged_text(of_class bigint, of_column text, value jsonb)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case when jsonb_typeof(value) = 'array' and docket_system.is_reference_list(of_class, of_column)
    then (select string_agg(m.id, ',' order by m.n) from jsonb_array_elements_text(value) with ordinality as m (id, n))
    else value #>> '{}' end
$function$;
