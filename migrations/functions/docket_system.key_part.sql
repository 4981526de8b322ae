-- The same as a value of the type of `like_this`, or null where it is none. Stable, and not in SQL: PostgreSQL may compute what is
-- constant when it plans, and with it the error that this is to keep away.
CREATE OR REPLACE FUNCTION docket_system.key_part(sys_id text, n integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select replace(replace(replace(replace(replace(split_part(sys_id, '~', n), '!7E', '~'), '!2C', ','), '!40', '@'), '!5E', '^'), '!21', '!')
$function$;

CREATE OR REPLACE FUNCTION docket_system.key_part(sys_id text, n integer, like_this anyelement)
 RETURNS anyelement
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  like_this := docket_system.key_part(sys_id, n);
  return like_this;
exception when data_exception or invalid_text_representation then
  return null;
end $function$;
