-- Scripts of ServiceNow contain the sys_ids of a few records that every instance has. /api/now serves these ids for the same records here
-- (src/column-types/served-id.ts). Only migrations write this table; the catalog keeps its rows.
create table docket_system.well_known_id (
  -- The root of a hierarchy.
  of_table text not null check (of_table in ('user', 'sys_role')),
  sys_id bigint not null,
  id text not null unique check (id ~ '^[0-9a-f]{32}$'),
  primary key (of_table, sys_id)
);

-- A record that came from an instance has the id that it had there, and keeps it: no other record gets the same one.
do $$
declare
  known record;
  place record;
  own bigint;
  is_free boolean;
begin
  for known in select * from (values
    ('user', 'user_name', 'admin', '6816f79cc0a8016401c5a33be04be441'),
    ('sys_role', 'name', 'admin', '2831a114c611228501d4ea6c309d626d'),
    ('sys_role', 'name', 'itil', '282bf1fac6112285017366cb5f867469')) as v (of_table, column_name, name, id)
  loop
    execute format('select sys_id from docket.%I where lower(%I) = $1 order by sys_id limit 1', known.of_table, known.column_name)
      into own using known.name;
    continue when own is null;
    select t.sys_id as root, t.storage_schema, t.storage_table, c.storage_column into place
    from docket.sys_db_table t
      left join docket.sys_db_column c on c.table_id = t.sys_id and c.column_name = 'given_sys_id' and c."unique" and c.read_only
    where t.name = known.of_table;
    is_free := true;
    if place.storage_column is not null then
      execute format('select not exists (select from %I.%I where lower(%3$I) = $1 or (sys_id = $2 and %3$I is not null))',
        place.storage_schema, place.storage_table, place.storage_column) into is_free using known.id, own;
    end if;
    continue when not is_free;
    insert into docket_system.well_known_id (of_table, sys_id, id) values (known.of_table, own, known.id);
    -- The index on the served ids of the hierarchy has an expression without this id. The first process builds it again.
    execute format('drop index if exists %I.%I', place.storage_schema, 'served_id_' || place.root);
  end loop;
end $$;
