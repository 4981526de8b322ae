-- RFC 7396.
CREATE OR REPLACE FUNCTION docket_system.merge_json(target jsonb, patch jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  merged jsonb;
  member record;
begin
  if jsonb_typeof(patch) is distinct from 'object' then
    return patch;
  end if;
  merged := case when jsonb_typeof(target) = 'object' then target else '{}' end;
  for member in select key, value from jsonb_each(patch) loop
    if jsonb_typeof(member.value) = 'null' then
      merged := merged - member.key;
    else
      merged := jsonb_set(merged, array[member.key], docket_system.merge_json(merged -> member.key, member.value), true);
    end if;
  end loop;
  return merged;
end $function$;
