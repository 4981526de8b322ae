-- Wakes the workers, in the transaction of the change: no job without its change, no change without its job. A database
-- that no worker has been at yet has no schema for it; workers look for what waits when they start.
CREATE OR REPLACE FUNCTION docket_system.add_job(task text, payload json DEFAULT '{}'::json)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if to_regproc('graphile_worker.add_job') is not null then
    execute 'select graphile_worker.add_job($1, $2)' using task, payload;
  end if;
end $function$;
