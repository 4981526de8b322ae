CREATE OR REPLACE FUNCTION docket_system.raise_identity_epoch()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'TRUNCATE' then
    if not exists (select from touched) then
      return null;
    end if;
  end if;
  update docket_system.epoch set identity = identity + 1;
  return null;
end $function$;
