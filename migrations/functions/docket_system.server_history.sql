-- What changes when a standby becomes the primary, or when data moves to another server: system identifier and timeline. Every user may
-- call these functions. A server that lacks one (Aurora has no WAL of its own, and loses no commit when it fails over) has a dash there.
CREATE OR REPLACE FUNCTION docket_system.server_history()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  timeline text;
  identifier text;
begin
  -- The timeline of pg_control_checkpoint() is that of the last checkpoint, which comes some time after a promotion.
  begin
    timeline := substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8);
  exception when feature_not_supported or insufficient_privilege or object_not_in_prerequisite_state then
    timeline := '-';
  end;
  begin
    select c.system_identifier::text into identifier from pg_control_system() c;
  exception when feature_not_supported or insufficient_privilege then
    identifier := '-';
  end;
  return identifier || '/' || timeline;
end $function$;
