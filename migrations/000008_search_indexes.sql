-- Full-text search over a record asks for the words of all its searchable columns together; an index holds just these
-- (src/catalog/searched-text.ts). A table that searches what its parent searches is served by the parent's.

-- Writes down which indexes for searching a table and its children want, and takes those away that serve no more.
-- Returns those that are to be built.
create function docket_system.want_search_indexes(of_table bigint) returns setof bigint language plpgsql as $$
declare
  member record;
  stale record;
begin
  for member in
    with recursive family as (
      select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = of_table
      union all select c.sys_id, c.parent_id from docket.sys_db_table c join family on c.parent_id = family.sys_id)
    select f.sys_id, t.storage_schema, docket_system.searched_columns(f.sys_id) as searched,
           case when t.parent_id is not null then docket_system.searched_columns(t.parent_id) else '{}' end as by_parent
    from family f join docket.sys_db_table t on t.sys_id = f.sys_id
  loop
    for stale in
      delete from docket.sys_db_index i where i.table_id = member.sys_id and i.purpose = 'search'
        and (i.column_names <> member.searched or member.searched = member.by_parent) returning i.storage_index
    loop
      execute format('drop index if exists %I.%I', member.storage_schema, stale.storage_index);
    end loop;
    if member.searched <> '{}' and member.searched <> member.by_parent
       and not exists (select from docket.sys_db_index i where i.table_id = member.sys_id and i.purpose = 'search') then
      return query insert into docket.sys_db_index (table_id, column_names, purpose, state)
        values (member.sys_id, member.searched, 'search', 'waiting') returning sys_id;
    end if;
  end loop;
end $$;

-- Names of a table's searchable columns, the root's first, as the server puts them together.
create function docket_system.searched_columns(of_table bigint) returns text[] language sql stable as $$
  with recursive line as (
    select t.sys_id, t.parent_id, 0 as depth from docket.sys_db_table t where t.sys_id = of_table
    union all select p.sys_id, p.parent_id, line.depth + 1 from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select coalesce(array_agg(c.column_name order by line.depth desc, c.sys_id), '{}')
  from line join docket.sys_db_column c on c.table_id = line.sys_id
  where c.full_text_search and c.active and c.storage_column is not null
$$;

select docket_system.define_choices('sys_db_index', 'purpose', '[["search","Search","Поиска"]]');

do $$
declare
  root record;
  wanted bigint;
  parts text;
begin
  for root in select t.* from docket.sys_db_table t join pg_class k on k.relname = t.storage_table and k.relnamespace = t.storage_schema::regnamespace
              where t.parent_id is null and k.relkind = 'r' loop
    for wanted in select docket_system.want_search_indexes(root.sys_id) loop
      select string_agg(format('coalesce(%I::text, '''')', c.storage_column), ' || '' '' || ' order by n.place) into parts
      from docket.sys_db_index i, unnest(i.column_names) with ordinality as n (name, place)
        join lateral (
          with recursive line as (
            select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = i.table_id
            union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
          select c.storage_column from line join docket.sys_db_column c on c.table_id = line.sys_id where c.column_name = n.name) c on true
      where i.sys_id = wanted;
      execute format('create index index_%s on %I.%I using gin (to_tsvector(''russian'', left((%s), 200000)))', wanted, root.storage_schema, root.storage_table, parts);
      update docket.sys_db_index set state = 'ready', storage_index = 'index_' || wanted where sys_id = wanted;
    end loop;
  end loop;
end $$;
