-- Writes the dictionary's row for a column and adds it to the PostgreSQL table, with a foreign key and an index for a
-- reference and a unique index where asked (without case for text, as text compares).
--   options: reference, mandatory, unique, read_only, full_text_search, display_by_ref, max_length, default, index, standing
CREATE OR REPLACE FUNCTION docket_system.define_column(table_name text, column_name text, type_name text, title_en text, title_ru text, options jsonb DEFAULT '{}'::jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
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
      execute format('create index on %I.%I (%I) where %I is not null', owner.storage_schema, owner.storage_table, stored, stored);
    elsif (options ->> 'index')::boolean then
      execute format('create index on %I.%I (%I, sys_id)', owner.storage_schema, owner.storage_table, stored);
    end if;
  end if;
  perform docket_system.translate('sys_db_column', 'title', made, 'ru', title_ru);
  return made;
end $function$;
