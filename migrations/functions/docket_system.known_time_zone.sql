-- The zone if this server knows it, else UTC: a zone that somebody mistyped must not make every answer fail.
CREATE OR REPLACE FUNCTION docket_system.known_time_zone(zone text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  perform timestamp '2000-01-01' at time zone zone;
  return coalesce(zone, 'UTC');
exception when invalid_parameter_value then
  return 'UTC';
end $function$;
