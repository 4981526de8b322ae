CREATE OR REPLACE FUNCTION docket_system.remember_number(of_table bigint, prefix text, last bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into docket_system.number_given as g (root_id, prefix, last)
  select r.root, docket_system.fold(remember_number.prefix), remember_number.last
  from (select docket_system.root_of(of_table) as root) as r where r.root is not null
  on conflict (root_id, prefix) do update set last = greatest(g.last, excluded.last)
$function$;
