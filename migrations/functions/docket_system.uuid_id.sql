-- In each of the ways in which PostgreSQL reads one, or null.
CREATE OR REPLACE FUNCTION docket_system.uuid_id(value text)
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select case when pg_input_is_valid(value, 'uuid') then value::uuid end $function$;
