-- Clients of SimpleOne name tables and column types by number. In a new database the tables and types that ship have these numbers. In
-- a database that has been used they keep their own, and the numbers are aliases of them (docs/simpleone.md).

-- ── columns that clients write on rows of the dictionary ─────────────────────────────────────────────────────────────

-- They are stored and returned, and have no effect.
select docket_system.define_column(c.table_name, c.name, c.type, c.en, c.ru, c.options) from (values
  ('sys_db_table', 'is_vcs_enabled', 'boolean', 'Under version control', 'Под контролем версий', '{}'::jsonb),
  ('sys_db_table', 'indicate_presence', 'boolean', 'Indicate presence', 'Показывать присутствие', '{}'),
  ('sys_db_column', 'choice_type', 'string', 'Kind of choice', 'Вид выбора', '{}'),
  ('sys_db_column', 'choice_table_id', 'reference', 'Table of choices', 'Таблица вариантов', '{"reference":"sys_db_table"}'),
  ('sys_db_column', 'choice_field_id', 'reference', 'Column of choices', 'Колонка вариантов', '{"reference":"sys_db_column"}'))
  as c (table_name, name, type, en, ru, options);
-- Without effect on deletes either.
alter table docket.sys_db_column drop constraint sys_db_column_choice_table_id_fkey, drop constraint sys_db_column_choice_field_id_fkey,
  add foreign key (choice_table_id) references docket.sys_db_table on delete set null,
  add foreign key (choice_field_id) references docket.sys_db_column on delete set null;

-- ── the numbers ──────────────────────────────────────────────────────────────────────────────────────────────────────

-- An alias is read wherever the sys_id of a row of `of_table` is (src/catalog/record-key.ts); answers give the row's own.
create table docket_system.id_alias (
  of_table text not null check (of_table in ('sys_db_table', 'sys_db_column_type')),
  alias bigint not null,
  record_id bigint not null,
  primary key (of_table, alias)
);

create temporary table known on commit drop as
select k.of_table, k.name, k.id, coalesce(t.sys_id, y.sys_id) as own, k.is_nearest from (values
  ('sys_db_table', 'task', 155931135900000083, false),
  ('sys_db_table', 'user', 155931135900000084, false),
  ('sys_db_table', 'employee', 156873090301469473, false),
  ('sys_db_table', 'sys_group', 155931135900000025, false),
  ('sys_db_table', 'sys_user_group', 155931135900000078, false),
  ('sys_db_table', 'sys_user_has_role', 155931135900000079, false),
  ('sys_db_table', 'sys_role', 155931135900000053, false),
  ('sys_db_table', 'sys_role_contains', 155931135900000054, false),
  ('sys_db_table', 'sys_choice', 155931135900000009, false),
  ('sys_db_table', 'sys_db_column', 155931135900000012, false),
  ('sys_db_table', 'sys_db_table', 155931135900000015, false),
  ('sys_db_table', 'sys_db_column_type', 155931135900000014, false),
  ('sys_db_table', 'sys_number', 155931135900000046, false),
  ('sys_db_table', 'sys_property', 155931135900000051, false),
  ('sys_db_table', 'sys_filter', 155931135900000023, false),
  -- SimpleOne's sys_filter_option_dynamic.
  ('sys_db_table', 'sys_dynamic_option', 155931135900000024, false),
  ('sys_db_table', 'sys_schedule', 155931135900000056, false),
  ('sys_db_table', 'sys_indication', 165996489807396821, false),
  ('sys_db_table', 'sys_attachment', 155931135900000007, false),
  ('sys_db_table', 'sys_history', 155931135900000027, false),
  ('sys_db_table', 'sys_record_deletion_log', 161704027300112313, false),
  ('sys_db_table', 'sys_security_acl', 155931135900000062, false),
  ('sys_db_table', 'sys_state_model', 156846521905974638, false),
  ('sys_db_table', 'sys_approval', 156525007504892837, false),
  ('sys_db_table', 'sys_ui_form', 155931135900000068, false),
  ('sys_db_table', 'sys_ui_form_section', 155931135900000070, false),
  ('sys_db_table', 'sys_ui_form_element', 155931135900000069, false),
  ('sys_db_table', 'itsm_task', 156950363112415683, false),
  ('sys_db_table', 'itsm_incident', 156950677111866258, false),
  ('sys_db_table', 'itsm_problem', 156950604414524664, false),
  ('sys_db_table', 'itsm_change_request', 156950641515337420, false),
  ('sys_db_table', 'itsm_request', 156950616617772294, false),
  ('sys_db_column_type', 'integer', 1, false),
  ('sys_db_column_type', 'smallinteger', 2, false),
  ('sys_db_column_type', 'datetime', 3, false),
  ('sys_db_column_type', 'time', 5, false),
  ('sys_db_column_type', 'percent_complete', 6, false),
  ('sys_db_column_type', 'decimal', 7, false),
  ('sys_db_column_type', 'reference', 8, false),
  ('sys_db_column_type', 'boolean', 9, false),
  ('sys_db_column_type', 'text', 11, false),
  ('sys_db_column_type', 'string', 12, false),
  ('sys_db_column_type', 'image', 16, false),
  ('sys_db_column_type', 'choice', 17, false),
  ('sys_db_column_type', 'phone', 18, false),
  ('sys_db_column_type', 'url', 19, false),
  ('sys_db_column_type', 'date', 20, false),
  -- SimpleOne's id, titled "Document ID".
  ('sys_db_column_type', 'document_id', 21, false),
  ('sys_db_column_type', 'float', 22, false),
  ('sys_db_column_type', 'biginteger', 23, false),
  ('sys_db_column_type', 'json', 24, false),
  ('sys_db_column_type', 'password', 27, false),
  ('sys_db_column_type', 'days_of_week', 28, false),
  ('sys_db_column_type', 'script', 29, false),
  ('sys_db_column_type', 'list', 30, false),
  ('sys_db_column_type', 'journal_input', 31, false),
  ('sys_db_column_type', 'html', 32, false),
  ('sys_db_column_type', 'field_name', 33, false),
  -- SimpleOne's encrypted_password.
  ('sys_db_column_type', 'encrypted', 34, false),
  ('sys_db_column_type', 'duration', 35, false),
  ('sys_db_column_type', 'color', 38, false),
  ('sys_db_column_type', 'translated_text', 39, false),
  -- SimpleOne's rich_text.
  ('sys_db_column_type', 'wysiwyg', 42, false),
  -- Types of SimpleOne that Docket lacks: conditions, enum_form_split_element_type, template, record_class, datetime_specific.
  ('sys_db_column_type', 'text', 10, true),
  ('sys_db_column_type', 'string', 26, true),
  ('sys_db_column_type', 'text', 37, true),
  ('sys_db_column_type', 'reference', 40, true),
  ('sys_db_column_type', 'datetime', 41, true)) as k (of_table, name, id, is_nearest)
left join docket.sys_db_table t on k.of_table = 'sys_db_table' and t.name = k.name and t.is_system
left join docket.sys_db_column_type y on k.of_table = 'sys_db_column_type' and y.name = k.name
where coalesce(t.sys_id, y.sys_id) is not null;

-- Nobody has used the database: the administrator has no password yet, which the first start gives, and there are no rows but those of
-- migrations.
create function pg_temp.is_new() returns boolean language sql as $$
  select not exists (select from docket."user" where password is not null or sys_id <> 155931135900000001)
    and not exists (select from docket.task) and not exists (select from docket_system.change)
    and not exists (select from docket_system.access_key) and not exists (select from docket_documents.collection)
    and not exists (select from docket.sys_db_table where not is_system) and not exists (select from docket.sys_db_column where not is_system)
$$;

-- Gives rows other ids, wherever their ids stand: a sys_id is unique across tables, so each equal value is that id.
create function pg_temp.renumber() returns void language plpgsql as $$
declare
  found record;
  parts text[] := '{}';
  undo text;
begin
  -- No constraint and no trigger looks at the values on the way.
  for found in
    select k.conrelid::regclass as of_table, k.conname, pg_get_constraintdef(k.oid) as definition from pg_constraint k
    where k.contype = 'f' and k.confrelid in ('docket.sys_db_table'::regclass, 'docket.sys_db_column_type'::regclass)
  loop
    execute format('alter table %s drop constraint %I', found.of_table, found.conname);
    parts := parts || format('alter table %s add constraint %I %s', found.of_table, found.conname, found.definition);
  end loop;
  for found in
    select a.attrelid::regclass as of_table, array_agg(a.attname::text) as columns from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace in ('docket'::regnamespace, 'docket_system'::regnamespace) and c.relkind = 'r' and a.atttypid = 'bigint'::regtype
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and c.relname <> 'id_alias'
    group by a.attrelid
  loop
    execute format('alter table %s disable trigger user', found.of_table);
    execute format('update %s as r set %s where %s', found.of_table,
      (select string_agg(format('%I = coalesce((select k.id from pg_temp.known k where k.own = r.%1$I and not k.is_nearest), r.%1$I)', n), ', ')
       from unnest(found.columns) as n),
      (select string_agg(format('r.%I in (select own from pg_temp.known)', n), ' or ') from unnest(found.columns) as n));
    execute format('alter table %s enable trigger user', found.of_table);
  end loop;
  foreach undo in array parts loop
    execute undo;
  end loop;
end $$;

-- Defaults and views that name a table by its id.
create function pg_temp.rename_ids(text) returns text language plpgsql as $$
declare
  result text := $1;
  k record;
begin
  for k in select own, id from pg_temp.known where not is_nearest loop
    result := replace(result, k.own::text, k.id::text);
  end loop;
  return result;
end $$;

create function pg_temp.renumber_definitions() returns void language plpgsql as $$
declare
  found record;
begin
  for found in
    select d.adrelid::regclass as of_table, a.attname as of_column, pg_get_expr(d.adbin, d.adrelid) as expression
    from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum join pg_class c on c.oid = d.adrelid
    where c.relnamespace = 'docket'::regnamespace and c.relkind = 'r' and a.attname = 'sys_db_table_id'
  loop
    execute format('alter table %s alter column %I set default %s', found.of_table, found.of_column, pg_temp.rename_ids(found.expression));
  end loop;
  for found in
    select c.oid::regclass as of_view, pg_get_viewdef(c.oid) as definition from pg_class c
    where c.relnamespace = 'docket'::regnamespace and c.relkind = 'v'
  loop
    execute format('create or replace view %s as %s', found.of_view, pg_temp.rename_ids(found.definition));
  end loop;
end $$;

do $$
begin
  if pg_temp.is_new() then
    -- Triggers of constraints that wait would keep the tables from being altered.
    set constraints all immediate;
    perform pg_temp.renumber();
    perform pg_temp.renumber_definitions();
    update pg_temp.known k set own = (select o.id from pg_temp.known o where o.own = k.own and not o.is_nearest);
  end if;
end $$;

insert into docket_system.id_alias (of_table, alias, record_id) select of_table, id, own from pg_temp.known where own <> id;
