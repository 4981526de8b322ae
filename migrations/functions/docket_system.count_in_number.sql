-- n of a number `<prefix><n>`; null where the text has another form, or more digits than a counter reaches.
CREATE OR REPLACE FUNCTION docket_system.count_in_number(number text, prefix text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when starts_with(docket_system.fold(number), docket_system.fold(prefix)) and substr(number, length(prefix) + 1) ~ '^[0-9]{1,18}$'
              then substr(number, length(prefix) + 1)::bigint end
$function$;
