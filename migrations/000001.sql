-- The ground of both services: the functions that everything stands on, the dictionary that describes every table
-- (itself too), and the tables that Docket ships.
--
--   docket          every table that the Table API serves
--   docket_system   machinery that no caller ever sees
--
-- Tables and columns are made by docket_system.define_table and define_column, which write the dictionary's row and
-- change PostgreSQL's table in one step, so that the two cannot drift apart.

create schema if not exists docket_system;
create schema if not exists docket;

-- ── time, identifiers, text ──────────────────────────────────────────────────────────────────────────────────────────

-- The clock of every written value: UTC, whole seconds (the contract's format has no fraction, and a value that does not
-- equal what the caller read could not be found again). `docket.now` pins it in tests.
create function docket_system.now_utc() returns timestamp language sql stable parallel safe as $$
  select coalesce(nullif(current_setting('docket.now', true), '')::timestamp,
                  date_trunc('second', clock_timestamp() at time zone 'UTC'))
$$;

-- 10 digits of Unix seconds, then 8 of a cycling sequence: unique while fewer than 10^8 records are made in one second
-- and the clock does not jump back by exactly one turn of the sequence. No process has to know of another.
create sequence docket_system.sys_id_low minvalue 0 maxvalue 99999999 start 0 cycle cache 1;
create function docket_system.new_sys_id() returns bigint language sql volatile as $$
  select extract(epoch from docket_system.now_utc())::bigint * 100000000 + nextval('docket_system.sys_id_low')
$$;

-- Text compares without case and sorts as people sort it (ё beside е), whatever locale the database was made with.
-- PostgreSQL 17's built-in C.UTF-8 folds fastest; ICU is the next best; without either the database's own rules apply.
do $$
begin
  if exists (select from pg_collation where collname = 'pg_c_utf8') then
    execute 'create collation docket_system.text_fold from pg_catalog.pg_c_utf8';
  elsif exists (select from pg_collation where collname = 'und-x-icu') then
    execute 'create collation docket_system.text_fold from pg_catalog."und-x-icu"';
  else
    execute 'create collation docket_system.text_fold from pg_catalog."default"';
  end if;
  if exists (select from pg_collation where collname = 'und-x-icu') then
    execute 'create collation docket_system.text_order from pg_catalog."und-x-icu"';
  else
    execute 'create collation docket_system.text_order from docket_system.text_fold';
  end if;
end $$;

-- Choices whose values are numbers go by number: 2 before 10.
do $$
begin
  if exists (select from pg_collation where collname = 'und-x-icu') then
    execute 'create collation docket_system.number_order (provider = icu, locale = ''und-u-kn-true'')';
  else
    execute 'create collation docket_system.number_order from docket_system.text_order';
  end if;
end $$;

create function docket_system.fold(value text) returns text language sql immutable parallel safe as $$
  select lower(value collate docket_system.text_fold)
$$;

-- Ends the statement (and with it everything it wrote) with a refusal that the server turns into a clear answer:
-- SQLSTATE DK001, the refusal as JSON in DETAIL.
create function docket_system.refuse(refusal jsonb) returns boolean language plpgsql as $$
begin
  raise exception using errcode = 'DK001', message = 'refused', detail = refusal::text;
end $$;

-- ── values as people read them (record spec, section 4) ──────────────────────────────────────────────────────────────

create function docket_system.show_decimal(value numeric, language text) returns text language sql immutable parallel safe as $$
  select case language when 'ru' then translate(to_char(round(value, 2), 'FM999,999,999,999,999,999,999,999,999,999,999,999,999,990.00'), ',.', U&'\00A0,')
                       else to_char(round(value, 2), 'FM999,999,999,999,999,999,999,999,999,999,999,999,999,990.00') end
$$;

create function docket_system.show_float(value double precision, language text) returns text language sql immutable parallel safe as $$
  select case language when 'ru' then translate(value::text, '.', ',') else value::text end
$$;

create function docket_system.show_boolean(value boolean, language text) returns text language sql immutable parallel safe as $$
  select case when value then case language when 'ru' then 'Да' else 'Yes' end
              when not value then case language when 'ru' then 'Нет' else 'No' end end
$$;

-- Milliseconds as `1 d 2 h 5 m`; seconds only under a minute. The least bigint has no positive twin.
create function docket_system.show_duration(value bigint, language text) returns text language sql immutable parallel safe as $$
  select case when value is null then null else
    case when value < 0 then '-' else '' end || coalesce(nullif(concat_ws(' ',
      case when abs(greatest(value, -9223372036854775807)) >= 86400000 then (abs(greatest(value, -9223372036854775807)) / 86400000) || case language when 'ru' then ' д' else ' d' end end,
      case when abs(greatest(value, -9223372036854775807)) % 86400000 >= 3600000 then (abs(greatest(value, -9223372036854775807)) % 86400000 / 3600000) || case language when 'ru' then ' ч' else ' h' end end,
      case when abs(greatest(value, -9223372036854775807)) % 3600000 >= 60000 then (abs(greatest(value, -9223372036854775807)) % 3600000 / 60000) || case language when 'ru' then ' мин' else ' m' end end), ''),
      (abs(greatest(value, -9223372036854775807)) / 1000) || case language when 'ru' then ' с' else ' s' end) end
$$;

-- Bits Monday 1 to Sunday 64 as names.
create function docket_system.show_days(value smallint, language text) returns text language sql immutable parallel safe as $$
  select case when value is null then null else coalesce((
    select string_agg(case language when 'ru' then ru else en end, ', ' order by bit)
    from (values (0, 'Monday', 'Понедельник'), (1, 'Tuesday', 'Вторник'), (2, 'Wednesday', 'Среда'), (3, 'Thursday', 'Четверг'),
                 (4, 'Friday', 'Пятница'), (5, 'Saturday', 'Суббота'), (6, 'Sunday', 'Воскресенье')) as d (bit, en, ru)
    where value & (1 << bit) <> 0), '') end
$$;

-- ── changes computed where the value is, so that of two at once both count (record spec, section 8) ──────────────────

-- What stands keeps its place; what is added goes to the end, once.
create function docket_system.edit_list(standing text[], added text[], removed text[]) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(member order by place), '{}') from (
    select member, min(place) as place from (
      select member, place from unnest(coalesce(standing, '{}')) with ordinality as s (member, place)
      union all select member, place + coalesce(cardinality(standing), 0) from unnest(coalesce(added, '{}')) with ordinality as a (member, place)) as every
    where member <> all(coalesce(removed, '{}')) group by member) as kept
$$;

-- RFC 7396.
create function docket_system.merge_json(target jsonb, patch jsonb) returns jsonb language plpgsql immutable parallel safe as $$
declare
  merged jsonb;
  member record;
begin
  if jsonb_typeof(patch) is distinct from 'object' then
    return patch;
  end if;
  merged := case when jsonb_typeof(target) = 'object' then target else '{}' end;
  for member in select key, value from jsonb_each(patch) loop
    if jsonb_typeof(member.value) = 'null' then
      merged := merged - member.key;
    else
      merged := jsonb_set(merged, array[member.key], docket_system.merge_json(merged -> member.key, member.value), true);
    end if;
  end loop;
  return merged;
end $$;

-- ── epochs: what the caches of every process stand on ────────────────────────────────────────────────────────────────

-- One row, raised in the transaction of the change. A record statement reads it in its own snapshot, so an answer made
-- by rules that were no longer in force is noticed and made again before it is sent.
create table docket_system.epoch (
  only_row boolean primary key default true check (only_row),
  catalog bigint not null default 1,
  identity bigint not null default 1
);
insert into docket_system.epoch default values;

create function docket_system.raise_catalog_epoch() returns trigger language plpgsql as $$
begin
  update docket_system.epoch set catalog = catalog + 1;
  return null;
end $$;

create function docket_system.raise_identity_epoch() returns trigger language plpgsql as $$
begin
  update docket_system.epoch set identity = identity + 1;
  return null;
end $$;

-- ── the dictionary ───────────────────────────────────────────────────────────────────────────────────────────────────

create table docket.sys_db_column_type (
  sys_id bigint primary key default docket_system.new_sys_id(),
  sys_created_at timestamp(0) not null default docket_system.now_utc(),
  sys_created_by bigint,
  sys_updated_at timestamp(0) not null default docket_system.now_utc(),
  sys_updated_by bigint,
  sys_db_table_id bigint,
  name text not null unique,
  title text not null,
  -- The PostgreSQL type of a column; null for a type that has no column (journals live in rows of their own).
  storage text
);

create table docket.sys_db_table (
  sys_id bigint primary key default docket_system.new_sys_id(),
  sys_created_at timestamp(0) not null default docket_system.now_utc(),
  sys_created_by bigint,
  sys_updated_at timestamp(0) not null default docket_system.now_utc(),
  sys_updated_by bigint,
  sys_db_table_id bigint,
  name text not null unique check (name ~ '^[a-z][a-z0-9_]{0,59}$'),
  title text not null,
  parent_id bigint references docket.sys_db_table,
  is_extendable boolean not null default false,
  is_audit boolean not null default false,
  record_deletion_logging boolean not null default false,
  -- Where the rows are. A table with a parent lives in its root's PostgreSQL table; sys_db_table_id tells the class.
  storage_schema text not null default 'docket',
  storage_table text not null,
  key_column text not null default 'sys_id',
  -- Created through a durable queue: the answer carries the sys_id that the record will have.
  queued_create boolean not null default false
);

create table docket.sys_db_column (
  sys_id bigint primary key default docket_system.new_sys_id(),
  sys_created_at timestamp(0) not null default docket_system.now_utc(),
  sys_created_by bigint,
  sys_updated_at timestamp(0) not null default docket_system.now_utc(),
  sys_updated_by bigint,
  sys_db_table_id bigint,
  table_id bigint not null references docket.sys_db_table on delete cascade,
  column_name text not null check (column_name ~ '^[a-z][a-z0-9_]{0,59}$'),
  title text not null,
  column_type_id bigint not null references docket.sys_db_column_type,
  reference_id bigint references docket.sys_db_table,
  active boolean not null default true,
  read_only boolean not null default false,
  mandatory boolean not null default false,
  "unique" boolean not null default false,
  full_text_search boolean not null default false,
  display_by_ref boolean not null default false,
  max_length integer,
  default_value text,
  -- PostgreSQL's column; null for a type without one.
  storage_column text,
  unique (table_id, column_name)
);
create index on docket.sys_db_column (reference_id);

insert into docket.sys_db_column_type (name, title, storage) values
  ('integer', 'Integer', 'integer'),
  ('smallinteger', 'Small integer', 'smallint'),
  ('biginteger', 'Big integer', 'bigint'),
  ('decimal', 'Decimal', 'numeric'),
  ('float', 'Floating point number', 'double precision'),
  ('percent_complete', 'Percent complete', 'integer'),
  ('boolean', 'True/False', 'boolean'),
  ('string', 'String', 'text'),
  ('text', 'Text', 'text'),
  ('url', 'URL', 'text'),
  ('email', 'E-mail', 'text'),
  ('phone', 'Phone number', 'text'),
  ('color', 'Color', 'text'),
  ('html', 'HTML', 'text'),
  ('script', 'Script', 'text'),
  ('field_name', 'Field name', 'text'),
  ('translated_text', 'Translated text', 'text'),
  ('wysiwyg', 'WYSIWYG', 'text'),
  ('datetime', 'Date/Time', 'timestamp(0)'),
  ('date', 'Date', 'date'),
  ('time', 'Time', 'time(0)'),
  ('duration', 'Duration', 'bigint'),
  ('days_of_week', 'Days of week', 'smallint'),
  ('choice', 'Choice', 'text'),
  ('reference', 'Reference', 'bigint'),
  ('sys_id', 'sys_id', 'bigint'),
  ('list', 'List', 'text[]'),
  ('document_id', 'Document ID', 'uuid'),
  ('json', 'JSON', 'jsonb'),
  ('journal_input', 'Journal input', null),
  ('password', 'Password', 'text'),
  ('encrypted', 'Encrypted text', 'text'),
  ('image', 'Image', 'bigint'),
  ('file', 'File', 'bigint');

-- Translations of translated_text values; the value in the row itself is the one of the default language (English).
create table docket.sys_translated_text (
  sys_id bigint primary key default docket_system.new_sys_id(),
  sys_created_at timestamp(0) not null default docket_system.now_utc(),
  sys_created_by bigint,
  sys_updated_at timestamp(0) not null default docket_system.now_utc(),
  sys_updated_by bigint,
  sys_db_table_id bigint,
  column_id bigint not null references docket.sys_db_column on delete cascade,
  record_id bigint not null,
  language text not null,
  value text not null,
  unique (column_id, record_id, language)
);

-- Writes the dictionary's row for a table and makes the PostgreSQL table, unless it stands already (the dictionary's own)
-- or the parent's serves it.
--   options: parent, extendable, audit, deletion_log, queued, standing
create function docket_system.define_table(table_name text, title_en text, title_ru text, options jsonb default '{}')
returns bigint language plpgsql as $$
declare
  parent docket.sys_db_table;
  made bigint;
begin
  if options ? 'parent' then
    select * into strict parent from docket.sys_db_table t where t.name = options ->> 'parent';
  end if;
  insert into docket.sys_db_table (name, title, parent_id, is_extendable, is_audit, record_deletion_logging, storage_table, queued_create)
  values (table_name, title_en, parent.sys_id, coalesce((options ->> 'extendable')::boolean, false),
          coalesce((options ->> 'audit')::boolean, parent.is_audit, false),
          coalesce((options ->> 'deletion_log')::boolean, parent.record_deletion_logging, false),
          coalesce(parent.storage_table, table_name), coalesce((options ->> 'queued')::boolean, false))
  returning sys_id into made;

  if parent.sys_id is null then
    if not coalesce((options ->> 'standing')::boolean, false) then
      execute format(
        'create table docket.%I (
           sys_id bigint primary key default docket_system.new_sys_id(),
           sys_created_at timestamp(0) not null default docket_system.now_utc(),
           sys_created_by bigint,
           sys_updated_at timestamp(0) not null default docket_system.now_utc(),
           sys_updated_by bigint,
           sys_db_table_id bigint not null default %s)', table_name, made);
    end if;
    perform docket_system.define_column(table_name, c.name, c.type, c.title_en, c.title_ru, c.options)
    from (values
      ('sys_id', 'sys_id', 'Sys ID', 'Идентификатор', '{"standing":true,"read_only":true}'::jsonb),
      ('sys_created_at', 'datetime', 'Created', 'Создано', '{"standing":true,"read_only":true}'),
      ('sys_created_by', 'reference', 'Created by', 'Кем создано', '{"standing":true,"read_only":true,"reference":"user"}'),
      ('sys_updated_at', 'datetime', 'Updated', 'Обновлено', '{"standing":true,"read_only":true}'),
      ('sys_updated_by', 'reference', 'Updated by', 'Кем обновлено', '{"standing":true,"read_only":true,"reference":"user"}'),
      ('sys_db_table_id', 'reference', 'Table', 'Таблица', '{"standing":true,"read_only":true,"reference":"sys_db_table"}')
    ) as c (name, type, title_en, title_ru, options);
  end if;
  perform docket_system.translate('sys_db_table', 'title', made, 'ru', title_ru);
  return made;
end $$;

-- Writes the dictionary's row for a column and adds it to the PostgreSQL table, with a foreign key and an index for a
-- reference and a unique index where asked (without case for text, as text compares).
--   options: reference, mandatory, unique, read_only, full_text_search, display_by_ref, max_length, default, index, standing
create function docket_system.define_column(table_name text, column_name text, type_name text, title_en text, title_ru text, options jsonb default '{}')
returns bigint language plpgsql as $$
declare
  owner docket.sys_db_table;
  target docket.sys_db_table;
  type docket.sys_db_column_type;
  stored text;
  made bigint;
  standing boolean := coalesce((options ->> 'standing')::boolean, false);
begin
  select * into strict owner from docket.sys_db_table t where t.name = table_name;
  select * into strict type from docket.sys_db_column_type t where t.name = type_name;
  if options ? 'reference' then
    -- The first tables point at tables that come later in this file; docket_system.resolve_references() fills those in.
    select * into target from docket.sys_db_table t where t.name = options ->> 'reference';
  end if;
  if type.storage is not null then
    -- Two children of one root may each have a column of this name; the root's table holds both.
    stored := column_name;
    if not standing and exists (select from pg_attribute where attrelid = format('%I.%I', owner.storage_schema, owner.storage_table)::regclass
                                and attname = stored and not attisdropped) then
      stored := left(owner.name, 30) || '__' || left(column_name, 31);
    end if;
  end if;
  insert into docket.sys_db_column (table_id, column_name, title, column_type_id, reference_id, read_only, mandatory, "unique",
                                    full_text_search, display_by_ref, max_length, default_value, storage_column)
  values (owner.sys_id, column_name, title_en, type.sys_id, target.sys_id,
          coalesce((options ->> 'read_only')::boolean, false), coalesce((options ->> 'mandatory')::boolean, false),
          coalesce((options ->> 'unique')::boolean, false), coalesce((options ->> 'full_text_search')::boolean, false),
          coalesce((options ->> 'display_by_ref')::boolean, false), (options ->> 'max_length')::integer, options ->> 'default', stored)
  returning sys_id into made;

  if options ? 'reference' and target.sys_id is null then
    insert into docket_system.reference_to_come values (made, options ->> 'reference');
  end if;

  if type.storage is not null and not standing then
    execute format('alter table %I.%I add column %I %s', owner.storage_schema, owner.storage_table, stored, type.storage);
    -- Only a root's: a child's default would land in the rows of its siblings, which share the PostgreSQL table.
    if owner.parent_id is null and options ? 'default' and options ->> 'default' not like 'javascript:%' then
      execute format('alter table %I.%I alter column %I set default %L', owner.storage_schema, owner.storage_table, stored, options ->> 'default');
    end if;
    if target.sys_id is not null and type_name = 'reference' then
      execute format('alter table %I.%I add foreign key (%I) references %I.%I', owner.storage_schema, owner.storage_table, stored, target.storage_schema, target.storage_table);
    end if;
    if type_name = 'choice' then
      -- Conditions ask for the folded value; without these PostgreSQL would guess how many rows have it.
      -- PostgreSQL makes up a name only from 16 on.
      execute format('create statistics %I.%I on docket_system.fold(%I) from %I.%I', owner.storage_schema,
        'folded_' || md5(owner.storage_table || '.' || stored), stored, owner.storage_schema, owner.storage_table);
    end if;
    if (options ->> 'unique')::boolean then
      execute format('create unique index on %I.%I (%s)', owner.storage_schema, owner.storage_table,
        case when type.storage = 'text' then format('docket_system.fold(%I)', stored) else format('%I', stored) end);
    elsif type_name = 'reference' then
      execute format('create index on %I.%I (%I)', owner.storage_schema, owner.storage_table, stored);
    elsif (options ->> 'index')::boolean then
      execute format('create index on %I.%I (%I, sys_id)', owner.storage_schema, owner.storage_table, stored);
    end if;
  end if;
  perform docket_system.translate('sys_db_column', 'title', made, 'ru', title_ru);
  return made;
end $$;

create function docket_system.translate(table_name text, of_column text, record bigint, to_language text, text_value text)
returns void language sql as $$
  insert into docket.sys_translated_text (column_id, record_id, language, value)
  select c.sys_id, record, to_language, text_value
  from docket.sys_db_column c join docket.sys_db_table t on t.sys_id = c.table_id
  where t.name = table_name and c.column_name = of_column and text_value is not null
$$;

create table docket_system.reference_to_come (column_id bigint primary key, target text not null);

-- References between tables of this file that stand in a circle, or point at a table that comes later.
create function docket_system.resolve_references() returns void language plpgsql as $$
declare
  waiting record;
begin
  for waiting in
    select w.column_id, target.sys_id as target_id, target.storage_table as target_table, owner.storage_table, c.storage_column, c.column_name
    from docket_system.reference_to_come w
    join docket.sys_db_table target on target.name = w.target
    join docket.sys_db_column c on c.sys_id = w.column_id
    join docket.sys_db_table owner on owner.sys_id = c.table_id
  loop
    update docket.sys_db_column set reference_id = waiting.target_id where sys_id = waiting.column_id;
    -- Who wrote a record stays readable after that user is gone, and four key checks on each write would buy nothing.
    if waiting.column_name not like 'sys\_%' and not exists (
      select from pg_constraint k where k.contype = 'f' and k.conrelid = format('docket.%I', waiting.storage_table)::regclass
        and k.conkey = array[(select attnum from pg_attribute where attrelid = k.conrelid and attname = waiting.storage_column)])
      and exists (select from pg_attribute a where a.attrelid = format('docket.%I', waiting.storage_table)::regclass
        and a.attname = waiting.storage_column and a.atttypid = 'bigint'::regtype)
    then
      execute format('alter table docket.%I add foreign key (%I) references docket.%I', waiting.storage_table, waiting.storage_column, waiting.target_table);
    end if;
    delete from docket_system.reference_to_come where column_id = waiting.column_id;
  end loop;
end $$;

-- Titles of a choice's values, in both languages: define_choices('task', 'state', '{"1": ["New", "Новое"]}').
-- `values_in_order`: an array of [value, English, Russian].
create table docket.sys_choice (
  sys_id bigint primary key default docket_system.new_sys_id(),
  sys_created_at timestamp(0) not null default docket_system.now_utc(),
  sys_created_by bigint,
  sys_updated_at timestamp(0) not null default docket_system.now_utc(),
  sys_updated_by bigint,
  sys_db_table_id bigint,
  table_id bigint not null references docket.sys_db_table on delete cascade,
  column_id bigint not null references docket.sys_db_column on delete cascade,
  value text not null,
  title text not null,
  language text not null default 'en',
  "order" integer not null default 100,
  active boolean not null default true,
  unique (table_id, column_id, value, language)
);
create index on docket.sys_choice (column_id);

-- The choices of a column on one table; a child table may have its own list for an inherited column.
create function docket_system.define_choices(of_table text, of_column text, values_in_order jsonb) returns void language plpgsql as $$
declare
  at_table bigint;
  at_column bigint;
begin
  select sys_id into strict at_table from docket.sys_db_table where name = of_table;
  with recursive line as (
    select t.sys_id, t.parent_id from docket.sys_db_table t where t.name = of_table
    union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select c.sys_id into strict at_column from docket.sys_db_column c join line on line.sys_id = c.table_id where c.column_name = of_column;
  insert into docket.sys_choice (table_id, column_id, value, title, language, "order")
  select at_table, at_column, item ->> 0, item ->> (1 + l.place), l.language, (n * 10)::integer
  from jsonb_array_elements(values_in_order) with ordinality as i (item, n), (values (0, 'en'), (1, 'ru')) as l (place, language);
end $$;

select docket_system.define_table('sys_db_table', 'Tables', 'Таблицы', '{"standing":true}');
select docket_system.define_table('sys_db_column_type', 'Column types', 'Типы колонок', '{"standing":true}');
select docket_system.define_table('sys_db_column', 'Columns', 'Колонки', '{"standing":true}');
select docket_system.define_table('sys_translated_text', 'Translations', 'Переводы', '{"standing":true}');
select docket_system.define_table('sys_choice', 'Choices', 'Варианты выбора', '{"standing":true}');

select docket_system.define_column('sys_db_column_type', c.name, c.type, c.en, c.ru, c.options || '{"standing":true}') from (values
  ('name', 'string', 'Name', 'Имя', '{"mandatory":true,"unique":true,"max_length":60}'::jsonb),
  ('title', 'translated_text', 'Title', 'Заголовок', '{"mandatory":true,"display_by_ref":true}'),
  ('storage', 'string', 'PostgreSQL type', 'Тип PostgreSQL', '{"read_only":true}')) as c (name, type, en, ru, options);
select docket_system.define_column('sys_db_table', c.name, c.type, c.en, c.ru, c.options || '{"standing":true}') from (values
  ('name', 'string', 'Name', 'Имя', '{"mandatory":true,"unique":true,"max_length":60}'::jsonb),
  ('title', 'translated_text', 'Title', 'Заголовок', '{"mandatory":true,"display_by_ref":true,"max_length":255}'),
  ('parent_id', 'reference', 'Parent', 'Родитель', '{"reference":"sys_db_table"}'),
  ('is_extendable', 'boolean', 'Extendable', 'Расширяемая', '{"default":"false"}'),
  ('is_audit', 'boolean', 'Audit', 'Аудит', '{"default":"false"}'),
  ('record_deletion_logging', 'boolean', 'Log deletions', 'Журнал удалений', '{"default":"false"}'),
  ('storage_schema', 'string', 'PostgreSQL schema', 'Схема PostgreSQL', '{"read_only":true}'),
  ('storage_table', 'string', 'PostgreSQL table', 'Таблица PostgreSQL', '{"read_only":true}'),
  ('key_column', 'string', 'Key column', 'Ключевая колонка', '{"read_only":true}'),
  ('queued_create', 'boolean', 'Created through the queue', 'Создаётся через очередь', '{"read_only":true}')) as c (name, type, en, ru, options);
select docket_system.define_column('sys_db_column', c.name, c.type, c.en, c.ru, c.options || '{"standing":true}') from (values
  ('table_id', 'reference', 'Table', 'Таблица', '{"mandatory":true,"reference":"sys_db_table"}'::jsonb),
  ('column_name', 'field_name', 'Column name', 'Имя колонки', '{"mandatory":true,"max_length":60}'),
  ('title', 'translated_text', 'Title', 'Заголовок', '{"mandatory":true,"display_by_ref":true,"max_length":255}'),
  ('column_type_id', 'reference', 'Type', 'Тип', '{"mandatory":true,"reference":"sys_db_column_type"}'),
  ('reference_id', 'reference', 'Reference', 'Ссылка на таблицу', '{"reference":"sys_db_table"}'),
  ('active', 'boolean', 'Active', 'Активна', '{"default":"true"}'),
  ('read_only', 'boolean', 'Read only', 'Только чтение', '{"default":"false"}'),
  ('mandatory', 'boolean', 'Mandatory', 'Обязательная', '{"default":"false"}'),
  ('unique', 'boolean', 'Unique', 'Уникальная', '{"default":"false"}'),
  ('full_text_search', 'boolean', 'Full-text search', 'Полнотекстовый поиск', '{"default":"false"}'),
  ('display_by_ref', 'boolean', 'Display value', 'Отображаемое значение', '{"default":"false"}'),
  ('max_length', 'integer', 'Maximum length', 'Наибольшая длина', '{}'),
  ('default_value', 'string', 'Default value', 'Значение по умолчанию', '{}'),
  ('storage_column', 'string', 'PostgreSQL column', 'Колонка PostgreSQL', '{"read_only":true}')) as c (name, type, en, ru, options);
select docket_system.define_column('sys_translated_text', c.name, c.type, c.en, c.ru, c.options || '{"standing":true}') from (values
  ('column_id', 'reference', 'Column', 'Колонка', '{"mandatory":true,"reference":"sys_db_column"}'::jsonb),
  ('record_id', 'biginteger', 'Record', 'Запись', '{"mandatory":true}'),
  ('language', 'string', 'Language', 'Язык', '{"mandatory":true,"max_length":5}'),
  ('value', 'text', 'Text', 'Текст', '{"mandatory":true,"display_by_ref":true}')) as c (name, type, en, ru, options);
select docket_system.define_column('sys_choice', c.name, c.type, c.en, c.ru, c.options || '{"standing":true}') from (values
  ('table_id', 'reference', 'Table', 'Таблица', '{"mandatory":true,"reference":"sys_db_table"}'::jsonb),
  ('column_id', 'reference', 'Column', 'Колонка', '{"mandatory":true,"reference":"sys_db_column"}'),
  ('value', 'string', 'Value', 'Значение', '{"mandatory":true,"max_length":255}'),
  ('title', 'string', 'Title', 'Заголовок', '{"mandatory":true,"display_by_ref":true,"max_length":255}'),
  ('language', 'string', 'Language', 'Язык', '{"mandatory":true,"max_length":5,"default":"en"}'),
  ('order', 'integer', 'Order', 'Порядок', '{"default":"100"}'),
  ('active', 'boolean', 'Active', 'Активна', '{"default":"true"}')) as c (name, type, en, ru, options);

-- ── people, groups, roles ────────────────────────────────────────────────────────────────────────────────────────────

select docket_system.define_table('company', 'Companies', 'Компании', '{"extendable":true}');
select docket_system.define_table('user', 'Users', 'Пользователи', '{"extendable":true}');
select docket_system.define_table('sys_group', 'Groups', 'Группы', '{"extendable":true}');
select docket_system.define_table('sys_role', 'Roles', 'Роли');
select docket_system.define_table('sys_user_has_role', 'Roles of users', 'Роли пользователей');
select docket_system.define_table('sys_role_contains', 'Roles in roles', 'Роли в ролях');
select docket_system.define_table('sys_user_group', 'Group members', 'Участники групп');
select docket_system.define_table('sys_group_has_role', 'Roles of groups', 'Роли групп');
select docket_system.define_table('service', 'Services', 'Сервисы', '{"extendable":true}');

select docket_system.define_column('company', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Название', '{"mandatory":true,"display_by_ref":true,"full_text_search":true,"max_length":255}'::jsonb),
  ('phone', 'phone', 'Phone', 'Телефон', '{"max_length":40}'),
  ('email', 'email', 'E-mail', 'Электронная почта', '{"max_length":255}'),
  ('website', 'url', 'Website', 'Сайт', '{"max_length":1024}'),
  ('city', 'string', 'City', 'Город', '{"max_length":255}'),
  ('country', 'string', 'Country', 'Страна', '{"max_length":255}'),
  ('active', 'boolean', 'Active', 'Активна', '{"default":"true"}')) as c (name, type, en, ru, options);
select docket_system.define_column('user', c.name, c.type, c.en, c.ru, c.options) from (values
  ('user_name', 'string', 'User name', 'Имя пользователя', '{"mandatory":true,"unique":true,"max_length":100}'::jsonb),
  ('password', 'password', 'Password', 'Пароль', '{}'),
  ('active', 'boolean', 'Active', 'Активен', '{"default":"true"}'),
  ('display_name', 'string', 'Display name', 'Отображаемое имя', '{"display_by_ref":true,"full_text_search":true,"max_length":255}'),
  ('first_name', 'string', 'First name', 'Имя', '{"max_length":100}'),
  ('last_name', 'string', 'Last name', 'Фамилия', '{"max_length":100}'),
  ('email', 'email', 'E-mail', 'Электронная почта', '{"max_length":255}'),
  ('phone', 'phone', 'Phone', 'Телефон', '{"max_length":40}'),
  ('mobile_phone', 'phone', 'Mobile phone', 'Мобильный телефон', '{"max_length":40}'),
  ('language', 'choice', 'Language', 'Язык', '{"default":"en"}'),
  ('time_zone', 'string', 'Time zone', 'Часовой пояс', '{"default":"UTC","max_length":60}'),
  ('company', 'reference', 'Company', 'Компания', '{"reference":"company"}'),
  ('manager', 'reference', 'Manager', 'Руководитель', '{"reference":"user"}'),
  ('vip', 'boolean', 'VIP', 'VIP', '{"default":"false"}')) as c (name, type, en, ru, options);
select docket_system.define_table('employee', 'Employees', 'Сотрудники', '{"parent":"user","extendable":true}');
select docket_system.define_column('employee', c.name, c.type, c.en, c.ru, c.options) from (values
  ('employee_number', 'string', 'Employee number', 'Табельный номер', '{"unique":true,"max_length":40}'::jsonb),
  ('job_title', 'string', 'Job title', 'Должность', '{"max_length":255}'),
  ('department', 'string', 'Department', 'Подразделение', '{"max_length":255}'),
  ('hired_on', 'date', 'Hired on', 'Дата приёма', '{}'),
  ('work_days', 'days_of_week', 'Working days', 'Рабочие дни', '{"default":"31"}')) as c (name, type, en, ru, options);
select docket_system.define_column('sys_group', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Название', '{"mandatory":true,"unique":true,"display_by_ref":true,"max_length":255}'::jsonb),
  ('description', 'text', 'Description', 'Описание', '{}'),
  ('email', 'email', 'E-mail', 'Электронная почта', '{"max_length":255}'),
  ('manager', 'reference', 'Manager', 'Руководитель', '{"reference":"user"}'),
  ('parent_id', 'reference', 'Parent', 'Родительская группа', '{"reference":"sys_group"}'),
  ('active', 'boolean', 'Active', 'Активна', '{"default":"true"}')) as c (name, type, en, ru, options);
select docket_system.define_column('sys_role', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Имя', '{"mandatory":true,"unique":true,"display_by_ref":true,"max_length":100}'::jsonb),
  ('description', 'text', 'Description', 'Описание', '{}')) as c (name, type, en, ru, options);
select docket_system.define_column('sys_user_has_role', 'user_id', 'reference', 'User', 'Пользователь', '{"mandatory":true,"reference":"user"}');
select docket_system.define_column('sys_user_has_role', 'role_id', 'reference', 'Role', 'Роль', '{"mandatory":true,"reference":"sys_role"}');
select docket_system.define_column('sys_role_contains', 'role_id', 'reference', 'Role', 'Роль', '{"mandatory":true,"reference":"sys_role"}');
select docket_system.define_column('sys_role_contains', 'contained_role_id', 'reference', 'Contains', 'Содержит', '{"mandatory":true,"reference":"sys_role"}');
select docket_system.define_column('sys_user_group', 'user_id', 'reference', 'User', 'Пользователь', '{"mandatory":true,"reference":"user"}');
select docket_system.define_column('sys_user_group', 'group_id', 'reference', 'Group', 'Группа', '{"mandatory":true,"reference":"sys_group"}');
select docket_system.define_column('sys_group_has_role', 'group_id', 'reference', 'Group', 'Группа', '{"mandatory":true,"reference":"sys_group"}');
select docket_system.define_column('sys_group_has_role', 'role_id', 'reference', 'Role', 'Роль', '{"mandatory":true,"reference":"sys_role"}');
create unique index on docket.sys_user_has_role (user_id, role_id);
create unique index on docket.sys_role_contains (role_id, contained_role_id);
create unique index on docket.sys_user_group (user_id, group_id);
create unique index on docket.sys_group_has_role (group_id, role_id);
select docket_system.define_column('service', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Название', '{"mandatory":true,"display_by_ref":true,"full_text_search":true,"max_length":255}'::jsonb),
  ('description', 'text', 'Description', 'Описание', '{}'),
  ('owner', 'reference', 'Owner', 'Владелец', '{"reference":"user"}'),
  ('support_group', 'reference', 'Support group', 'Группа поддержки', '{"reference":"sys_group"}'),
  ('criticality', 'choice', 'Criticality', 'Критичность', '{"default":"3"}'),
  ('availability', 'decimal', 'Availability, %', 'Доступность, %', '{}'),
  ('maintenance_from', 'time', 'Maintenance from', 'Обслуживание с', '{}'),
  ('active', 'boolean', 'Active', 'Активен', '{"default":"true"}')) as c (name, type, en, ru, options);

-- ── numbers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

select docket_system.define_table('sys_number', 'Numbering', 'Нумерация');
select docket_system.define_column('sys_number', c.name, c.type, c.en, c.ru, c.options) from (values
  ('table_id', 'reference', 'Table', 'Таблица', '{"mandatory":true,"unique":true,"reference":"sys_db_table"}'::jsonb),
  ('prefix', 'string', 'Prefix', 'Префикс', '{"mandatory":true,"display_by_ref":true,"max_length":20}'),
  ('digits', 'integer', 'Digits', 'Количество цифр', '{"mandatory":true,"default":"7"}'),
  ('start', 'biginteger', 'Start', 'Начальное значение', '{"mandatory":true,"default":"1"}')) as c (name, type, en, ru, options);
-- Named for their columns, which is what a caller is told.
alter table docket.sys_number add constraint digits check (digits between 1 and 30), add constraint start check (start >= 0);

-- The next number of a table, by its own numbering or the nearest parent's; null where there is none. A sequence for each
-- numbering: a number is never given twice, also not after a rollback or a crash.
create function docket_system.next_number(of_table bigint) returns text language plpgsql volatile as $$
declare
  numbering record;
  n bigint;
begin
  with recursive line as (
    select t.sys_id, t.parent_id, 0 as depth from docket.sys_db_table t where t.sys_id = of_table
    union all select p.sys_id, p.parent_id, line.depth + 1 from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select s.sys_id, s.prefix, s.digits into numbering
  from line join docket.sys_number s on s.table_id = line.sys_id order by line.depth limit 1;
  if not found then
    return null;
  end if;
  n := nextval(format('docket_system.number_%s', numbering.sys_id)::regclass);
  return numbering.prefix || case when length(n::text) >= numbering.digits then n::text else lpad(n::text, numbering.digits, '0') end;
end $$;

-- Begins behind the numbers that stand there already: those of a numbering that was deleted are not given again.
create function docket_system.make_numbering() returns trigger language plpgsql as $$
declare
  owner docket.sys_db_table;
  highest bigint;
begin
  select * into strict owner from docket.sys_db_table t where t.sys_id = new.table_id;
  if exists (select from pg_attribute where attrelid = format('%I.%I', owner.storage_schema, owner.storage_table)::regclass
             and attname = 'number' and not attisdropped) then
    execute format('select max(substr(number, length($1) + 1)::bigint) from %I.%I where starts_with(number, $1) and substr(number, length($1) + 1) ~ ''^[0-9]{1,18}$''',
                   owner.storage_schema, owner.storage_table) into highest using new.prefix;
  end if;
  execute format('create sequence docket_system.number_%s start %s minvalue 0', new.sys_id, greatest(new.start, highest + 1));
  return null;
end $$;
create trigger make_numbering after insert on docket.sys_number for each row execute function docket_system.make_numbering();

-- ── tasks ────────────────────────────────────────────────────────────────────────────────────────────────────────────

select docket_system.define_table('task', 'Tasks', 'Задачи', '{"extendable":true,"audit":true}');
select docket_system.define_column('task', c.name, c.type, c.en, c.ru, c.options) from (values
  ('number', 'string', 'Number', 'Номер', '{"read_only":true,"unique":true,"full_text_search":true,"max_length":40}'::jsonb),
  ('subject', 'string', 'Subject', 'Тема', '{"full_text_search":true,"max_length":255}'),
  ('short_description', 'string', 'Short description', 'Краткое описание', '{"full_text_search":true,"max_length":1000}'),
  ('description', 'text', 'Description', 'Описание', '{"full_text_search":true}')) as c (name, type, en, ru, options);
alter table docket.task add column display_name text generated always as (coalesce(number || ' ', '') || coalesce(subject, '')) stored;
select docket_system.define_column('task', 'display_name', 'string', 'Display name', 'Отображаемое имя', '{"standing":true,"read_only":true,"display_by_ref":true}');
select docket_system.define_column('task', c.name, c.type, c.en, c.ru, c.options) from (values
  ('state', 'choice', 'State', 'Состояние', '{"default":"0","mandatory":true}'::jsonb),
  ('state_changed_at', 'datetime', 'State changed', 'Состояние изменено', '{"read_only":true}'),
  ('priority', 'choice', 'Priority', 'Приоритет', '{"default":"3"}'),
  ('urgency', 'choice', 'Urgency', 'Срочность', '{"default":"3"}'),
  ('impact', 'choice', 'Impact', 'Влияние', '{"default":"3"}'),
  ('approval_state', 'choice', 'Approval', 'Согласование', '{"default":"not_requested"}'),
  ('active', 'boolean', 'Active', 'Активна', '{"default":"true"}'),
  ('attention_required', 'boolean', 'Attention required', 'Требует внимания', '{"default":"false"}'),
  ('opened_at', 'datetime', 'Opened', 'Открыта', '{"default":"javascript:gs.nowDateTime()"}'),
  ('closed_at', 'datetime', 'Closed', 'Закрыта', '{}'),
  ('due_date', 'datetime', 'Due date', 'Срок', '{}'),
  ('sla_due', 'datetime', 'SLA due', 'Срок по SLA', '{}'),
  ('assigned_user', 'reference', 'Assigned to', 'Исполнитель', '{"reference":"user"}'),
  ('assignment_group', 'reference', 'Assignment group', 'Группа исполнителей', '{"reference":"sys_group"}'),
  ('opened_by', 'reference', 'Opened by', 'Кем открыта', '{"reference":"user","default":"javascript:gs.getUserID()"}'),
  ('closed_by', 'reference', 'Closed by', 'Кем закрыта', '{"reference":"user"}'),
  ('contact', 'reference', 'Contact', 'Контактное лицо', '{"reference":"user"}'),
  ('caller', 'reference', 'Caller', 'Инициатор', '{"reference":"user"}'),
  ('service', 'reference', 'Service', 'Сервис', '{"reference":"service"}'),
  ('company', 'reference', 'Company', 'Компания', '{"reference":"company"}'),
  ('parent_id', 'reference', 'Parent task', 'Родительская задача', '{"reference":"task"}'),
  ('followers_list', 'list', 'Followers', 'Наблюдатели', '{"reference":"user"}'),
  ('screenshot', 'image', 'Screenshot', 'Снимок экрана', '{}'),
  ('wf_executing_activity', 'string', 'Workflow activity', 'Действие процесса', '{"read_only":true,"max_length":255}'),
  ('work_notes', 'journal_input', 'Work notes', 'Рабочие заметки', '{}'),
  ('comments', 'journal_input', 'Comments', 'Комментарии', '{}'),
  ('additional_comments', 'journal_input', 'Additional comments', 'Дополнительные комментарии', '{}')) as c (name, type, en, ru, options);
create index on docket.task (sys_created_at, sys_id);
create index on docket.task (sys_updated_at, sys_id);
create index on docket.task (sys_db_table_id, sys_id);

select docket_system.define_table('itsm_task', 'ITSM tasks', 'Задачи ITSM', '{"parent":"task","extendable":true}');
select docket_system.define_column('itsm_task', c.name, c.type, c.en, c.ru, c.options) from (values
  ('category', 'choice', 'Category', 'Категория', '{}'::jsonb),
  ('contact_type', 'choice', 'Contact type', 'Способ обращения', '{"default":"self_service"}'),
  ('close_code', 'choice', 'Closure code', 'Код закрытия', '{}'),
  ('closure_notes', 'text', 'Closure notes', 'Решение', '{}'),
  ('time_worked', 'duration', 'Time worked', 'Затраченное время', '{}'),
  ('reassignment_count', 'integer', 'Reassignments', 'Переназначения', '{"default":"0"}'),
  ('labels', 'list', 'Labels', 'Метки', '{}')) as c (name, type, en, ru, options);
select docket_system.define_table('itsm_incident', 'Incidents', 'Инциденты', '{"parent":"itsm_task","extendable":true}');
select docket_system.define_column('itsm_incident', c.name, c.type, c.en, c.ru, c.options) from (values
  ('severity', 'choice', 'Severity', 'Серьёзность', '{"default":"3"}'::jsonb),
  ('reopen_count', 'smallinteger', 'Reopened', 'Переоткрытий', '{"default":"0"}'),
  ('workaround', 'wysiwyg', 'Workaround', 'Обходное решение', '{}'),
  ('details', 'json', 'Details', 'Подробности', '{}')) as c (name, type, en, ru, options);
select docket_system.define_table('itsm_problem', 'Problems', 'Проблемы', '{"parent":"itsm_task","extendable":true}');
select docket_system.define_column('itsm_problem', c.name, c.type, c.en, c.ru, c.options) from (values
  ('root_cause', 'wysiwyg', 'Root cause', 'Коренная причина', '{}'::jsonb),
  ('known_error', 'boolean', 'Known error', 'Известная ошибка', '{"default":"false"}')) as c (name, type, en, ru, options);
select docket_system.define_table('itsm_change_request', 'Change requests', 'Запросы на изменение', '{"parent":"itsm_task","extendable":true}');
select docket_system.define_column('itsm_change_request', c.name, c.type, c.en, c.ru, c.options) from (values
  ('type', 'choice', 'Type', 'Тип', '{"default":"normal"}'::jsonb),
  ('risk', 'choice', 'Risk', 'Риск', '{"default":"3"}'),
  ('planned_start', 'datetime', 'Planned start', 'Плановое начало', '{}'),
  ('planned_end', 'datetime', 'Planned end', 'Плановое окончание', '{}'),
  ('percent_complete', 'percent_complete', 'Percent complete', 'Процент выполнения', '{"default":"0"}'),
  ('planned_cost', 'decimal', 'Planned cost', 'Плановая стоимость', '{}'),
  ('backout_plan', 'text', 'Backout plan', 'План отката', '{}')) as c (name, type, en, ru, options);
select docket_system.define_table('itsm_request', 'Requests', 'Запросы на обслуживание', '{"parent":"itsm_task","extendable":true}');
select docket_system.define_column('itsm_request', c.name, c.type, c.en, c.ru, c.options) from (values
  ('requested_for', 'reference', 'Requested for', 'Для кого', '{"reference":"user"}'::jsonb),
  ('quantity', 'integer', 'Quantity', 'Количество', '{"default":"1"}'),
  ('price', 'decimal', 'Price', 'Цена', '{}')) as c (name, type, en, ru, options);

insert into docket.sys_number (table_id, prefix, digits, start)
select t.sys_id, n.prefix, 7, 1 from docket.sys_db_table t
join (values ('task', 'TSK'), ('itsm_task', 'ITT'), ('itsm_incident', 'INC'), ('itsm_problem', 'PRB'),
             ('itsm_change_request', 'CHG'), ('itsm_request', 'REQ')) as n (name, prefix) using (name);

select docket_system.define_choices('task', 'state', '[["0","Registered","Зарегистрирована"],["1","Assigned","Назначена"],["2","In progress","В работе"],["3","Information needed","Требуется информация"],["4","Postponed","Отложена"],["5","External processing","Внешняя обработка"],["6","Rejected by user","Отклонена пользователем"],["7","Completed","Выполнена"],["10","Closed","Закрыта"]]');
select docket_system.define_choices('task', 'priority', '[["1","Critical","Критический"],["2","High","Высокий"],["3","Medium","Средний"],["4","Low","Низкий"]]');
select docket_system.define_choices('task', 'urgency', '[["1","Critical","Критическая"],["2","High","Высокая"],["3","Medium","Средняя"],["4","Low","Низкая"]]');
select docket_system.define_choices('task', 'impact', '[["1","Company","Вся компания"],["2","Department","Подразделение"],["3","Several people","Несколько человек"],["4","One person","Один человек"]]');
select docket_system.define_choices('task', 'approval_state', '[["not_requested","Not requested","Не запрошено"],["requested","Requested","Запрошено"],["approved","Approved","Согласовано"],["rejected","Rejected","Отклонено"],["canceled","Canceled","Отменено"]]');
select docket_system.define_choices('itsm_task', 'category', '[["access","Access and accounts","Доступ и учётные записи"],["hardware","Hardware","Оборудование"],["software","Software","Программы"],["network","Network","Сеть"],["mail","Mail and calendar","Почта и календарь"],["telephony","Telephony","Телефония"],["printing","Printing","Печать"],["security","Security","Безопасность"],["business_app","Business applications","Бизнес-приложения"],["other","Other","Прочее"]]');
select docket_system.define_choices('itsm_task', 'contact_type', '[["self_service","Self-service","Портал"],["phone","Phone","Телефон"],["email","E-mail","Почта"],["chat","Chat","Чат"],["monitoring","Monitoring","Мониторинг"],["walk_in","Walk-in","Лично"]]');
select docket_system.define_choices('itsm_task', 'close_code', '[["solved","Solved","Решено"],["workaround","Solved by a workaround","Решено обходным путём"],["not_reproducible","Not reproducible","Не воспроизводится"],["duplicate","Duplicate","Дубликат"],["by_caller","Solved by the caller","Решено инициатором"],["not_solved","Not solved","Не решено"]]');
select docket_system.define_choices('itsm_incident', 'severity', '[["1","Critical","Критическая"],["2","Major","Значительная"],["3","Minor","Незначительная"]]');
select docket_system.define_choices('itsm_change_request', 'type', '[["standard","Standard","Стандартное"],["normal","Normal","Обычное"],["emergency","Emergency","Экстренное"]]');
select docket_system.define_choices('itsm_change_request', 'risk', '[["1","Very high","Очень высокий"],["2","High","Высокий"],["3","Moderate","Умеренный"],["4","Low","Низкий"]]');
select docket_system.define_choices('user', 'language', '[["en","English","Английский"],["ru","Russian","Русский"]]');
select docket_system.define_choices('service', 'criticality', '[["1","Most critical","Наиболее критичный"],["2","Business critical","Критичный для бизнеса"],["3","Important","Важный"],["4","Supporting","Вспомогательный"]]');

-- ── the platform's own tables ────────────────────────────────────────────────────────────────────────────────────────

select docket_system.define_table('sys_property', 'Properties', 'Свойства');
select docket_system.define_column('sys_property', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Имя', '{"mandatory":true,"unique":true,"display_by_ref":true,"max_length":255}'::jsonb),
  ('value', 'text', 'Value', 'Значение', '{}'),
  ('description', 'text', 'Description', 'Описание', '{}')) as c (name, type, en, ru, options);

select docket_system.define_table('sys_ui_form', 'Form views', 'Представления форм');
select docket_system.define_column('sys_ui_form', c.name, c.type, c.en, c.ru, c.options) from (values
  ('title', 'string', 'Title', 'Заголовок', '{"mandatory":true,"display_by_ref":true,"max_length":255}'::jsonb),
  ('table_id', 'reference', 'Table', 'Таблица', '{"mandatory":true,"reference":"sys_db_table"}'),
  ('user_id', 'reference', 'Personal view of', 'Личное представление', '{"reference":"user"}'),
  ('active', 'boolean', 'Active', 'Активно', '{"default":"true"}')) as c (name, type, en, ru, options);
select docket_system.define_table('sys_ui_form_section', 'Sections of forms', 'Секции форм');
select docket_system.define_column('sys_ui_form_section', c.name, c.type, c.en, c.ru, c.options) from (values
  ('form_id', 'reference', 'Form', 'Форма', '{"mandatory":true,"reference":"sys_ui_form"}'::jsonb),
  ('title', 'string', 'Title', 'Заголовок', '{"display_by_ref":true,"max_length":255}'),
  ('order', 'integer', 'Order', 'Порядок', '{"default":"100"}')) as c (name, type, en, ru, options);
select docket_system.define_table('sys_ui_form_element', 'Elements of forms', 'Элементы форм');
select docket_system.define_column('sys_ui_form_element', c.name, c.type, c.en, c.ru, c.options) from (values
  ('section_id', 'reference', 'Section', 'Секция', '{"mandatory":true,"reference":"sys_ui_form_section"}'::jsonb),
  ('column_name', 'field_name', 'Column', 'Колонка', '{"mandatory":true,"display_by_ref":true,"max_length":400}'),
  ('order', 'integer', 'Order', 'Порядок', '{"default":"100"}')) as c (name, type, en, ru, options);

select docket_system.define_table('sys_security_acl', 'Access rules', 'Правила доступа');
select docket_system.define_column('sys_security_acl', c.name, c.type, c.en, c.ru, c.options) from (values
  ('operation', 'choice', 'Operation', 'Операция', '{"mandatory":true}'::jsonb),
  ('table_name', 'string', 'Table (or *)', 'Таблица (или *)', '{"mandatory":true,"max_length":60}'),
  ('column_name', 'string', 'Column (or *; empty: the rule of the table)', 'Колонка (или *; пусто: правило таблицы)', '{"max_length":60}'),
  ('roles', 'list', 'Roles (any one suffices; empty: everyone)', 'Роли (достаточно одной; пусто: все)', '{"reference":"sys_role"}'),
  ('condition', 'string', 'Condition', 'Условие', '{"max_length":8000}'),
  ('active', 'boolean', 'Active', 'Активно', '{"default":"true"}'),
  ('admin_overrides', 'boolean', 'Admin overrides', 'Администратору можно всегда', '{"default":"true"}'),
  ('description', 'string', 'Description', 'Описание', '{"display_by_ref":true,"max_length":1000}')) as c (name, type, en, ru, options);
select docket_system.define_choices('sys_security_acl', 'operation', '[["create","Create","Создание"],["read","Read","Чтение"],["write","Write","Изменение"],["delete","Delete","Удаление"]]');

select docket_system.define_table('sys_dynamic_option', 'Dynamic options', 'Динамические значения');
select docket_system.define_column('sys_dynamic_option', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Имя', '{"mandatory":true,"unique":true,"display_by_ref":true,"max_length":100}'::jsonb),
  ('value', 'string', 'Value (a helper of the closed list)', 'Значение (помощник из закрытого списка)', '{"mandatory":true,"max_length":255}'),
  ('active', 'boolean', 'Active', 'Активно', '{"default":"true"}')) as c (name, type, en, ru, options);

select docket_system.define_table('sys_filter', 'Filters', 'Фильтры');
select docket_system.define_column('sys_filter', c.name, c.type, c.en, c.ru, c.options) from (values
  ('title', 'string', 'Title', 'Заголовок', '{"mandatory":true,"display_by_ref":true,"max_length":255}'::jsonb),
  ('table_id', 'reference', 'Table', 'Таблица', '{"mandatory":true,"reference":"sys_db_table"}'),
  ('condition', 'string', 'Condition', 'Условие', '{"max_length":8000}'),
  ('user_id', 'reference', 'Personal filter of', 'Личный фильтр', '{"reference":"user"}'),
  ('active', 'boolean', 'Active', 'Активен', '{"default":"true"}')) as c (name, type, en, ru, options);

select docket_system.define_table('sys_schedule', 'Schedules', 'Расписания', '{"queued":true}');
select docket_system.define_column('sys_schedule', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Название', '{"mandatory":true,"display_by_ref":true,"max_length":255}'::jsonb),
  ('description', 'text', 'Description', 'Описание', '{}'),
  ('time_zone', 'string', 'Time zone', 'Часовой пояс', '{"default":"UTC","max_length":60}'),
  ('days', 'days_of_week', 'Days', 'Дни', '{"default":"31"}'),
  ('start_time', 'time', 'From', 'С', '{}'),
  ('end_time', 'time', 'To', 'До', '{}'),
  ('start_date', 'date', 'First day', 'Первый день', '{}'),
  ('end_date', 'date', 'Last day', 'Последний день', '{}'),
  ('owner', 'reference', 'Owner', 'Владелец', '{"reference":"user"}'),
  ('active', 'boolean', 'Active', 'Активно', '{"default":"true"}')) as c (name, type, en, ru, options);
select docket_system.define_table('sys_indication', 'Indications', 'Индикации', '{"queued":true}');
select docket_system.define_column('sys_indication', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Название', '{"mandatory":true,"display_by_ref":true,"max_length":255}'::jsonb),
  ('record', 'document_id', 'Record', 'Запись', '{}'),
  ('task', 'reference', 'Task', 'Задача', '{"reference":"task"}'),
  ('schedule', 'reference', 'Schedule', 'Расписание', '{"reference":"sys_schedule"}'),
  ('state', 'choice', 'State', 'Состояние', '{"default":"in_progress"}'),
  ('started_at', 'datetime', 'Started', 'Начало', '{}'),
  ('due_at', 'datetime', 'Due', 'Срок', '{}'),
  ('completed_at', 'datetime', 'Completed', 'Завершение', '{}'),
  ('elapsed', 'duration', 'Elapsed', 'Прошло', '{}'),
  ('percent_complete', 'percent_complete', 'Percent', 'Процент', '{"default":"0"}'),
  ('breached', 'boolean', 'Breached', 'Нарушено', '{"default":"false"}')) as c (name, type, en, ru, options);
select docket_system.define_choices('sys_indication', 'state', '[["in_progress","In progress","Выполняется"],["paused","Paused","Приостановлено"],["completed","Completed","Завершено"],["cancelled","Cancelled","Отменено"]]');

-- Creates of these tables wait here, in the transaction that answered them, until the queue has worked them off.
create table docket_system.queued_record (
  sys_id bigint primary key,
  storage_table text not null,
  record jsonb not null,
  queued_at timestamp not null default (clock_timestamp() at time zone 'UTC'),
  attempts integer not null default 0,
  -- Why the last attempt failed.
  error text
);

-- Wakes the workers, in the transaction of the change: no job without its change, no change without its job. A database
-- that no worker has been at yet has no schema for it; workers look for what waits when they start.
create function docket_system.add_job(task text, payload json default '{}') returns void language plpgsql as $$
begin
  if to_regproc('graphile_worker.add_job') is not null then
    execute 'select graphile_worker.add_job($1, $2)' using task, payload;
  end if;
end $$;

create function docket_system.wake_for_queued_records() returns trigger language plpgsql as $$
begin
  perform docket_system.add_job('create_queued_records');
  return null;
end $$;
create trigger wake_for_queued_records after insert on docket_system.queued_record
  for each statement execute function docket_system.wake_for_queued_records();

-- Makes records of what waits, each on its own, so that one that cannot be made (what it refers to was deleted meanwhile)
-- holds nobody up; it stays, with the reason. Returns how many were made.
create function docket_system.create_queued_records(max_attempts integer) returns integer language plpgsql as $$
declare
  waiting record;
  made integer := 0;
begin
  for waiting in
    select sys_id, storage_table, record from docket_system.queued_record
    where attempts < max_attempts order by sys_id for update skip locked
  loop
    begin
      execute format('insert into docket.%I select (jsonb_populate_record(null::docket.%I, $1)).*', waiting.storage_table, waiting.storage_table)
        using waiting.record;
      delete from docket_system.queued_record where sys_id = waiting.sys_id;
      made := made + 1;
    exception when others then
      update docket_system.queued_record set attempts = attempts + 1, error = sqlerrm where sys_id = waiting.sys_id;
    end;
  end loop;
  return made;
end $$;

select docket_system.define_table('sys_attachment', 'Attachments', 'Вложения');
select docket_system.define_column('sys_attachment', c.name, c.type, c.en, c.ru, c.options) from (values
  ('file_name', 'string', 'File name', 'Имя файла', '{"mandatory":true,"display_by_ref":true,"max_length":255}'::jsonb),
  ('table_id', 'reference', 'Table', 'Таблица', '{"mandatory":true,"reference":"sys_db_table"}'),
  ('record_id', 'biginteger', 'Record', 'Запись', '{"mandatory":true}'),
  ('content_type', 'string', 'Media type', 'Тип содержимого', '{"max_length":255}'),
  ('size_bytes', 'biginteger', 'Size, bytes', 'Размер, байт', '{}'),
  ('hash', 'string', 'SHA-256', 'SHA-256', '{"max_length":64}')) as c (name, type, en, ru, options);
create index on docket.sys_attachment (record_id);

select docket_system.define_table('sys_journal_entry', 'Journal entries', 'Записи журналов');
select docket_system.define_column('sys_journal_entry', c.name, c.type, c.en, c.ru, c.options) from (values
  ('table_id', 'reference', 'Table', 'Таблица', '{"mandatory":true,"reference":"sys_db_table"}'::jsonb),
  ('record_id', 'biginteger', 'Record', 'Запись', '{"mandatory":true}'),
  ('column_name', 'field_name', 'Column', 'Колонка', '{"mandatory":true,"max_length":60}'),
  ('value', 'text', 'Text', 'Текст', '{"mandatory":true,"display_by_ref":true,"full_text_search":true}')) as c (name, type, en, ru, options);
create index on docket.sys_journal_entry (record_id, sys_id);

select docket_system.define_table('sys_history', 'History', 'История изменений');
select docket_system.define_column('sys_history', c.name, c.type, c.en, c.ru, c.options) from (values
  ('table_id', 'reference', 'Table', 'Таблица', '{"reference":"sys_db_table"}'::jsonb),
  ('record_id', 'biginteger', 'Record', 'Запись', '{}'),
  ('column_name', 'field_name', 'Column', 'Колонка', '{"display_by_ref":true,"max_length":60}'),
  ('old_value', 'text', 'Old value', 'Старое значение', '{}'),
  ('new_value', 'text', 'New value', 'Новое значение', '{}')) as c (name, type, en, ru, options);
create index on docket.sys_history (record_id, sys_id);

select docket_system.define_table('sys_record_deletion_log', 'Deleted records', 'Удалённые записи');
select docket_system.define_column('sys_record_deletion_log', c.name, c.type, c.en, c.ru, c.options) from (values
  ('table_id', 'reference', 'Table', 'Таблица', '{"reference":"sys_db_table"}'::jsonb),
  ('record_id', 'biginteger', 'Record', 'Запись', '{}'),
  ('display_value', 'string', 'Display value', 'Отображаемое значение', '{"display_by_ref":true}'),
  ('values', 'json', 'Values', 'Значения', '{}')) as c (name, type, en, ru, options);

select docket_system.define_table('sys_state_model', 'State models', 'Модели состояний');
select docket_system.define_column('sys_state_model', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Название', '{"mandatory":true,"display_by_ref":true,"max_length":255}'::jsonb),
  ('table_id', 'reference', 'Table', 'Таблица', '{"mandatory":true,"reference":"sys_db_table"}'),
  ('condition', 'string', 'Condition', 'Условие', '{"max_length":8000}'),
  ('active', 'boolean', 'Active', 'Активна', '{"default":"true"}')) as c (name, type, en, ru, options);
select docket_system.define_table('sys_state_transition', 'State transitions', 'Переходы состояний');
select docket_system.define_column('sys_state_transition', c.name, c.type, c.en, c.ru, c.options) from (values
  ('state_model_id', 'reference', 'State model', 'Модель состояний', '{"mandatory":true,"reference":"sys_state_model"}'::jsonb),
  ('from_state', 'string', 'From', 'Из', '{"mandatory":true,"max_length":100}'),
  ('to_state', 'string', 'To', 'В', '{"mandatory":true,"max_length":100}'),
  ('is_final', 'boolean', 'Final', 'Конечное', '{"default":"false"}')) as c (name, type, en, ru, options);
select docket_system.define_table('sys_approval', 'Approvals', 'Согласования');
select docket_system.define_column('sys_approval', c.name, c.type, c.en, c.ru, c.options) from (values
  ('task', 'reference', 'Task', 'Задача', '{"mandatory":true,"reference":"task"}'::jsonb),
  ('approver', 'reference', 'Approver', 'Согласующий', '{"mandatory":true,"reference":"user"}'),
  ('state', 'choice', 'State', 'Состояние', '{"default":"requested"}'),
  ('comment', 'text', 'Comment', 'Комментарий', '{}'),
  ('due_at', 'datetime', 'Due', 'Срок', '{}'),
  ('decided_at', 'datetime', 'Decided', 'Решено', '{}')) as c (name, type, en, ru, options);
select docket_system.define_choices('sys_approval', 'state', '[["not_requested","Not requested","Не запрошено"],["requested","Requested","Запрошено"],["approved","Approved","Согласовано"],["rejected","Rejected","Отклонено"],["canceled","Canceled","Отменено"]]');

select docket_system.resolve_references();

-- Records of the dictionary's own tables know their class, as all others do by default.
do $$
declare
  own text;
begin
  foreach own in array array['sys_db_table', 'sys_db_column', 'sys_db_column_type', 'sys_translated_text', 'sys_choice'] loop
    execute format('update docket.%I set sys_db_table_id = (select sys_id from docket.sys_db_table where name = %L)', own, own);
    execute format('alter table docket.%I alter column sys_db_table_id set not null', own);
    execute format('alter table docket.%I alter column sys_db_table_id set default %s', own, (select sys_id from docket.sys_db_table where name = own));
  end loop;
end $$;

-- ── the first user, the shipped roles, and the rules without which nobody could do anything ──────────────────────────

insert into docket."user" (sys_id, user_name, display_name, first_name, last_name, language, time_zone, sys_created_by, sys_updated_by)
values (155931135900000001, 'admin', 'System Administrator', 'System', 'Administrator', 'en', 'UTC', 155931135900000001, 155931135900000001);

insert into docket.sys_role (name, description) values
  ('admin', 'May do everything.'),
  ('security_admin', 'Edits access rules, roles and who has them.'),
  ('itil', 'Works on tasks.'),
  ('user', 'Has tasks of their own.'),
  ('document_reader', 'Searches and reads document collections.'),
  ('document_writer', 'Loads and deletes documents; reads them too.');
insert into docket.sys_role_contains (role_id, contained_role_id)
select a.sys_id, b.sys_id from (values ('admin', 'security_admin'), ('admin', 'document_writer'), ('document_writer', 'document_reader'), ('itil', 'user')) as c (holder, held)
join docket.sys_role a on a.name = c.holder join docket.sys_role b on b.name = c.held;
insert into docket.sys_user_has_role (user_id, role_id) select 155931135900000001, sys_id from docket.sys_role where name = 'admin';

-- Everything is refused unless a rule allows it; these are the only rules that a new server has.
insert into docket.sys_security_acl (operation, table_name, roles, description)
select operation, '*', array[(select sys_id::text from docket.sys_role where name = 'admin')], 'Administrators: every table'
from unnest(array['create', 'read', 'write', 'delete']) as operation;
insert into docket.sys_security_acl (operation, table_name, roles, description)
select operation, on_table, array[(select sys_id::text from docket.sys_role where name = 'security_admin')], 'Security administrators: rules and roles'
from unnest(array['create', 'read', 'write', 'delete']) as operation,
     unnest(array['sys_security_acl', 'sys_role', 'sys_role_contains', 'sys_user_has_role', 'sys_group_has_role']) as on_table;

insert into docket.sys_property (name, value, description) values
  ('auth.token.life_minutes', '120', 'Life of a key made by the login address, in minutes.'),
  ('rest.limit.max', '10000', 'Largest sysparm_limit; a larger one is clamped.'),
  ('wysiwyg.columns.rest_api_json_mode', '', 'sys_ids of columns (comma-separated) that are read as the editor''s JSON document.');

insert into docket.sys_dynamic_option (name, value) values
  ('Me', 'gs.getUserID()'),
  ('One of my groups', 'gs.getMyGroups()');

-- ── epochs follow the tables that caches are made from ───────────────────────────────────────────────────────────────

do $$
declare
  watched text;
begin
  foreach watched in array array['sys_db_table', 'sys_db_column', 'sys_db_column_type', 'sys_translated_text', 'sys_choice', 'sys_property', 'sys_number',
    'sys_ui_form', 'sys_ui_form_section', 'sys_ui_form_element', 'sys_security_acl', 'sys_dynamic_option', 'sys_role'] loop
    execute format('create trigger raise_catalog_epoch after insert or update or delete or truncate on docket.%I for each statement execute function docket_system.raise_catalog_epoch()', watched);
  end loop;
  foreach watched in array array['sys_role', 'sys_role_contains', 'sys_user_has_role', 'sys_user_group', 'sys_group_has_role'] loop
    execute format('create trigger raise_identity_epoch after insert or update or delete or truncate on docket.%I for each statement execute function docket_system.raise_identity_epoch()', watched);
  end loop;
end $$;
create trigger raise_identity_epoch after update of user_name, password, active, language, time_zone, display_name or delete or truncate on docket."user"
  for each statement execute function docket_system.raise_identity_epoch();
create trigger raise_identity_epoch_for_groups after update of active or delete on docket.sys_group
  for each statement execute function docket_system.raise_identity_epoch();
