-- Lifts every lock of a user name: from anywhere, from each network, and of the networks that failed with this name.
-- Returns how many counts were cleared.
CREATE OR REPLACE FUNCTION docket_system.unlock_login(claimed_name text)
 RETURNS bigint
 LANGUAGE sql
AS $function$
  with name as (
    select m.mark from docket_system.login_marks(claimed_name, '') m where m.scope = 'name'
  ), pairs as (
    delete from docket_system.failed_login f using name where f.scope = 'pair' and f.name_mark = name.mark
    returning f.address_mark
  ), others as (
    delete from docket_system.failed_login f using name
    where (f.scope = 'name' and f.mark = name.mark) or (f.scope = 'address' and f.mark in (select address_mark from pairs))
    returning 1
  )
  select (select count(*) from pairs) + (select count(*) from others)
$function$;
