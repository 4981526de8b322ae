-- The highest n that was ever given under a prefix, as far as it is known; -1 where there is none.
CREATE OR REPLACE FUNCTION docket_system.highest_given(of_table bigint, prefix text)
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select greatest(-1, docket_system.highest_number(of_table, highest_given.prefix),
    (select g.last from docket_system.number_given g
     where g.root_id = docket_system.root_of(of_table) and g.prefix = docket_system.fold(highest_given.prefix)))
$function$;
