CREATE OR REPLACE FUNCTION docket_system.raise_catalog_epoch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  reached bigint;
begin
  -- Two conditions, because PostgreSQL reads each as a whole, and a truncate has no transition table.
  if tg_op <> 'TRUNCATE' then
    if not exists (select from touched) then
      return null;
    end if;
  end if;
  update docket_system.epoch set catalog = catalog + 1 returning catalog into reached;
  insert into docket_system.catalog_part values (tg_table_name, reached) on conflict (name) do update set epoch = reached;
  if tg_op = 'TRUNCATE' then
    insert into docket_system.changed_table values (reached, null);
  end if;
  return null;
end $function$;
