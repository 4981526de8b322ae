-- A webhook is told of what happens after it was made. 32 bytes of PostgreSQL's strong random source.
CREATE OR REPLACE FUNCTION docket_system.make_webhook()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into docket_system.webhook (webhook_id, position, secret)
  values (new.sys_id, docket_system.committed_watermark(), decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
  return null;
end $function$;
