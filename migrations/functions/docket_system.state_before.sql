-- The state of a record before its last move to `state`, from the change log, or from what the retention of the log has kept of it. Null:
-- neither knows it. A function and not a subquery of the statement, because PostgreSQL prepares subqueries also where they are not run.
CREATE OR REPLACE FUNCTION docket_system.state_before(record text, class bigint, state text)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return coalesce(
    (select array[c.changes -> 'state' ->> 0] from docket_system.change c
     where c.record_id = record and c.table_id = class and c.operation = 'u' and c.changes -> 'state' ->> 1 = state_before.state
     order by c.position desc limit 1),
    (select array[p.previous] from docket_system.previous_state p
     where p.record_id = record and p.table_id = class and p.state = state_before.state));
end $function$;
