-- Journal entries of records that are deleted already. From now on entries and files are deleted with their record, in its statement;
-- files of such records are removed by the hourly cleanup.
do $$
declare place record;
begin
  for place in
    select k.oid::regclass::text as name, array_agg(t.sys_id) as classes from docket.sys_db_table t
    join pg_namespace s on s.nspname = t.storage_schema
    join pg_class k on k.relnamespace = s.oid and k.relname = t.storage_table and k.relkind = 'r'
    where t.storage_schema = 'docket' and t.adopted_key is null
      and exists (select from docket.sys_journal_entry e where e.table_id = t.sys_id)
    group by 1
  loop
    execute format('delete from docket.sys_journal_entry e where e.table_id = any ($1)
      and not exists (select from %s r where r.sys_id::text = e.record_id)', place.name) using place.classes;
  end loop;
end $$;

-- A client without a secret gets no token.
update docket.sys_db_column c set mandatory = true from docket.sys_db_table t
where t.sys_id = c.table_id and t.name = 'oauth_entity' and c.column_name = 'client_secret';
