-- A part of a sys_id that is made of parts, `10248~42`: without what sets parts, conditions and their values apart.
CREATE OR REPLACE FUNCTION docket_system.print_key_part(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select replace(replace(replace(replace(replace(value collate "C", '!', '!21'), '~', '!7E'), ',', '!2C'), '@', '!40'), '^', '!5E')
$function$;
