-- Moves all counters of the hierarchy past a number that a caller gives to a record of the table, so that no counter generates it. Returns
-- the number.
CREATE OR REPLACE FUNCTION docket_system.reserve_number(of_table bigint, number text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  numbering record;
begin
  for numbering in
    select n.sys_id, docket_system.count_in_number(number, n.prefix) as count from docket.sys_number n
    where docket_system.root_of(n.table_id) = docket_system.root_of(of_table) order by n.sys_id
  loop
    perform docket_system.pass_number(numbering.sys_id, numbering.count);
  end loop;
  return number;
end $function$;
