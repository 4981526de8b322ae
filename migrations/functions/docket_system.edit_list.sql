-- What stands keeps its place; what is added goes to the end, once.
CREATE OR REPLACE FUNCTION docket_system.edit_list(standing text[], added text[], removed text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce(array_agg(member order by place), '{}') from (
    select member, min(place) as place from (
      select member, place from unnest(coalesce(standing, '{}')) with ordinality as s (member, place)
      union all select member, place + coalesce(cardinality(standing), 0) from unnest(coalesce(added, '{}')) with ordinality as a (member, place)) as every
    where member <> all(coalesce(removed, '{}')) group by member) as kept
$function$;
