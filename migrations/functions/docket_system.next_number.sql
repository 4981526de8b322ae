-- The next number of a table, by its own numbering or the nearest parent's; null where there is none. A sequence for each
-- numbering: a number is never given twice, also not after a rollback or a crash.
CREATE OR REPLACE FUNCTION docket_system.next_number(of_table bigint)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  numbering record;
  n bigint;
begin
  with recursive line as (
    select t.sys_id, t.parent_id, 0 as depth from docket.sys_db_table t where t.sys_id = of_table
    union all select p.sys_id, p.parent_id, line.depth + 1 from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select s.sys_id, s.prefix, s.digits into numbering
  from line join docket.sys_number s on s.table_id = line.sys_id order by line.depth limit 1;
  if not found then
    return null;
  end if;
  n := nextval(format('docket_system.number_%s', numbering.sys_id)::regclass);
  return numbering.prefix || case when length(n::text) >= numbering.digits then n::text else lpad(n::text, numbering.digits, '0') end;
end $function$;
