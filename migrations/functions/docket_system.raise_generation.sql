-- Ends every key of the user.
CREATE OR REPLACE FUNCTION docket_system.raise_generation(of_user bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into docket_system.user_generation as g (user_id, generation) values (of_user, 1)
  on conflict (user_id) do update set generation = g.generation + 1
$function$;
