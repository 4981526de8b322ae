-- A create in a table with a column `v` was logged with the value of `v` in place of all values. Readers of the log need values by column.
do $$
begin
  if exists (select from docket.sys_db_column where column_name = 'v') then
    update docket_system.change set changes = jsonb_build_object('v', changes) where jsonb_typeof(changes) <> 'object';
  end if;
end $$;
