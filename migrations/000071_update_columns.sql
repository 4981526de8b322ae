-- PostgreSQL logs a changed row from its first changed byte to its last. Every update of a task changes sys_updated_at, sys_updated_by and
-- update$count, and the texts of the task were between these: each update logged the texts. Now the three are side by side, behind them.
-- PostgreSQL writes the table anew for it, while nobody can read it: tables of more than 32 MB keep the order that they have.
do $$
declare task bigint := (select sys_id from docket.sys_db_table where name = 'task');
begin
  -- Nor does one with an index or something else of its own on these columns, which would be lost with them.
  if pg_relation_size('docket.task') > 33554432 or exists (
    select from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where d.refclassid = 'pg_class'::regclass and d.refobjid = 'docket.task'::regclass and a.attname in ('sys_updated_at', 'sys_updated_by')
      and d.classid <> 'pg_attrdef'::regclass
      and not exists (select from pg_constraint c where d.classid = 'pg_constraint'::regclass and c.oid = d.objid and c.contype = 'n')
      and not exists (select from pg_trigger t where d.classid = 'pg_trigger'::regclass and t.oid = d.objid and t.tgname = 'note_updates_changed'))
  then
    return;
  end if;
  drop trigger note_updates_changed on docket.task;
  alter table docket.task rename column sys_updated_at to "sys_updated_at$";
  alter table docket.task rename column sys_updated_by to "sys_updated_by$";
  alter table docket.task add column sys_updated_at timestamp(0), add column sys_updated_by bigint;
  -- `using` computes the values while the table is written. An update would run triggers and leave the rows as they were behind.
  alter table docket.task
    alter column sys_updated_at type timestamp(0) using "sys_updated_at$", alter column sys_updated_at set not null,
    alter column sys_updated_at set default docket_system.now_utc(), alter column sys_updated_by type bigint using "sys_updated_by$";
  alter table docket.task drop column "sys_updated_at$", drop column "sys_updated_by$";
  -- From PostgreSQL 18 on "not null" has a name, and the earlier column had taken the usual one: a restored database would have another.
  if exists (select from pg_constraint where conrelid = 'docket.task'::regclass and conname = 'task_sys_updated_at_not_null1') then
    alter table docket.task rename constraint task_sys_updated_at_not_null1 to task_sys_updated_at_not_null;
  end if;
  execute format('create trigger note_updates_changed after update on docket.task
    for each row when (old.sys_updated_at is distinct from new.sys_updated_at) execute function docket_system.record_updates(%L)', task);
end $$;
