-- Departments, as clients of ServiceNow know them; long addresses of lists that such clients store for a day.

-- A table of this name that an administrator made or adopted stays as it is.
do $$ begin
  if exists (select from docket.sys_db_table where name = 'department') or to_regclass('docket.department') is not null
     or exists (select from docket.sys_db_column where column_name = 'department_id'
                and table_id in (select sys_id from docket.sys_db_table where storage_schema = 'docket' and storage_table = 'user')) then
    return;
  end if;
  perform docket_system.define_table('department', 'Departments', 'Подразделения');
  perform docket_system.define_column('department', c.name, c.type, c.en, c.ru, c.options) from (values
    ('name', 'string', 'Name', 'Название', '{"mandatory":true,"display_by_ref":true,"max_length":100}'::jsonb),
    ('head_id', 'reference', 'Head', 'Руководитель', '{"reference":"user"}'),
    ('parent_id', 'reference', 'Parent', 'Вышестоящее подразделение', '{"reference":"department"}'),
    ('description', 'text', 'Description', 'Описание', '{}')) as c (name, type, en, ru, options);
  perform docket_system.define_column('user', 'department_id', 'reference', 'Department', 'Подразделение', '{"reference":"department"}');
end $$;

create table docket_system.tiny_address (
  id text primary key check (id ~ '^[0-9a-f]{32}$'),
  user_id bigint not null references docket."user" (sys_id) on delete cascade,
  query text not null,
  made_at timestamp(0) not null default docket_system.now_utc()
);
create index on docket_system.tiny_address (user_id, made_at);
create index on docket_system.tiny_address (made_at);
