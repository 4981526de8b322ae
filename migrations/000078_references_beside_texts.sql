-- The indexes of the texts of tasks also have their references, as one value: a text that many tasks have, under a rule such as "assigned to me
-- or to my groups", is looked up in one index (docs/decisions/0023). Indexes of administrators stay as they are.
-- A table of more than 32 MB is left to the job; the index that the new one replaces serves until then.
do $$
declare
  task docket.sys_db_table;
  old docket.sys_db_index;
  made bigint;
  definition text;
begin
  select * into task from docket.sys_db_table where name = 'task';
  for old in
    select i.* from docket.sys_db_index i where i.table_id = task.sys_id and coalesce(i.included_columns, '{}') = '{}'
      and (i.purpose = 'search' or (i.purpose = 'contains' and i.column_names = '{number,subject,short_description,display_name}'))
    order by i.sys_id
  loop
    -- It is not built yet, or cannot be: the database has no pg_trgm.
    if old.storage_index is null then
      update docket.sys_db_index set included_columns = '{caller,assigned_user,assignment_group}' where sys_id = old.sys_id;
      continue;
    end if;
    insert into docket.sys_db_index (table_id, column_names, included_columns, purpose, state)
    values (task.sys_id, old.column_names, '{caller,assigned_user,assignment_group}', old.purpose, 'waiting') returning sys_id into made;
    definition := pg_get_indexdef(to_regclass(format('%I.%I', task.storage_schema, old.storage_index)));
    continue when definition is null or pg_relation_size(format('%I.%I', task.storage_schema, task.storage_table)::regclass) > 33554432;
    definition := regexp_replace(definition, '^CREATE INDEX \S+ ON', format('create index %I on', 'index_' || made));
    -- Settings of the index, which an operator may have changed, are those of a new one.
    definition := regexp_replace(definition, '\) (WITH|TABLESPACE) .*$', ')');
    execute regexp_replace(definition, 'USING gin \(', 'using gin ((array[caller, assigned_user, assignment_group]), ');
    update docket.sys_db_index set state = 'ready', storage_index = 'index_' || made where sys_id = made;
    delete from docket.sys_db_index where sys_id = old.sys_id;
    execute format('drop index %I.%I', task.storage_schema, old.storage_index);
  end loop;
end $$;
