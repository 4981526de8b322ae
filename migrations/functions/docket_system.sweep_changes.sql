-- Removes changes that are older and that neither history nor the deletion log needs, in the order of their positions. It looks at
-- `max_rows` at most, so that no lock is held for long. Returns how many it looked at and passed.
CREATE OR REPLACE FUNCTION docket_system.sweep_changes(older_than timestamp without time zone, max_rows integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  watermark bigint := docket_system.committed_watermark();
  start bigint;
  reached bigint;
  cleared bigint;
  passed integer;
begin
  select h.swept_position into start from docket_system.change_horizon h for update;
  with looked as materialized (
    select c.position, c.changed_at < older_than as is_old, not c.audited and not c.deletion_logged as is_unneeded
    from docket_system.change c where c.position > start and c.position <= watermark order by c.position limit max_rows),
  past as (
    select l.position, l.is_unneeded from looked l
    where l.position < coalesce((select min(n.position) from looked n where not n.is_old), 9223372036854775807)),
  gone as (delete from docket_system.change c using past p where p.is_unneeded and c.position = p.position returning c.position)
  select max(p.position), count(*), (select max(g.position) from gone g) into reached, passed, cleared from past p;
  update docket_system.change_horizon
  set swept_position = coalesce(reached, swept_position), cleared_position = greatest(cleared_position, cleared)
  where reached is not null;
  return passed;
end $function$;
