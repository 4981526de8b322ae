-- Writes down which indexes for searching a table and its children want, and takes those away that serve no more.
-- Returns those that are to be built.
CREATE OR REPLACE FUNCTION docket_system.want_search_indexes(of_table bigint)
 RETURNS SETOF bigint
 LANGUAGE plpgsql
AS $function$
declare
  member record;
  stale record;
begin
  for member in
    with recursive descendants as (
      select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = of_table
      union all select c.sys_id, c.parent_id from docket.sys_db_table c join descendants on c.parent_id = descendants.sys_id)
    select f.sys_id, t.storage_schema, docket_system.searched_columns(f.sys_id) as searched,
           case when t.parent_id is not null then docket_system.searched_columns(t.parent_id) else '{}' end as by_parent
    from descendants f join docket.sys_db_table t on t.sys_id = f.sys_id
  loop
    for stale in
      delete from docket.sys_db_index i where i.table_id = member.sys_id and i.purpose = 'search'
        and (i.column_names <> member.searched or member.searched = member.by_parent) returning i.storage_index
    loop
      execute format('drop index if exists %I.%I', member.storage_schema, stale.storage_index);
    end loop;
    if member.searched <> '{}' and member.searched <> member.by_parent
       and not exists (select from docket.sys_db_index i where i.table_id = member.sys_id and i.purpose = 'search') then
      -- The same references as the index of parts of texts has.
      return query insert into docket.sys_db_index (table_id, column_names, included_columns, purpose, state)
        values (member.sys_id, member.searched,
          (select i.included_columns from docket.sys_db_index i
           where i.table_id = member.sys_id and i.purpose = 'contains' and cardinality(i.included_columns) > 0 order by i.sys_id limit 1),
          'search', 'waiting') returning sys_id;
    end if;
  end loop;
end $function$;
