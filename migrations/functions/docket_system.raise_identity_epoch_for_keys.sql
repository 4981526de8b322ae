CREATE OR REPLACE FUNCTION docket_system.raise_identity_epoch_for_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from gone where gone.revoked_at is null and gone.expires_at > clock_timestamp() at time zone 'UTC') then
    update docket_system.epoch set identity = identity + 1;
  end if;
  return null;
end $function$;
