-- Most references are empty in most rows, and an index on them had an entry for each such row: it was written with every record. Conditions on a
-- value and foreign keys are served by an index without them. Indexes of tables of more than 32 MB stay, so that no start waits for them.
do $$
declare
  whole record;
  -- Collected first: tables of the dictionary are among those that change.
  found jsonb := (
    select jsonb_agg(distinct jsonb_build_object('index', i.indexrelid::regclass::text, 'name', k.relname, 'place', i.indrelid::regclass::text, 'key', a.attname))
    from docket.sys_db_column c
      join docket.sys_db_table t on t.sys_id = c.table_id and t.adopted_key is null
      join docket.sys_db_column_type y on y.sys_id = c.column_type_id and y.name = 'reference'
      join pg_attribute a on a.attrelid = to_regclass(format('%I.%I', t.storage_schema, t.storage_table)) and a.attname = c.storage_column and not a.attnotnull
      join pg_index i on i.indrelid = a.attrelid and i.indnatts = 1 and i.indkey[0] = a.attnum and i.indpred is null and not i.indisunique
      join pg_class k on k.oid = i.indexrelid
    where pg_relation_size(a.attrelid) <= 33554432
      and not exists (select from docket.sys_db_index w where w.storage_index = k.relname));
begin
  for whole in select * from jsonb_to_recordset(found) as f (index text, name text, place text, key text)
  loop
    execute format('drop index %s', whole.index);
    execute format('create index %I on %s (%I) where %I is not null', whole.name, whole.place, whole.key, whole.key);
  end loop;
end $$;

-- It has one row for ever. Unanalyzed, PostgreSQL takes it for 1,810, and every statement of a record for as many times its cost.
analyze docket_system.epoch;
