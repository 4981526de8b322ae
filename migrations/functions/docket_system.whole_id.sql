-- The whole number, or null: no text may end a statement that reads rows of many. Not strict, so that PostgreSQL can put its body
-- in its place.
CREATE OR REPLACE FUNCTION docket_system.whole_id(value text)
 RETURNS bigint
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$ select case when octet_length(value) <= 18 and pg_input_is_valid(value, 'bigint') then value::bigint end $function$;
