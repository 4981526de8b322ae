-- References between tables of this file that stand in a circle, or point at a table that comes later.
CREATE OR REPLACE FUNCTION docket_system.resolve_references()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  waiting record;
begin
  for waiting in
    select w.column_id, target.sys_id as target_id, target.storage_table as target_table, owner.storage_table, c.storage_column, c.column_name
    from docket_system.reference_to_come w
    join docket.sys_db_table target on target.name = w.target
    join docket.sys_db_column c on c.sys_id = w.column_id
    join docket.sys_db_table owner on owner.sys_id = c.table_id
  loop
    update docket.sys_db_column set reference_id = waiting.target_id where sys_id = waiting.column_id;
    -- Who wrote a record stays readable after that user is gone, and four key checks on each write would buy nothing.
    if waiting.column_name not like 'sys\_%' and not exists (
      select from pg_constraint k where k.contype = 'f' and k.conrelid = format('docket.%I', waiting.storage_table)::regclass
        and k.conkey = array[(select attnum from pg_attribute where attrelid = k.conrelid and attname = waiting.storage_column)])
      and exists (select from pg_attribute a where a.attrelid = format('docket.%I', waiting.storage_table)::regclass
        and a.attname = waiting.storage_column and a.atttypid = 'bigint'::regtype)
    then
      execute format('alter table docket.%I add foreign key (%I) references docket.%I', waiting.storage_table, waiting.storage_column, waiting.target_table);
    end if;
    delete from docket_system.reference_to_come where column_id = waiting.column_id;
  end loop;
end $function$;
