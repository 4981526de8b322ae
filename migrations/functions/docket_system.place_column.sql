-- Two children of one root may each have a column of one name; the root's table holds both.
CREATE OR REPLACE FUNCTION docket_system.place_column()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  owner docket.sys_db_table;
  candidate text := new.column_name;
  n integer := 1;
begin
  if new.storage_column is not null or (select y.storage from docket.sys_db_column_type y where y.sys_id = new.column_type_id) is null then
    return new;
  end if;
  select * into owner from docket.sys_db_table t where t.sys_id = new.table_id;
  if not found then
    return new;
  end if;
  while exists (select from pg_attribute a where a.attrelid = to_regclass(format('%I.%I', owner.storage_schema, owner.storage_table))
                and a.attname = candidate and not a.attisdropped) loop
    candidate := left(owner.name, 30) || '__' || left(new.column_name, 31 - case when n = 1 then 0 else length(n::text) + 1 end)
      || case when n = 1 then '' else '_' || n end;
    n := n + 1;
  end loop;
  new.storage_column := candidate;
  return new;
end $function$;
