CREATE OR REPLACE FUNCTION docket_system.place_table()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.storage_table is not null then
    return new;
  end if;
  if new.parent_id is null then
    new.storage_table := docket_system.free_relation_name(new.storage_schema, new.name);
  else
    select p.storage_schema, p.storage_table, p.key_column into new.storage_schema, new.storage_table, new.key_column
    from docket.sys_db_table p where p.sys_id = new.parent_id;
  end if;
  return new;
end $function$;
