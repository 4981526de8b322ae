-- Each new connection calls this before anything else: what it reads and the numbers it takes belong to the history that is returned.
CREATE OR REPLACE FUNCTION docket_system.enter_database_history()
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  here text;
  newest docket_system.database_history;
begin
  if pg_is_in_recovery() then
    raise exception 'this server is a standby' using errcode = 'read_only_sql_transaction';
  end if;
  here := docket_system.server_history();
  select h.* into newest from docket_system.database_history h order by h.number desc limit 1;
  return case when newest.server = here then newest.id else docket_system.begin_database_history(here) end;
end $function$;
