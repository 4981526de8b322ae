CREATE OR REPLACE FUNCTION docket_system.change_numbering()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  last bigint := docket_system.last_number(new.sys_id);
begin
  if new.start <> old.start then
    -- A counter near the end of bigint is soon used up, and it never goes back, even if the write fails afterwards.
    if new.start > 999999999999999999 then
      raise check_violation using message = 'a numbering begins with 18 digits at most', constraint = 'start';
    end if;
    if new.start <= last then
      perform docket_system.reject(jsonb_build_object('kind', 'number-given', 'column', 'start', 'least', last + 1));
    end if;
    perform docket_system.pass_number(new.sys_id, new.start - 1);
  end if;
  if (new.prefix, new.table_id) is distinct from (old.prefix, old.table_id) then
    perform docket_system.remember_number(old.table_id, old.prefix, last);
    perform docket_system.pass_number(new.sys_id, docket_system.highest_given(new.table_id, new.prefix));
  end if;
  return null;
end $function$;
