-- What becomes of a reference when the record that it leads to is deleted (docs/dictionary.md). null: nothing.

alter table docket.sys_db_column add column on_delete text check (on_delete in ('restrict', 'clear', 'cascade'));
select docket_system.define_column('sys_db_column', 'on_delete', 'choice', 'When the referenced record is deleted', 'При удалении связанной записи', '{"standing":true}');
select docket_system.define_choices('sys_db_column', 'on_delete',
  '[["restrict","Restrict","Запретить"],["clear","Clear","Очистить"],["cascade","Cascade","Удалить вместе"]]');

-- What PostgreSQL's foreign keys did so far.
update docket.sys_db_column c set on_delete = case k.confdeltype when 'c' then 'cascade' when 'n' then 'clear' else 'restrict' end
from docket.sys_db_table t, pg_constraint k, pg_attribute a
where t.sys_id = c.table_id and t.adopted_key is null and k.contype = 'f'
  and k.conrelid = to_regclass(format('%I.%I', t.storage_schema, t.storage_table))
  and a.attrelid = k.conrelid and a.attname = c.storage_column and k.conkey = array[a.attnum];

-- A reference to a table of Docket restricts unless the column says otherwise, because its foreign key does. System columns, lists and
-- references to adopted tables have no foreign key.
create function docket_system.default_on_delete() returns trigger language plpgsql as $$
declare
  type_name text := (select y.name from docket.sys_db_column_type y where y.sys_id = new.column_type_id);
begin
  if tg_op = 'UPDATE' and new.column_type_id is distinct from old.column_type_id and new.on_delete is not distinct from old.on_delete then
    new.on_delete := null;
  end if;
  if new.on_delete is null and type_name = 'reference' and new.column_name not like 'sys\_%'
    and exists (select from docket.sys_db_table t where t.sys_id = new.table_id and t.adopted_key is null)
    and exists (select from docket.sys_db_table t where t.sys_id = new.reference_id and t.adopted_key is null)
  then
    new.on_delete := 'restrict';
  end if;
  return new;
end $$;
create trigger default_on_delete before insert or update of on_delete, column_type_id, reference_id on docket.sys_db_column
  for each row execute function docket_system.default_on_delete();

-- Records that refer to each other in a circle are deleted together: their keys are checked when all are gone.
do $$
declare
  found record;
begin
  for found in
    select k.conrelid::regclass as of_table, k.conname from pg_constraint k join pg_class r on r.oid = k.conrelid
    where k.contype = 'f' and k.confdeltype = 'a' and not k.condeferrable and k.conparentid = 0
      and k.connamespace = 'docket'::regnamespace and r.relname not like 'sys\_%'
  loop
    execute format('alter table %s alter constraint %I deferrable initially immediate', found.of_table, found.conname);
  end loop;
end $$;
