-- The whole number, or null: no text may end a statement that reads rows of many. Not strict, so that PostgreSQL can put its body
-- in its place. A regular expression costs more than pg_input_is_valid, which PostgreSQL has from 16 on.
DO $do$
begin
  if current_setting('server_version_num')::integer >= 160000 then
    CREATE OR REPLACE FUNCTION docket_system.whole_id(value text)
     RETURNS bigint
     LANGUAGE sql
     STABLE PARALLEL SAFE
    AS $function$ select case when octet_length(value) <= 18 and pg_input_is_valid(value, 'bigint') then value::bigint end $function$;
  else
    CREATE OR REPLACE FUNCTION docket_system.whole_id(value text)
     RETURNS bigint
     LANGUAGE sql
     IMMUTABLE PARALLEL SAFE
    AS $function$ select case when octet_length(value) <= 18 and value <> '' and value collate "C" !~ '[^0-9]' then value::bigint end $function$;
  end if;
end $do$;
