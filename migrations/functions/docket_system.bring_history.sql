-- Above the first position sys_ids of history are those of the log itself.
CREATE OR REPLACE FUNCTION docket_system.bring_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.sys_id >= 500000000000000000 then
    raise exception 'history that is brought along has sys_ids below 500000000000000000' using errcode = '22003';
  end if;
  insert into docket_system.change (position, operation, table_id, record_id, changed_at, changed_by, changes, audited)
  values (coalesce(new.sys_id, docket_system.new_sys_id()), 'u', new.table_id, new.record_id,
          coalesce(new.sys_created_at, docket_system.now_utc()), new.sys_created_by,
          jsonb_build_object(new.column_name, jsonb_build_array(new.old_value, new.new_value)), true);
  -- It may be older than what the retention has looked at. Removal (advisory-locks.ts) waits until this transaction is over.
  perform pg_advisory_xact_lock_shared(7236401267);
  update docket_system.history_retention r set is_brought = true where r.table_id = new.table_id and not r.is_brought;
  return new;
end $function$;
