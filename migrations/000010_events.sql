-- Events: how long the log of changes is kept for readers, and webhooks that are told of changes.

-- ── what may be forgotten ────────────────────────────────────────────────────────────────────────────────────────────

-- Changes up to here may have been cleared away, as far as neither history nor the deletion log shows them.
create table docket_system.change_horizon (
  only_row boolean primary key default true check (only_row),
  cleared_position bigint not null default 0
);
insert into docket_system.change_horizon default values;

insert into docket.sys_property (name, value, description) values
  ('events.keep_days', '30', 'Days for which changes can be read as events; those of audited tables stay for history.');

-- Clears away what is older and nobody shows, a part at a time so that no lock is held for long. Returns how many went.
create function docket_system.clear_changes(older_than timestamp, most integer) returns integer language plpgsql as $$
declare
  cleared bigint;
  gone integer;
begin
  with old as (
    select position from docket_system.change where changed_at < older_than and not audited and not deletion_logged
      and position <= docket_system.settled_position() order by position limit most for update skip locked),
  deleted as (delete from docket_system.change c using old where c.position = old.position returning c.position)
  select max(position), count(*) into cleared, gone from deleted;
  update docket_system.change_horizon set cleared_position = greatest(cleared_position, cleared) where cleared is not null;
  return gone;
end $$;
create index on docket_system.change (changed_at) where not audited and not deletion_logged;

-- ── webhooks ─────────────────────────────────────────────────────────────────────────────────────────────────────────

select docket_system.define_table('sys_webhook', 'Webhooks', 'Веб-хуки');
select docket_system.define_column('sys_webhook', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Название', '{"mandatory":true,"display_by_ref":true,"max_length":255}'::jsonb),
  ('url', 'url', 'Address', 'Адрес', '{"mandatory":true,"max_length":2000}'),
  ('active', 'boolean', 'Active', 'Активен', '{"default":"true"}'),
  ('tables', 'list', 'Tables, with their children (empty: all)', 'Таблицы с потомками (пусто: все)', '{"reference":"sys_db_table"}'),
  ('operations', 'list', 'Operations (empty: all)', 'Операции (пусто: все)', '{}'),
  ('description', 'text', 'Description', 'Описание', '{}')) as c (name, type, en, ru, options);
select docket_system.define_choices('sys_webhook', 'operations', '[["create","Create","Создание"],["update","Update","Изменение"],["delete","Delete","Удаление"]]');

-- One event on its way to one webhook, or arrived, or given up: a dead letter.
select docket_system.define_table('sys_webhook_delivery', 'Webhook deliveries', 'Доставки веб-хуков');
select docket_system.define_column('sys_webhook_delivery', c.name, c.type, c.en, c.ru, c.options) from (values
  ('webhook', 'reference', 'Webhook', 'Веб-хук', '{"mandatory":true,"reference":"sys_webhook"}'::jsonb),
  ('event_id', 'biginteger', 'Event', 'Событие', '{"mandatory":true}'),
  ('table_id', 'reference', 'Table', 'Таблица', '{"reference":"sys_db_table"}'),
  ('record_id', 'biginteger', 'Record', 'Запись', '{}'),
  ('state', 'choice', 'State', 'Состояние', '{"mandatory":true,"default":"pending"}'),
  ('attempts', 'integer', 'Attempts', 'Попытки', '{"default":"0"}'),
  ('next_attempt_at', 'datetime', 'Next attempt', 'Следующая попытка', '{}'),
  ('response_status', 'integer', 'Status of the answer', 'Статус ответа', '{}'),
  ('error', 'string', 'Why it failed', 'Причина отказа', '{}'),
  ('delivered_at', 'datetime', 'Delivered', 'Доставлено', '{}'),
  ('payload', 'json', 'What is sent', 'Содержимое', '{}')) as c (name, type, en, ru, options);
select docket_system.define_choices('sys_webhook_delivery', 'state', '[["pending","Pending","Ожидает"],["delivered","Delivered","Доставлено"],["dead","Given up","Не доставлено"]]');
alter table docket.sys_webhook_delivery
  -- Of the process that is sending it.
  add column leased_until timestamp(3),
  drop constraint sys_webhook_delivery_webhook_fkey,
  add foreign key (webhook) references docket.sys_webhook on delete cascade;
create unique index on docket.sys_webhook_delivery (webhook, event_id);
create index on docket.sys_webhook_delivery (webhook, record_id, event_id) where state = 'pending';
create index on docket.sys_webhook_delivery (event_id) where state = 'pending';
create index on docket.sys_webhook_delivery (delivered_at) where state = 'delivered';

-- What no caller reads: up to where the log was turned into deliveries, and what they are signed with.
create table docket_system.webhook (
  webhook_id bigint primary key references docket.sys_webhook on delete cascade,
  position bigint not null,
  secret bytea not null
);

-- A webhook is told of what happens after it was made. 32 bytes of PostgreSQL's strong random source.
create function docket_system.make_webhook() returns trigger language plpgsql as $$
begin
  insert into docket_system.webhook (webhook_id, position, secret)
  values (new.sys_id, docket_system.settled_position(), decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
  return null;
end $$;
create trigger make_webhook after insert on docket.sys_webhook for each row execute function docket_system.make_webhook();
