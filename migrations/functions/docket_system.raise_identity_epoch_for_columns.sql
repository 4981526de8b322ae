-- Of an update: only if a value of the columns that the trigger names differs.
CREATE OR REPLACE FUNCTION docket_system.raise_identity_epoch_for_columns()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  key text := tg_argv[0];
  columns text[] := tg_argv[1:];
begin
  if exists (
    select from (select to_jsonb(g.*) as old from gone g) g join (select to_jsonb(m.*) as new from made m) m on g.old ->> key = m.new ->> key,
      unnest(columns) as c (name) where g.old -> c.name is distinct from m.new -> c.name) then
    update docket_system.epoch set identity = identity + 1;
  end if;
  return null;
end $function$;
