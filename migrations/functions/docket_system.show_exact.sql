-- All digits, parted as people of the language part them; NaN and Infinity as PostgreSQL writes them.
CREATE OR REPLACE FUNCTION docket_system.show_exact(value numeric, language text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when value::text !~ '^-?[0-9]' then value::text
    when language = 'ru' then regexp_replace(split_part(value::text, '.', 1), '([0-9])(?=([0-9]{3})+$)', U&'\\1\00A0', 'g')
      || case when position('.' in value::text) > 0 then ',' || split_part(value::text, '.', 2) else '' end
    else regexp_replace(split_part(value::text, '.', 1), '([0-9])(?=([0-9]{3})+$)', '\1,', 'g')
      || case when position('.' in value::text) > 0 then '.' || split_part(value::text, '.', 2) else '' end end
$function$;
