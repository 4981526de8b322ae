-- Writes the dictionary's row for a table and makes the PostgreSQL table, unless it stands already (the dictionary's own)
-- or the parent's serves it.
--   options: parent, extendable, audit, deletion_log, queued, standing
CREATE OR REPLACE FUNCTION docket_system.define_table(table_name text, title_en text, title_ru text, options jsonb DEFAULT '{}'::jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
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
           sys_db_table_id bigint not null default %s,
           update$count integer) with (fillfactor = 90)', table_name, made);
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
end $function$;
