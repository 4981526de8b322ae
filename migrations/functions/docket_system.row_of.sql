-- A row of a type from values by column, as jsonb_populate_record makes it; a value that fits its column no longer (its type
-- changed since) is left out.
CREATE OR REPLACE FUNCTION docket_system.row_of(of_type anyelement, kept jsonb)
 RETURNS anyelement
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  part record;
  fitting jsonb := '{}';
begin
  begin
    return jsonb_populate_record(of_type, kept);
  exception when others then
    for part in select e.key, e.value from jsonb_each(kept) as e loop
      begin
        perform jsonb_populate_record(of_type, jsonb_build_object(part.key, part.value));
        fitting := fitting || jsonb_build_object(part.key, part.value);
      exception when others then null;
      end;
    end loop;
    return jsonb_populate_record(of_type, fitting);
  end;
end $function$;
