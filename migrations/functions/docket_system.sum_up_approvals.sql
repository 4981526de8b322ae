-- A task is rejected when one approver rejects it, and approved when all have approved; who was canceled does not count.
-- The task is locked first: of two approvers who decide at once the second counts both.
-- Tasks may have columns with the names of the variables: those are written with their table.
CREATE OR REPLACE FUNCTION docket_system.sum_up_approvals(of_task bigint, by_user bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_variable
declare
  old_row jsonb;
  new_row jsonb;
  outcome text;
begin
  select to_jsonb(t.*) into old_row from docket.task t where t.sys_id = of_task for update;
  if not found then
    return;
  end if;
  select case when count(*) filter (where a.state <> 'canceled') = 0 then case when count(*) > 0 then 'canceled' else 'not_requested' end
              when bool_or(a.state = 'rejected') then 'rejected'
              when bool_and(a.state in ('approved', 'canceled')) then 'approved'
              when bool_and(a.state in ('not_requested', 'canceled')) then 'not_requested'
              else 'requested' end
    into outcome from docket.sys_approval a where a.task = of_task;
  update docket.task t set approval_state = outcome, sys_updated_at = docket_system.now_utc(), sys_updated_by = coalesce(by_user, t.sys_updated_by),
    update$count = coalesce(t.update$count, 0) + 1
  where t.sys_id = of_task and t.approval_state is distinct from outcome returning to_jsonb(t.*) into new_row;
  if new_row is not null then
    perform docket_system.log_change(old_row, new_row, by_user);
  end if;
end $function$;
