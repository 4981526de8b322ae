-- Makes records of what waits, each on its own, so that one that cannot be made (what it refers to was deleted meanwhile)
-- holds nobody up; it stays, with the reason. Returns how many were made.
CREATE OR REPLACE FUNCTION docket_system.create_queued_records(max_attempts integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  waiting record;
  new_row jsonb;
  made integer := 0;
begin
  for waiting in
    select sys_id, storage_table, record from docket_system.queued_record
    where attempts < max_attempts order by sys_id for update skip locked
  loop
    begin
      execute format('insert into docket.%I as t select (jsonb_populate_record(null::docket.%I, $1)).* returning to_jsonb(t.*)', waiting.storage_table, waiting.storage_table)
        into new_row using waiting.record;
      perform docket_system.log_change(null, new_row, (new_row ->> 'sys_created_by')::bigint);
      delete from docket_system.queued_record where sys_id = waiting.sys_id;
      made := made + 1;
    exception when others then
      update docket_system.queued_record set attempts = attempts + 1, error = sqlerrm where sys_id = waiting.sys_id;
    end;
  end loop;
  return made;
end $function$;
