-- Rules such as "assigned to me or to my groups" are decided from the indexes by which the tasks of a caller, or of an assigned user, are found.
-- A table of more than 32 MB is left to the job; the index that the new one replaces serves until then. Other indexes of an administrator stay.
do $$
declare
  wanted record;
  old record;
  made bigint;
begin
  for wanted in
    select t.sys_id, t.storage_schema, t.storage_table, w.*
    from (values
      (1, '{assigned_user,sys_created_at}'::text[], '{state,active,priority,assignment_group}'::text[], 'assigned_user, sys_created_at, sys_id'),
      (2, '{caller,sys_created_at}', '{state,active,priority,assigned_user,assignment_group}', 'caller, sys_created_at, sys_id')) as w (n, columns, included, keys)
    join docket.sys_db_table t on t.name = 'task'
    where exists (select from docket.sys_db_index i where i.table_id = t.sys_id and i.purpose = 'conditions' and i.column_names = w.columns
      and i.included_columns = '{state,active,priority}' and i.state in ('ready', 'waiting'))
    order by w.n
  loop
    insert into docket.sys_db_index (table_id, column_names, included_columns, purpose, state)
    values (wanted.sys_id, wanted.columns, wanted.included, 'conditions', 'waiting') returning sys_id into made;
    continue when pg_relation_size(format('%I.%I', wanted.storage_schema, wanted.storage_table)::regclass) > 33554432;
    execute format('create index index_%s on %I.%I (%s) include (%s)', made, wanted.storage_schema, wanted.storage_table, wanted.keys,
      array_to_string(wanted.included, ', '));
    update docket.sys_db_index set state = 'ready', storage_index = 'index_' || made where sys_id = made;
    for old in
      delete from docket.sys_db_index i where i.table_id = wanted.sys_id and i.purpose = 'conditions'
        and i.column_names = wanted.columns and i.included_columns = '{state,active,priority}' returning i.storage_index
    loop
      execute format('drop index if exists %I.%I', wanted.storage_schema, old.storage_index);
    end loop;
  end loop;
end $$;
