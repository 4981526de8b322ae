-- Conditions that look for a part of a text (LIKE, STARTSWITH, ENDSWITH, MATCH_PAT) are served by trigrams. Where the extension cannot be
-- created, the indexes wait, and docket doctor says so.
do $$
begin
  create extension if not exists pg_trgm with schema public;
exception when others then
  raise notice 'pg_trgm is not available: %', sqlerrm;
end $$;

-- The operator class of trigram indexes, wherever the extension is; null: it is not in this database.
create function docket_system.trigram_operators() returns text language sql stable as $$
  select format('%I.%I', n.nspname, o.opcname)
  from pg_catalog.pg_opclass o
    join pg_catalog.pg_am m on m.oid = o.opcmethod and m.amname = 'gin'
    join pg_catalog.pg_namespace n on n.oid = o.opcnamespace
  where o.opcname = 'gin_trgm_ops' limit 1
$$;

select docket_system.define_choices('sys_db_index', 'purpose', '[["contains","Contains","Поиска части текста"]]');
update docket.sys_choice c set "order" = 40
from docket.sys_db_table t, docket.sys_db_column o
where t.sys_id = c.table_id and t.name = 'sys_db_index' and o.sys_id = c.column_id and o.column_name = 'purpose' and c.value = 'contains';

-- A table of more than 32 MB is left to the job, so that nobody waits for it.
do $$
declare
  wanted record;
  made bigint;
begin
  for wanted in
    select t.sys_id, t.storage_schema, t.storage_table, w.columns
    from (values
      ('task', '{number,subject,short_description,display_name}'::text[]),
      ('user', '{display_name,user_name,email}'),
      ('company', '{name}'), ('service', '{name}'), ('sys_group', '{name}')) as w (name, columns)
    join docket.sys_db_table t on t.name = w.name
  loop
    insert into docket.sys_db_index (table_id, column_names, purpose, state)
    values (wanted.sys_id, wanted.columns, 'contains', 'waiting') returning sys_id into made;
    continue when docket_system.trigram_operators() is null
      or pg_relation_size(format('%I.%I', wanted.storage_schema, wanted.storage_table)::regclass) > 33554432;
    execute format('create index index_%s on %I.%I using gin (%s)', made, wanted.storage_schema, wanted.storage_table,
      (select string_agg(format('docket_system.fold(%I) %s', name, docket_system.trigram_operators()), ', ' order by place)
       from unnest(wanted.columns) with ordinality as c (name, place)));
    update docket.sys_db_index set state = 'ready', storage_index = 'index_' || made where sys_id = made;
  end loop;
end $$;
