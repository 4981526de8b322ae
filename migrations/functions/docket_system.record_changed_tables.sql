-- Runs after raise_catalog_epoch of the same statement, as its name sorts: the epoch's row is locked by then, and the epoch is
-- the one under which the change will be seen.
CREATE OR REPLACE FUNCTION docket_system.record_changed_tables()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  reached bigint := (select catalog from docket_system.epoch);
begin
  if tg_op in ('INSERT', 'UPDATE') then
    insert into docket_system.changed_table select distinct reached, docket_system.table_of(tg_table_name, to_jsonb(m)) from made m;
  end if;
  if tg_op in ('UPDATE', 'DELETE') then
    insert into docket_system.changed_table select distinct reached, docket_system.table_of(tg_table_name, to_jsonb(g)) from gone g;
  end if;
  -- Titles of what is no table and no column concern nobody who reads the dictionary.
  delete from docket_system.changed_table where epoch < reached - 1000 or (epoch = reached and table_id = 0);
  return null;
end $function$;
