CREATE OR REPLACE FUNCTION docket_system.show_boolean(value boolean, language text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when value then case language when 'ru' then 'Да' else 'Yes' end
              when not value then case language when 'ru' then 'Нет' else 'No' end end
$function$;
