-- Keeps docket_system.updated_record equal to the records of a table. The argument is the sys_id of the root of its hierarchy.
-- While a job adds the rows of earlier records, a changed record may have none yet.
CREATE OR REPLACE FUNCTION docket_system.record_updates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' then
    update docket_system.updated_record u set updated_at = new.sys_updated_at
    where u.table_id = tg_argv[0]::bigint and u.record_id = new.sys_id;
    if not found then
      insert into docket_system.updated_record (table_id, record_id, updated_at)
      values (tg_argv[0]::bigint, new.sys_id, new.sys_updated_at)
      on conflict (table_id, record_id) do update set updated_at = excluded.updated_at;
    end if;
  elsif tg_op = 'INSERT' then
    insert into docket_system.updated_record (table_id, record_id, updated_at)
    select tg_argv[0]::bigint, m.sys_id, m.sys_updated_at from made m;
  else
    delete from docket_system.updated_record u using gone g
    where u.table_id = tg_argv[0]::bigint and u.record_id = g.sys_id;
  end if;
  return null;
end $function$;
