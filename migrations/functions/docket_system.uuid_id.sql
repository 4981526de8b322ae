-- In each of the ways in which PostgreSQL reads one, or null. PostgreSQL has pg_input_is_valid from 16 on.
DO $do$
begin
  if current_setting('server_version_num')::integer >= 160000 then
    CREATE OR REPLACE FUNCTION docket_system.uuid_id(value text)
     RETURNS uuid
     LANGUAGE sql
     STABLE PARALLEL SAFE
    AS $function$ select case when pg_input_is_valid(value, 'uuid') then value::uuid end $function$;
  else
    CREATE OR REPLACE FUNCTION docket_system.uuid_id(value text)
     RETURNS uuid
     LANGUAGE sql
     IMMUTABLE PARALLEL SAFE
    AS $function$ select case when value collate "C" ~* '^([0-9a-f]{4}-?){7}[0-9a-f]{4}$|^\{([0-9a-f]{4}-?){7}[0-9a-f]{4}\}$' then value::uuid end $function$;
  end if;
end $do$;
