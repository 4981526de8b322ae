-- Totals of lists are exact up to this number of rows.
insert into docket.sys_property (name, value, description)
select 'rest.count.max', '10000', 'Totals of lists are exact up to this number of rows; sysparm_count=exact asks for the exact one.'
where not exists (select from docket.sys_property where name = 'rest.count.max');

-- The queues, and the newest first in each: what a service desk asks for all day. A table of more than 32 MB is left to the job.
do $$
declare
  wanted record;
  made bigint;
begin
  for wanted in
    select t.sys_id, w.columns, w.purpose, w.keys, w.replaces
    from (values
      (1, '{number}'::text[], 'order', '(number collate docket_system.text_order), sys_id', null),
      (2, '{assignment_group,sys_created_at}', 'conditions', 'assignment_group, sys_created_at, sys_id', 'assignment_group'),
      (3, '{assigned_user,sys_created_at}', 'conditions', 'assigned_user, sys_created_at, sys_id', 'assigned_user'),
      (4, '{caller,sys_created_at}', 'conditions', 'caller, sys_created_at, sys_id', 'caller'),
      (5, '{state,sys_created_at}', 'conditions', 'state, sys_created_at, sys_id', null)) as w (n, columns, purpose, keys, replaces)
    join docket.sys_db_table t on t.name = 'task'
    order by w.n
  loop
    insert into docket.sys_db_index (table_id, column_names, purpose, state)
    values (wanted.sys_id, wanted.columns, wanted.purpose, 'waiting') returning sys_id into made;
    continue when pg_relation_size('docket.task') > 33554432;
    execute format('create index index_%s on docket.task (%s)', made, wanted.keys);
    update docket.sys_db_index set state = 'ready', storage_index = 'index_' || made where sys_id = made;
    -- The longer index serves what the one on the reference alone served.
    if wanted.replaces is not null then
      execute format('drop index if exists docket.task_%s_idx', wanted.replaces);
    end if;
  end loop;
end $$;
