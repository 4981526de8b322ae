-- The rows of the demo desk, so that `docket demo remove` removes these and nothing else. One row for each table.
create table docket_system.demo_record (
  -- With its schema: docket.task, docket_documents.document.
  storage_table text primary key,
  ids bigint[] not null
);

-- A desk from before this table existed. The low eight digits of a sys_id come from one sequence, and the desk reserved
-- 30,000 of them at once, starting with its first company. Nobody could sign in before the desk was complete.
do $$
declare
  filled_at timestamp;
  first_low bigint;
  owner record;
begin
  if to_regclass('docket_system.setup_step') is null then
    return;
  end if;
  execute $sql$ select done_at from docket_system.setup_step where name = 'demo' and outcome = 'on' $sql$ into filled_at;
  filled_at := filled_at + interval '1 minute';
  select min(sys_id % 100000000) into first_low from docket.company
  where website like 'https://www.%.example/' and sys_created_at < filled_at;
  if first_low is null then
    return;
  end if;
  for owner in
    select distinct 'docket.' || t.storage_table as name, format('%I.%I', t.storage_schema, t.storage_table) as quoted
    from docket.sys_db_table t
    join pg_class c on c.oid = to_regclass(format('%I.%I', t.storage_schema, t.storage_table)) and c.relkind = 'r'
    where t.storage_schema = 'docket' and t.key_column = 'sys_id'
  loop
    execute format($sql$
      insert into docket_system.demo_record
      select $1, ids from (select array_agg(sys_id order by sys_id) as ids from %s
        where sys_id %% 100000000 between $2 and $2 + 29999 and sys_created_at <= $3) as found
      where ids is not null $sql$, owner.quoted) using owner.name, first_low, filled_at;
  end loop;
  insert into docket_system.demo_record
  select 'docket_documents.document', array_agg(d.id order by d.id)
  from docket_documents.document d join docket_documents.collection c on c.id = d.collection_id
  where c.name in ('knowledge', 'docket-docs', 'open-incidents') and d.loaded_at <= filled_at
  having count(*) > 0;
  insert into docket_system.demo_record
  select 'docket_documents.collection', array_agg(c.id order by c.id)
  from docket_documents.collection c
  where c.name in ('knowledge', 'docket-docs', 'open-incidents') and c.created_at <= filled_at and c.removed_position is null
  having count(*) > 0;
end $$;
