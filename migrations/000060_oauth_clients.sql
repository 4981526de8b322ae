-- Clients of OAuth and their tokens. Access tokens are keys like those of a login; a refresh token is a key that opens nothing by itself.

select docket_system.define_table('oauth_entity', 'OAuth clients', 'Клиенты OAuth');
select docket_system.define_column('oauth_entity', c.name, c.type, c.en, c.ru, c.options) from (values
  ('name', 'string', 'Name', 'Имя', '{"mandatory":true,"display_by_ref":true,"max_length":100}'::jsonb),
  ('client_id', 'string', 'Client ID', 'Идентификатор клиента', '{"mandatory":true,"unique":true,"max_length":100}'),
  ('client_secret', 'password', 'Client secret', 'Секрет клиента', '{}'),
  ('user', 'reference', 'User that client credentials act as', 'Пользователь, от имени которого действует клиент', '{"reference":"user"}'),
  ('access_token_lifespan', 'integer', 'Life of access tokens in seconds', 'Срок действия токенов доступа в секундах', '{"default":"1800"}'),
  ('refresh_token_lifespan', 'integer', 'Life of refresh tokens in seconds', 'Срок действия токенов обновления в секундах', '{"default":"8640000"}'),
  ('active', 'boolean', 'Active', 'Активен', '{"default":"true"}')) as c (name, type, en, ru, options);

insert into docket.sys_security_acl (operation, table_name, roles, description)
select operation, 'oauth_entity', array[(select sys_id::text from docket.sys_role where name = 'admin')], 'Administrators: clients of OAuth'
from unnest(array['create', 'read', 'write', 'delete']) as operation;

alter table docket_system.access_key
  drop constraint access_key_kind_check,
  add constraint access_key_kind_check check (kind in ('session', 'api_key', 'cookie', 'refresh')),
  -- Of a token: its client, and the refresh token that it was issued for or with. A client that is gone or not active ends its tokens.
  add column oauth_client bigint,
  add column refreshed_by bigint,
  add constraint access_key_oauth_check check (kind <> 'refresh' or oauth_client is not null);
create index access_key_refreshed_by_idx on docket_system.access_key (refreshed_by) where refreshed_by is not null;

create trigger raise_identity_epoch_by_update after update on docket.oauth_entity referencing old table as gone new table as made for each statement
  execute function docket_system.raise_identity_epoch_for_columns('sys_id', 'active', 'client_secret', 'client_id');
create trigger raise_identity_epoch_by_delete after delete on docket.oauth_entity referencing old table as touched for each statement
  execute function docket_system.raise_identity_epoch();
create trigger raise_identity_epoch_by_truncate after truncate on docket.oauth_entity
  for each statement execute function docket_system.raise_identity_epoch();
