-- How often each record was updated, as clients of ServiceNow ask for it. Empty: never since this migration. Names of the dictionary have no `$`.
do $$ declare place text; begin
  foreach place in array (
    select array_agg(distinct c.oid::regclass::text) from docket.sys_db_table t
    join pg_namespace n on n.nspname = t.storage_schema join pg_class c on c.relnamespace = n.oid and c.relname = t.storage_table
    where t.storage_schema = 'docket' and c.relkind = 'r')
  loop
    execute format('alter table %s add column update$count integer', place);
  end loop;
end $$;
