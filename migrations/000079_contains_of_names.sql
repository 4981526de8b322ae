-- Names of departments and of files are display values that people look for by a part, too. A table of more than 32 MB is left to the job.
-- An index that an administrator made for the column stays the only one.
do $$
declare
  wanted record;
  made bigint;
begin
  for wanted in
    select t.sys_id, t.storage_schema, t.storage_table, w.name
    from (values ('department', 'name'), ('sys_attachment', 'file_name')) as w (of_table, name)
    join docket.sys_db_table t on t.name = w.of_table
    where not exists (select from docket.sys_db_index i
      where i.table_id = t.sys_id and i.purpose = 'contains' and w.name = any (i.column_names))
  loop
    insert into docket.sys_db_index (table_id, column_names, purpose, state)
    values (wanted.sys_id, array[wanted.name], 'contains', 'waiting') returning sys_id into made;
    continue when docket_system.trigram_operators() is null
      or pg_relation_size(format('%I.%I', wanted.storage_schema, wanted.storage_table)::regclass) > 33554432;
    execute format('create index index_%s on %I.%I using gin (docket_system.fold(%I) %s)', made, wanted.storage_schema,
      wanted.storage_table, wanted.name, docket_system.trigram_operators());
    update docket.sys_db_index set state = 'ready', storage_index = 'index_' || made where sys_id = made;
  end loop;
end $$;
