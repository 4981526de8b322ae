-- The columns that every table of its own storage has; a child has its root's.
CREATE OR REPLACE FUNCTION docket_system.define_system_columns(table_name text)
 RETURNS void
 LANGUAGE sql
AS $function$
  select docket_system.define_column(table_name, c.name, c.type, c.title_en, c.title_ru, c.options || '{"standing":true,"read_only":true}')
  from (values
    ('sys_id', 'sys_id', 'Sys ID', 'Идентификатор', '{}'::jsonb),
    ('sys_created_at', 'datetime', 'Created', 'Создано', '{}'),
    ('sys_created_by', 'reference', 'Created by', 'Кем создано', '{"reference":"user"}'),
    ('sys_updated_at', 'datetime', 'Updated', 'Обновлено', '{}'),
    ('sys_updated_by', 'reference', 'Updated by', 'Кем обновлено', '{"reference":"user"}'),
    ('sys_db_table_id', 'reference', 'Table', 'Таблица', '{"reference":"sys_db_table"}')) as c (name, type, title_en, title_ru, options)
$function$;
