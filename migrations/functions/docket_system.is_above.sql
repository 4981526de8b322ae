-- Whether `record` is `parent` or above it. Each statement of a volatile function has a snapshot of its own, so it sees what was
-- committed while the write waited for the lock. `union` ends the search in a cycle that was there before.
CREATE OR REPLACE FUNCTION docket_system.is_above(place regclass, parents name, record bigint, parent bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  found_above boolean;
begin
  perform docket_system.lock_hierarchy(place);
  execute format($search$
    with recursive line (id) as (
      select $2
      union select t.%1$I from line join %2$s t on t.sys_id = line.id where t.%1$I is not null)
    select exists (select from line where id = $1)$search$, parents, place) into found_above using record, parent;
  return found_above;
end $function$;
