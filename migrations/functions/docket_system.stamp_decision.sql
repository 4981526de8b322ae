-- When an approver has decided, and that they have not.
CREATE OR REPLACE FUNCTION docket_system.stamp_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.state in ('approved', 'rejected') then
    if tg_op = 'INSERT' or old.state is distinct from new.state then
      new.decided_at := docket_system.now_utc();
    end if;
  else
    new.decided_at := null;
  end if;
  return new;
end $function$;
