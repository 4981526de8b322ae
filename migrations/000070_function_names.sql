-- Names of functions and parameters follow the terms of the project. Functions that processes of an earlier version call keep their earlier
-- names, too (functions/): such processes may still run while this is applied.

-- Triggers call these three by their identity, whatever their names are.
alter function docket_system.note_changed_tables() rename to record_changed_tables;
alter function docket_system.note_updates() rename to record_updates;
alter function docket_system.wake_for_queued_records() rename to notify_of_queued_records;
alter trigger wake_for_queued_records on docket_system.queued_record rename to notify_of_queued_records;

-- A parameter cannot be renamed. Only background work calls these; it is repeated if it meets the moment without them.
drop function if exists docket_system.changes_after(bigint, integer);
drop function if exists docket_system.fill_update_order(bigint, integer);
drop function if exists docket_system.sweep_changes(timestamp, integer);

do $$ begin
  if to_regclass('docket_system.function_file') is not null then
    delete from docket_system.function_file where name in (
      'docket_system.note_changed_tables', 'docket_system.note_updates', 'docket_system.wake_for_queued_records');
  end if;
end $$;
