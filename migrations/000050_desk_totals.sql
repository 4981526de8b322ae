-- An index may hold values beside its keys: conditions on them are decided from the index, without reading the rows.
select docket_system.define_column('sys_db_index', 'included_columns', 'list', 'Included columns', 'Включённые колонки');

-- Totals of a desk's queues are counted from one index. Orders that people choose by a click on a column's title have an index each.
-- A table of more than 32 MB is left to the job; the index that the new one replaces serves until then.
do $$
declare
  wanted record;
  old record;
  made bigint;
begin
  for wanted in
    select t.sys_id, t.storage_schema, t.storage_table, w.*
    from (values
      (1, 'task', '{assignment_group,sys_created_at}'::text[], 'conditions', '{state,active,priority,assigned_user,due_date}'::text[], 'assignment_group, sys_created_at, sys_id'),
      (2, 'task', '{assigned_user,sys_created_at}', 'conditions', '{state,active,priority}', 'assigned_user, sys_created_at, sys_id'),
      (3, 'task', '{caller,sys_created_at}', 'conditions', '{state,active,priority}', 'caller, sys_created_at, sys_id'),
      (4, 'task', '{state,sys_created_at}', 'conditions', '{active,priority}', 'state, sys_created_at, sys_id'),
      (5, 'task', '{due_date}', 'conditions', '{state,active,priority}', 'due_date, sys_id'),
      (6, 'task', '{priority}', 'order', null, '(priority collate docket_system.number_order), sys_id'),
      (7, 'task', '{subject}', 'order', null, '(subject collate docket_system.text_order), sys_id'),
      (8, 'user', '{display_name}', 'order', null, '(display_name collate docket_system.text_order), sys_id')) as w (n, name, columns, purpose, included, keys)
    join docket.sys_db_table t on t.name = w.name
    order by w.n
  loop
    insert into docket.sys_db_index (table_id, column_names, included_columns, purpose, state)
    values (wanted.sys_id, wanted.columns, wanted.included, wanted.purpose, 'waiting') returning sys_id into made;
    continue when pg_relation_size(format('%I.%I', wanted.storage_schema, wanted.storage_table)::regclass) > 33554432;
    execute format('create index index_%s on %I.%I (%s)%s', made, wanted.storage_schema, wanted.storage_table, wanted.keys,
      ' include (' || array_to_string(wanted.included, ', ') || ')');
    update docket.sys_db_index set state = 'ready', storage_index = 'index_' || made where sys_id = made;
    for old in
      delete from docket.sys_db_index i where i.table_id = wanted.sys_id and i.purpose = wanted.purpose
        and i.column_names = wanted.columns and i.sys_id <> made returning i.storage_index
    loop
      execute format('drop index if exists %I.%I', wanted.storage_schema, old.storage_index);
    end loop;
  end loop;
end $$;
