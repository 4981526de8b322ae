CREATE OR REPLACE FUNCTION docket_system.show_decimal(value numeric, language text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case language when 'ru' then translate(to_char(round(value, 2), 'FM999,999,999,999,999,999,999,999,999,999,999,999,999,990.00'), ',.', U&'\00A0,')
                       else to_char(round(value, 2), 'FM999,999,999,999,999,999,999,999,999,999,999,999,999,990.00') end
$function$;
