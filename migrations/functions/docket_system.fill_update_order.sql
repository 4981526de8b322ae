-- Adds rows of earlier records to docket_system.updated_record, a part at a time. Returns whether the table is ready.
--
-- Records that somebody changes just now are skipped: this never waits for a writer, so a writer that waits for this never waits in a
-- circle. The last parts look for records that have no row.
CREATE OR REPLACE FUNCTION docket_system.fill_update_order(of_table bigint, max_rows integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  work docket_system.update_order;
  reached bigint;
  is_whole boolean;
begin
  select * into work from docket_system.update_order o where o.table_id = of_table for update;
  if work.ready then
    return true;
  end if;
  execute format($fill$
    with next as (
      select t.sys_id, t.sys_updated_at from docket.%I t where t.sys_id > $1 order by t.sys_id limit $2 for no key update skip locked),
    added as (
      insert into docket_system.updated_record (table_id, record_id, updated_at)
      select $3, next.sys_id, next.sys_updated_at from next on conflict do nothing)
    select max(sys_id) from next$fill$, work.storage_table) into reached using work.filled_to, max_rows, of_table;
  if reached is not null then
    update docket_system.update_order o set filled_to = reached where o.table_id = of_table;
    return false;
  end if;
  execute format($missing$
    with missing as (
      select t.sys_id, t.sys_updated_at from docket.%I t
      where not exists (select from docket_system.updated_record u where u.table_id = $1 and u.record_id = t.sys_id)
      limit $2 for no key update skip locked)
    insert into docket_system.updated_record (table_id, record_id, updated_at)
    select $1, missing.sys_id, missing.sys_updated_at from missing on conflict do nothing$missing$, work.storage_table)
  using of_table, max_rows;
  execute format($whole$
    select not exists (select from docket.%I t
      where not exists (select from docket_system.updated_record u where u.table_id = $1 and u.record_id = t.sys_id))$whole$,
    work.storage_table) into is_whole using of_table;
  if is_whole then
    update docket_system.update_order o set ready = true where o.table_id = of_table;
    -- Raises the catalog's epoch: lists are planned with the new order from now on.
    update docket.sys_db_table t set storage_table = t.storage_table where t.sys_id = of_table;
  end if;
  return is_whole;
end $function$;
