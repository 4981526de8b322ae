-- Counts a failure, and clears away up to twenty counts whose window is over: more than a failure can add, so the table
-- holds no more than what failed within one window. A password that failed before in the window of the pair counts no more.
-- Of an attempt that was rejected because of the address or the name (pair_only), only the pair counts.
CREATE OR REPLACE FUNCTION docket_system.count_failed_login(claimed_name text, network text, at_time timestamp without time zone, for_window interval, password_mark integer DEFAULT NULL::integer, pair_only boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;
