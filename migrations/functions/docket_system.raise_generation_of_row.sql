CREATE OR REPLACE FUNCTION docket_system.raise_generation_of_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform docket_system.raise_generation(new.sys_id);
  return null;
end $function$;
