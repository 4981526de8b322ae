-- SimpleOne's column type 40, record_class: a reference to sys_db_table that is read as its id (docs/simpleone.md). So far 40 was another
-- word for the type reference; columns made with it stay references.
insert into docket.sys_db_column_type (sys_id, name, title, storage) values (40, 'record_class', 'Record class', 'bigint');
delete from docket_system.id_alias where of_table = 'sys_db_column_type' and alias = 40;

-- Clients give no reference_id with it: there is one table that it can lead to. The name makes this trigger run before default_on_delete.
create function docket_system.complete_record_class() returns trigger language plpgsql as $$
begin
  if new.reference_id is null and new.column_type_id = 40 then
    new.reference_id := (select t.sys_id from docket.sys_db_table t where t.name = 'sys_db_table');
  end if;
  return new;
end $$;
create trigger complete_record_class before insert or update of column_type_id, reference_id on docket.sys_db_column
  for each row execute function docket_system.complete_record_class();

create or replace function docket_system.default_on_delete() returns trigger language plpgsql as $$
declare
  type_name text := (select y.name from docket.sys_db_column_type y where y.sys_id = new.column_type_id);
begin
  if tg_op = 'UPDATE' and new.column_type_id is distinct from old.column_type_id and new.on_delete is not distinct from old.on_delete then
    new.on_delete := null;
  end if;
  if new.on_delete is null and type_name in ('reference', 'record_class') and new.column_name not like 'sys\_%'
    and exists (select from docket.sys_db_table t where t.sys_id = new.table_id and t.adopted_key is null)
    and exists (select from docket.sys_db_table t where t.sys_id = new.reference_id and t.adopted_key is null)
  then
    new.on_delete := 'restrict';
  end if;
  return new;
end $$;

-- Dynamic options that every SimpleOne instance has; clients name them by number behind DYNAMIC.
alter table docket_system.id_alias drop constraint id_alias_of_table_check,
  add constraint id_alias_of_table_check check (of_table in ('sys_db_table', 'sys_db_column_type', 'sys_dynamic_option'));
insert into docket_system.id_alias (of_table, alias, record_id)
select 'sys_dynamic_option', k.id, min(o.sys_id)
from (values (156957117519820256, 'gs.getUserID()'), (159679003220074662, 'gs.getMyGroups()')) as k (id, value)
join docket.sys_dynamic_option o on o.value = k.value
group by k.id;
