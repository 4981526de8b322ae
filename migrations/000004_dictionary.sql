-- The dictionary is changed through the Table API: the record service writes its rows, and in the same transaction makes
-- PostgreSQL's tables and columns follow (src/records/dictionary/change-dictionary.ts). Here stands what the rows
-- themselves need: where a table or column is stored, what belongs to Docket, and what goes with a table that goes.

-- ── what belongs to Docket ───────────────────────────────────────────────────────────────────────────────────────────

-- Rows that migrations write are Docket's own: the server stands on them, so that they cannot be deleted, renamed or turned
-- into something else. The dictionary's default makes those that come by the Table API the caller's.
alter table docket.sys_db_table add column is_system boolean not null default true;
alter table docket.sys_db_column add column is_system boolean not null default true;
select docket_system.define_column(t.name, 'is_system', 'boolean', 'Belongs to Docket', 'Принадлежит Docket', '{"standing":true,"read_only":true,"default":"false"}')
from (values ('sys_db_table'), ('sys_db_column')) as t (name);

-- ── where it is stored ───────────────────────────────────────────────────────────────────────────────────────────────

-- PostgreSQL keeps tables, indexes and sequences under one set of names.
create function docket_system.free_relation_name(in_schema text, wanted text) returns text language plpgsql stable as $$
declare
  candidate text := wanted;
  n integer := 1;
begin
  while to_regclass(format('%I.%I', in_schema, candidate)) is not null or to_regtype(format('%I.%I', in_schema, candidate)) is not null loop
    n := n + 1;
    candidate := left(wanted, 60 - length(n::text) - 1) || '_' || n;
  end loop;
  return candidate;
end $$;

create function docket_system.place_table() returns trigger language plpgsql as $$
begin
  if new.storage_table is not null then
    return new;
  end if;
  if new.parent_id is null then
    new.storage_table := docket_system.free_relation_name(new.storage_schema, new.name);
  else
    select p.storage_schema, p.storage_table, p.key_column into new.storage_schema, new.storage_table, new.key_column
    from docket.sys_db_table p where p.sys_id = new.parent_id;
  end if;
  return new;
end $$;
create trigger place_table before insert on docket.sys_db_table for each row execute function docket_system.place_table();

-- Two children of one root may each have a column of one name; the root's table holds both.
create function docket_system.place_column() returns trigger language plpgsql as $$
declare
  owner docket.sys_db_table;
  candidate text := new.column_name;
  n integer := 1;
begin
  if new.storage_column is not null or (select y.storage from docket.sys_db_column_type y where y.sys_id = new.column_type_id) is null then
    return new;
  end if;
  select * into owner from docket.sys_db_table t where t.sys_id = new.table_id;
  if not found then
    return new;
  end if;
  while exists (select from pg_attribute a where a.attrelid = to_regclass(format('%I.%I', owner.storage_schema, owner.storage_table))
                and a.attname = candidate and not a.attisdropped) loop
    candidate := left(owner.name, 30) || '__' || left(new.column_name, 31 - case when n = 1 then 0 else length(n::text) + 1 end)
      || case when n = 1 then '' else '_' || n end;
    n := n + 1;
  end loop;
  new.storage_column := candidate;
  return new;
end $$;
create trigger place_column before insert on docket.sys_db_column for each row execute function docket_system.place_column();

-- The columns that every table of its own storage has; a child has its root's.
create function docket_system.define_system_columns(table_name text) returns void language sql as $$
  select docket_system.define_column(table_name, c.name, c.type, c.title_en, c.title_ru, c.options || '{"standing":true,"read_only":true}')
  from (values
    ('sys_id', 'sys_id', 'Sys ID', 'Идентификатор', '{}'::jsonb),
    ('sys_created_at', 'datetime', 'Created', 'Создано', '{}'),
    ('sys_created_by', 'reference', 'Created by', 'Кем создано', '{"reference":"user"}'),
    ('sys_updated_at', 'datetime', 'Updated', 'Обновлено', '{}'),
    ('sys_updated_by', 'reference', 'Updated by', 'Кем обновлено', '{"reference":"user"}'),
    ('sys_db_table_id', 'reference', 'Table', 'Таблица', '{"reference":"sys_db_table"}')) as c (name, type, title_en, title_ru, options)
$$;

-- ── what goes with what goes ─────────────────────────────────────────────────────────────────────────────────────────

-- Numberings, forms, filters, models, journals, files of a table have no meaning without it.
do $$
declare
  bound record;
begin
  for bound in
    select k.conname, k.conrelid::regclass as of_table, k.confrelid::regclass as target, a.attname as of_column
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f' and k.connamespace = 'docket'::regnamespace and k.confdeltype = 'a' and (
      (k.confrelid = 'docket.sys_db_table'::regclass and a.attname = 'table_id')
      or (k.conrelid, a.attname) in (('docket.sys_ui_form_section'::regclass, 'form_id'), ('docket.sys_ui_form_element'::regclass, 'section_id'),
                                     ('docket.sys_state_transition'::regclass, 'state_model_id')))
  loop
    execute format('alter table %s drop constraint %I, add constraint %I foreign key (%I) references %s on delete cascade',
                   bound.of_table, bound.conname, bound.conname, bound.of_column, bound.target);
  end loop;
end $$;

-- A title's translations stand beside it without a key of their own.
create function docket_system.forget_translations() returns trigger language plpgsql as $$
begin
  delete from docket.sys_translated_text x using docket.sys_db_column c, docket.sys_db_table t
  where x.record_id = old.sys_id and c.sys_id = x.column_id and t.sys_id = c.table_id and t.name = tg_table_name;
  return null;
end $$;
create trigger forget_translations after delete on docket.sys_db_table for each row execute function docket_system.forget_translations();
create trigger forget_translations after delete on docket.sys_db_column for each row execute function docket_system.forget_translations();

-- The numbers that were given stay given: a new numbering begins behind those that stand in the table.
create function docket_system.end_numbering() returns trigger language plpgsql as $$
begin
  execute format('drop sequence if exists docket_system.number_%s', old.sys_id);
  return null;
end $$;
create trigger end_numbering after delete on docket.sys_number for each row execute function docket_system.end_numbering();

-- ── values that change their type ────────────────────────────────────────────────────────────────────────────────────

-- Whether a text is a value of the type: pg_input_is_valid, which PostgreSQL has from 16 on.
create function docket_system.is_valid(value text, of_type regtype) returns boolean language plpgsql stable strict as $$
begin
  execute format('select %L::%s', value, of_type);
  return true;
exception when data_exception or invalid_text_representation or statement_too_complex then
  return false;
end $$;

-- ── indexes on request ───────────────────────────────────────────────────────────────────────────────────────────────

select docket_system.define_table('sys_db_index', 'Indexes', 'Индексы');
select docket_system.define_column('sys_db_index', c.name, c.type, c.en, c.ru, c.options) from (values
  ('table_id', 'reference', 'Table', 'Таблица', '{"mandatory":true,"reference":"sys_db_table"}'::jsonb),
  ('column_names', 'list', 'Columns', 'Колонки', '{"mandatory":true}'),
  ('purpose', 'choice', 'Serves', 'Служит для', '{"mandatory":true,"default":"conditions"}'),
  ('state', 'choice', 'State', 'Состояние', '{"read_only":true,"default":"waiting"}'),
  ('error', 'string', 'Why it could not be built', 'Почему не построен', '{"read_only":true}'),
  ('storage_index', 'string', 'PostgreSQL index', 'Индекс PostgreSQL', '{"read_only":true,"display_by_ref":true,"max_length":63}')) as c (name, type, en, ru, options);
select docket_system.define_choices('sys_db_index', 'purpose', '[["conditions","Conditions","Условий"],["order","Order","Сортировки"]]');
select docket_system.define_choices('sys_db_index', 'state', '[["waiting","Waiting","Ожидает"],["ready","Ready","Готов"],["failed","Failed","Не построен"]]');
alter table docket.sys_db_index drop constraint sys_db_index_table_id_fkey,
  add foreign key (table_id) references docket.sys_db_table on delete cascade;
