-- The same for a row that has no type of its own: values that can be read as the types named for their columns.
CREATE OR REPLACE FUNCTION docket_system.fitting_values(kept jsonb, types jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  part record;
  fitting jsonb := kept;
begin
  for part in select e.key, e.value #>> '{}' as type from jsonb_each(types) as e where kept ->> e.key is not null loop
    begin
      execute format('select ($1)::%s', part.type) using kept ->> part.key;
    exception when others then
      fitting := fitting - part.key;
    end;
  end loop;
  return fitting;
end $function$;
