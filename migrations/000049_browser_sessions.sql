-- Sessions of browsers: their key comes in a cookie, and they end when they are not used for a while.

alter table docket_system.access_key
  drop constraint access_key_kind_check,
  add constraint access_key_kind_check check (kind in ('session', 'api_key', 'cookie')),
  -- Of a cookie: it ends so long after its last use, and at expires_at at the latest. `last_used_at` is never null then.
  add column idle_minutes integer check (idle_minutes > 0),
  -- Of a cookie, for its user: what signed in, and from where.
  add column user_agent text,
  add column address text,
  add constraint access_key_idle_check check ((kind = 'cookie') = (idle_minutes is not null and last_used_at is not null));

insert into docket.sys_property (name, value, description)
select * from (values
  ('auth.cookie.idle_minutes', '120', 'A browser session ends after so many minutes without use.'),
  ('auth.cookie.max_minutes', '720', 'A browser session ends after so many minutes at the latest.')
) as added (name, value, description)
where not exists (select from docket.sys_property p where p.name = added.name);
