CREATE OR REPLACE FUNCTION docket_system.follow_approvals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'INSERT' then
    perform docket_system.sum_up_approvals(old.task, coalesce(new.sys_updated_by, old.sys_updated_by));
  end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.task is distinct from old.task) then
    perform docket_system.sum_up_approvals(new.task, new.sys_updated_by);
  end if;
  return null;
end $function$;
