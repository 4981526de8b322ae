-- Throttling of failed logins that cannot be used to lock out somebody else: networks from which a user signed in before, repeats
-- of one wrong password, and a way to lift the lock of a user (docs/decisions/identity.md).

-- Networks from which a user signed in, as a hash. A lock of the address or of the user name does not apply to a right password
-- that comes from one of them.
create table docket_system.login_network (
  user_id bigint not null references docket."user" on delete cascade,
  network bytea not null check (length(network) = 32),
  last_login_at timestamp(3) not null,
  primary key (user_id, network)
);
create index on docket_system.login_network (last_login_at);

-- Keys the marks of wrong passwords. One for all processes, so that they count together.
create table docket_system.login_secret (
  only_row boolean primary key default true check (only_row),
  secret text not null
);
insert into docket_system.login_secret (secret) values (gen_random_uuid()::text || gen_random_uuid()::text);

-- The counts live for 15 minutes and are lost in a crash anyway.
delete from docket_system.failed_login;
alter table docket_system.failed_login
  -- Of a pair: the marks of its name and of its address, to find it by the user name.
  add column name_mark bytea,
  add column address_mark bytea,
  -- Of a pair: 16 bits of a keyed hash of each wrong password. Enough to recognise a repeat, too little to test a guess.
  add column wrong_passwords integer[] not null default '{}';
create index on docket_system.failed_login (name_mark) where scope = 'pair';

drop function docket_system.count_failed_login(text, text, timestamp, interval);

-- Counts a failure, and clears away up to twenty counts whose window is over: more than a failure can add, so the table
-- holds no more than what failed within one window. A password that failed before in the window of the pair counts no more.
-- Of an attempt that was rejected because of the address or the name (pair_only), only the pair counts.
create function docket_system.count_failed_login(
  claimed_name text, network text, at_time timestamp, for_window interval, password_mark integer default null, pair_only boolean default false)
returns void language plpgsql as $$
declare
  name_of bytea := (select m.mark from docket_system.login_marks(claimed_name, network) m where m.scope = 'name');
  address_of bytea := (select m.mark from docket_system.login_marks(claimed_name, network) m where m.scope = 'address');
  pair_of bytea := (select m.mark from docket_system.login_marks(claimed_name, network) m where m.scope = 'pair');
begin
  delete from docket_system.failed_login f using (
    select old.scope, old.mark from docket_system.failed_login old
    where old.window_ends_at <= at_time order by old.window_ends_at limit 20 for update skip locked) as over_now
  where f.scope = over_now.scope and f.mark = over_now.mark;

  perform from docket_system.failed_login f
  where f.scope = 'pair' and f.mark = pair_of and f.window_ends_at > at_time and password_mark = any (f.wrong_passwords)
  for update;
  if found then
    return;
  end if;

  -- Pair, address, name: in one order, so that two failures at once cannot wait for each other.
  insert into docket_system.failed_login as f (scope, mark, failures, window_ends_at, name_mark, address_mark, wrong_passwords)
  values ('pair', pair_of, 1, at_time + for_window, name_of, address_of, array_remove(array[password_mark], null))
  on conflict (scope, mark) do update set
    failures = case when f.window_ends_at <= at_time then 1
                    when password_mark = any (f.wrong_passwords) then f.failures else f.failures + 1 end,
    wrong_passwords = case when f.window_ends_at <= at_time then excluded.wrong_passwords
                           else f.wrong_passwords || excluded.wrong_passwords end,
    window_ends_at = case when f.window_ends_at <= at_time then excluded.window_ends_at else f.window_ends_at end;
  if pair_only then
    return;
  end if;
  insert into docket_system.failed_login as f (scope, mark, failures, window_ends_at)
  values ('address', address_of, 1, at_time + for_window), ('name', name_of, 1, at_time + for_window)
  on conflict (scope, mark) do update set
    failures = case when f.window_ends_at <= at_time then 1 else f.failures + 1 end,
    window_ends_at = case when f.window_ends_at <= at_time then excluded.window_ends_at else f.window_ends_at end;
end $$;

-- Lifts every lock of a user name: from anywhere, from each network, and of the networks that failed with this name.
-- Returns how many counts were cleared.
create function docket_system.unlock_login(claimed_name text) returns bigint language sql as $$
  with name as (
    select m.mark from docket_system.login_marks(claimed_name, '') m where m.scope = 'name'
  ), pairs as (
    delete from docket_system.failed_login f using name where f.scope = 'pair' and f.name_mark = name.mark
    returning f.address_mark
  ), others as (
    delete from docket_system.failed_login f using name
    where (f.scope = 'name' and f.mark = name.mark) or (f.scope = 'address' and f.mark in (select address_mark from pairs))
    returning 1
  )
  select (select count(*) from pairs) + (select count(*) from others)
$$;
