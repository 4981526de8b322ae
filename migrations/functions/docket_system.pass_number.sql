-- The next number is behind `passed`. Others take numbers at the same time, and a counter must not go back for them: a short way is
-- gone number by number; for a long way the sequence is locked until the transaction ends, and is as before if that fails or is a dry run.
-- setval is never undone, a restart is, with the numbers that are taken after it.
CREATE OR REPLACE FUNCTION docket_system.pass_number(numbering bigint, passed bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  counter regclass := format('docket_system.number_%s', numbering)::regclass;
  last bigint := docket_system.last_number(numbering);
begin
  if passed - last > 10000 then
    execute format('alter sequence %s owned by none', counter);
    last := docket_system.last_number(numbering);
    if passed > last then
      execute format('alter sequence %s restart with %s', counter, passed);
      perform nextval(counter);
    end if;
    return;
  end if;
  while last < passed loop
    last := nextval(counter);
  end loop;
end $function$;
