-- Who may come in: access keys, the generation that ends all keys of a user at once, and the count of failed logins.
--
-- Times come as parameters from the server process (its clock), not from docket_system.now_utc(): a key's end is asked
-- on every request, mostly without a question to the database.

-- ── access keys ──────────────────────────────────────────────────────────────────────────────────────────────────────

-- Rises when a password is changed, a user is suspended or let in again, or somebody says "end all my sessions". A key
-- made in an earlier generation is void. No row: generation 0.
create table docket_system.user_generation (
  user_id bigint primary key references docket."user" on delete cascade,
  generation bigint not null
);

-- What a login or `docket token create` hands out. The key itself is 48 random bytes and is not kept: a plain SHA-256 is
-- enough for it (there is nothing to guess), and it has to be looked up on each request that no cache answers.
create table docket_system.access_key (
  sys_id bigint primary key default docket_system.new_sys_id(),
  key_hash bytea not null unique check (length(key_hash) = 32),
  kind text not null check (kind in ('session', 'api_key')),
  user_id bigint not null references docket."user" on delete cascade,
  -- Of an API key, for people.
  name text check (length(name) between 1 and 100),
  -- Names of roles; what the key may do is what the user may do and what these roles (with those in them) may do. null: no
  -- narrowing. A role that was renamed or removed since counts for nothing.
  roles text[] check (array_position(roles, null) is null),
  generation bigint not null,
  created_at timestamp(3) not null,
  created_by bigint not null,
  expires_at timestamp(3) not null check (isfinite(expires_at)),
  -- Written at most every ten minutes.
  last_used_at timestamp(3),
  revoked_at timestamp(3),
  check ((kind = 'api_key') = (name is not null))
);
create index on docket_system.access_key (user_id);
create index on docket_system.access_key (expires_at);

-- Ends every key of the user.
create function docket_system.raise_generation(of_user bigint) returns void language sql as $$
  insert into docket_system.user_generation as g (user_id, generation) values (of_user, 1)
  on conflict (user_id) do update set generation = g.generation + 1
$$;

create function docket_system.raise_generation_of_row() returns trigger language plpgsql as $$
begin
  perform docket_system.raise_generation(new.sys_id);
  return null;
end $$;

-- Whoever writes the user, through whatever door: the Table API, the command line, SQL by hand.
create trigger raise_generation after update of password, active on docket."user" for each row
  when (old.password is distinct from new.password or old.active is distinct from new.active)
  execute function docket_system.raise_generation_of_row();

-- ── epochs ───────────────────────────────────────────────────────────────────────────────────────────────────────────

-- A key that is made, or used, or cleared away after its end, changes nothing that a process may have remembered.
create trigger raise_identity_epoch after insert or update on docket_system.user_generation
  for each statement execute function docket_system.raise_identity_epoch();
create trigger raise_identity_epoch after update of key_hash, kind, user_id, roles, generation, expires_at, revoked_at on docket_system.access_key
  for each statement execute function docket_system.raise_identity_epoch();

create function docket_system.raise_identity_epoch_for_keys() returns trigger language plpgsql as $$
begin
  if exists (select from gone where gone.revoked_at is null and gone.expires_at > clock_timestamp() at time zone 'UTC') then
    update docket_system.epoch set identity = identity + 1;
  end if;
  return null;
end $$;
create trigger raise_identity_epoch_for_keys after delete on docket_system.access_key
  referencing old table as gone for each statement execute function docket_system.raise_identity_epoch_for_keys();

-- ── failed logins ────────────────────────────────────────────────────────────────────────────────────────────────────

-- Counted in fixed windows, in the database so that all processes count together. Unlogged: a crash forgets the counts,
-- and in return a failed login costs no wait for the disk.
create unlogged table docket_system.failed_login (
  -- name: the claimed user name, from anywhere; address: the network it came from; pair: both together.
  scope text not null check (scope in ('name', 'address', 'pair')),
  -- A hash: of one size whatever was claimed, and no place where a password typed as a user name can be read.
  mark bytea not null,
  failures integer not null,
  window_ends_at timestamp(3) not null,
  primary key (scope, mark)
);
create index on docket_system.failed_login (window_ends_at);

-- Folded as user names are compared, so that "Anna" and "ANNA" count together.
create function docket_system.login_marks(claimed_name text, network text) returns table (scope text, mark bytea)
language sql stable as $$
  select s.scope, s.mark
  from (select sha256(convert_to(docket_system.fold(claimed_name), 'UTF8')) as name,
               sha256(convert_to(network, 'UTF8')) as address) as m,
       lateral (values ('name', m.name), ('address', m.address), ('pair', sha256(m.name || m.address))) as s (scope, mark)
$$;

-- Counts a failure, and clears away up to twenty counts whose window is over: more than a failure can add, so the table
-- holds no more than what failed within one window.
create function docket_system.count_failed_login(claimed_name text, network text, at_time timestamp, for_window interval)
returns void language plpgsql as $$
begin
  delete from docket_system.failed_login f using (
    select old.scope, old.mark from docket_system.failed_login old
    where old.window_ends_at <= at_time order by old.window_ends_at limit 20 for update skip locked) as over_now
  where f.scope = over_now.scope and f.mark = over_now.mark;

  -- In one order, so that two failures at once cannot wait for each other.
  insert into docket_system.failed_login as f (scope, mark, failures, window_ends_at)
  select m.scope, m.mark, 1, at_time + for_window from docket_system.login_marks(claimed_name, network) m order by 1, 2
  on conflict (scope, mark) do update set
    failures = case when f.window_ends_at <= at_time then 1 else f.failures + 1 end,
    window_ends_at = case when f.window_ends_at <= at_time then excluded.window_ends_at else f.window_ends_at end;
end $$;

-- ── time zones ───────────────────────────────────────────────────────────────────────────────────────────────────────

-- The zone if this server knows it, else UTC: a zone that somebody mistyped must not make every answer fail.
create function docket_system.known_time_zone(zone text) returns text language plpgsql stable as $$
begin
  perform timestamp '2000-01-01' at time zone zone;
  return coalesce(zone, 'UTC');
exception when invalid_parameter_value then
  return 'UTC';
end $$;
