-- A list of references is read as one text, its sys_ids joined by commas. The log of changes keeps the members, from which earlier
-- rows are made again; the views of it give what a read gives.

create function docket_system.is_reference_list(of_class bigint, of_column text) returns boolean language sql stable as $$
  with recursive line as (
    select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = of_class
    union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select exists (select from line join docket.sys_db_column d on d.table_id = line.sys_id
    join docket.sys_db_column_type y on y.sys_id = d.column_type_id
    where d.column_name = of_column and y.name = 'list' and d.reference_id is not null)
$$;

-- A logged value as a text.
create function docket_system.logged_text(of_class bigint, of_column text, value jsonb) returns text language sql stable as $$
  select case when jsonb_typeof(value) = 'array' and docket_system.is_reference_list(of_class, of_column)
    then (select string_agg(m.id, ',' order by m.n) from jsonb_array_elements_text(value) with ordinality as m (id, n))
    else value #>> '{}' end
$$;

-- The logged values of a record, by column, as a read gives them.
create function docket_system.logged_values(of_class bigint, stored jsonb) returns jsonb language sql stable as $$
  select case when exists (select from jsonb_each(stored) as e where jsonb_typeof(e.value) = 'array')
    then (select jsonb_object_agg(e.key, case when jsonb_typeof(e.value) = 'array' and docket_system.is_reference_list(of_class, e.key)
            then to_jsonb(docket_system.logged_text(of_class, e.key, e.value)) else e.value end)
          from jsonb_each(stored) as e)
    else stored end
$$;

do $$
declare
  history text := pg_get_viewdef('docket.sys_history');
  deletions text := pg_get_viewdef('docket.sys_record_deletion_log');
begin
  history := replace(history, 'v.old #>> ''{}''::text[]', 'docket_system.logged_text(c.table_id, e.column_name, v.old)');
  history := replace(history, 'v.new #>> ''{}''::text[]', 'docket_system.logged_text(c.table_id, e.column_name, v.new)');
  deletions := replace(deletions, 'c.changes AS "values"', 'docket_system.logged_values(c.table_id, c.changes) AS "values"');
  deletions := replace(deletions, E'\n    changes AS "values"', E'\n    docket_system.logged_values(table_id, changes) AS "values"');
  if history not like '%logged_text%' or deletions not like '%logged_values%' then
    raise exception 'the views of the log are not those of earlier migrations';
  end if;
  execute 'create or replace view docket.sys_history as ' || history;
  execute 'create or replace view docket.sys_record_deletion_log as ' || deletions;
end $$;
