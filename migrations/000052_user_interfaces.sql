-- What user interfaces store on the server: preferences of users, related lists of forms, how a saved filter shows its list.

select docket_system.define_table('sys_user_preference', 'User preferences', 'Настройки пользователей');
select docket_system.define_column('sys_user_preference', c.name, c.type, c.en, c.ru, c.options) from (values
  ('user_id', 'reference', 'User', 'Пользователь', '{"mandatory":true,"reference":"user","default":"javascript:gs.getUserID()"}'::jsonb),
  ('name', 'string', 'Name', 'Имя', '{"mandatory":true,"display_by_ref":true,"max_length":255}'),
  ('value', 'json', 'Value', 'Значение', '{}')) as c (name, type, en, ru, options);
-- One value for each name; also what finds it.
create unique index on docket.sys_user_preference (user_id, name);

select docket_system.define_table('sys_ui_related_list', 'Related lists of forms', 'Связанные списки форм');
select docket_system.define_column('sys_ui_related_list', c.name, c.type, c.en, c.ru, c.options) from (values
  ('form_id', 'reference', 'Form', 'Форма', '{"mandatory":true,"reference":"sys_ui_form"}'::jsonb),
  ('table_id', 'reference', 'Table of the list', 'Таблица списка', '{"mandatory":true,"reference":"sys_db_table"}'),
  ('column_name', 'field_name', 'Column that refers to the record', 'Колонка со ссылкой на запись', '{"mandatory":true,"max_length":60}'),
  ('title', 'string', 'Title', 'Заголовок', '{"display_by_ref":true,"max_length":255}'),
  ('order', 'integer', 'Order', 'Порядок', '{"default":"100"}')) as c (name, type, en, ru, options);
alter table docket.sys_ui_related_list
  drop constraint sys_ui_related_list_form_id_fkey,
  add constraint sys_ui_related_list_form_id_fkey foreign key (form_id) references docket.sys_ui_form on delete cascade,
  drop constraint sys_ui_related_list_table_id_fkey,
  add constraint sys_ui_related_list_table_id_fkey foreign key (table_id) references docket.sys_db_table on delete cascade;
create trigger raise_catalog_epoch_by_insert after insert on docket.sys_ui_related_list
  referencing new table as touched for each statement execute function docket_system.raise_catalog_epoch();
create trigger raise_catalog_epoch_by_update after update on docket.sys_ui_related_list
  referencing old table as touched for each statement execute function docket_system.raise_catalog_epoch();
create trigger raise_catalog_epoch_by_delete after delete on docket.sys_ui_related_list
  referencing old table as touched for each statement execute function docket_system.raise_catalog_epoch();
create trigger raise_catalog_epoch_by_truncate after truncate on docket.sys_ui_related_list
  for each statement execute function docket_system.raise_catalog_epoch();

-- Columns, widths, grouping. A filter without a title stands for an address that would be too long.
select docket_system.define_column('sys_filter', 'list_state', 'json', 'State of the list', 'Вид списка', '{}');
update docket.sys_db_column c set mandatory = false
from docket.sys_db_table t where t.sys_id = c.table_id and t.name = 'sys_filter' and c.column_name = 'title';

-- Preferences are their user's alone, also for administrators. Filters: only where nobody has rules for them yet.
insert into docket.sys_security_acl (operation, table_name, roles, condition, admin_overrides, description)
select operation, 'sys_user_preference', '{}', 'user_idDYNAMICme', false, 'Everybody has preferences of their own'
from unnest(array['create', 'read', 'write', 'delete']) as operation;
insert into docket.sys_security_acl (operation, table_name, roles, condition, description)
select f.operation, 'sys_filter', array[(select sys_id::text from docket.sys_role where name = 'user')], f.condition, f.description
from (values
  ('read', 'user_idISEMPTY^ORuser_idDYNAMICme', 'Shared filters and one''s own'),
  ('create', 'user_idDYNAMICme', 'Everybody keeps their own filters'),
  ('write', 'user_idDYNAMICme', 'Everybody keeps their own filters'),
  ('delete', 'user_idDYNAMICme', 'Everybody keeps their own filters')) as f (operation, condition, description)
where not exists (select from docket.sys_security_acl a where a.table_name = 'sys_filter');

-- The tables that the dictionary itself consists of were made before there were translations.
do $$
declare
  t record;
  c record;
begin
  for t in select d.sys_id, n.title from docket.sys_db_table d join (values
    ('sys_db_table', 'Таблицы'), ('sys_db_column', 'Колонки'), ('sys_db_column_type', 'Типы колонок'),
    ('sys_choice', 'Варианты выбора'), ('sys_translated_text', 'Переводы')) as n (name, title) on n.name = d.name
    where not exists (select from docket.sys_translated_text x where x.record_id = d.sys_id and x.language = 'ru')
  loop
    perform docket_system.translate('sys_db_table', 'title', t.sys_id, 'ru', t.title);
  end loop;
  for c in select o.sys_id, n.title from docket.sys_db_column o join docket.sys_db_table d on d.sys_id = o.table_id join (values
    ('sys_id', 'Идентификатор'), ('sys_created_at', 'Создано'), ('sys_created_by', 'Кем создано'), ('sys_updated_at', 'Обновлено'),
    ('sys_updated_by', 'Кем обновлено'), ('sys_db_table_id', 'Таблица'), ('parent_id', 'Родительская таблица'), ('name', 'Имя'),
    ('title', 'Заголовок'), ('storage', 'Тип PostgreSQL'), ('is_extendable', 'Расширяемая'), ('is_audit', 'Аудит'),
    ('record_deletion_logging', 'Журнал удалений'), ('storage_schema', 'Схема PostgreSQL'), ('storage_table', 'Таблица PostgreSQL'),
    ('key_column', 'Ключевая колонка'), ('queued_create', 'Создаётся через очередь'), ('column_name', 'Имя колонки'),
    ('table_id', 'Таблица')) as n (name, title) on n.name = o.column_name
    where d.name in ('sys_db_table', 'sys_db_column', 'sys_db_column_type', 'sys_choice', 'sys_translated_text')
      and not exists (select from docket.sys_translated_text x where x.record_id = o.sys_id and x.language = 'ru')
  loop
    perform docket_system.translate('sys_db_column', 'title', c.sys_id, 'ru', c.title);
  end loop;
end $$;
