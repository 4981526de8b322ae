-- A webhook runs with the rights of the user who set its address (docs/changes.md).

select docket_system.define_column('sys_webhook', 'run_as', 'reference', 'Runs with the rights of', 'Работает с правами', '{"reference":"user"}');

-- Who set the address is known where the log of changes reaches back to the create. Elsewhere it is the creator, if they wrote
-- the row last and only administrators may write webhooks. In all other cases nobody: the webhook waits until somebody takes it over.
with addresses as (
  select c.record_id, (array_agg(c.changed_by order by c.position desc) filter (where c.changes ? 'url'))[1] as set_by,
         bool_or(c.operation = 'c') as is_whole
  from docket_system.change c join docket.sys_db_table t on t.sys_id = c.table_id
  where t.name = 'sys_webhook' and c.operation in ('c', 'u') group by c.record_id),
opened as (
  select from docket.sys_security_acl r
  where r.active and r.operation in ('create', 'write') and r.table_name in ('sys_webhook', '*') and coalesce(r.column_name, '') = ''
    and r.roles is distinct from array[(select sys_id::text from docket.sys_role where name = 'admin')])
update docket.sys_webhook w set run_as = (
  select u.sys_id from docket."user" u where u.sys_id = case
    when (select a.is_whole from addresses a where a.record_id = w.sys_id::text) then (select a.set_by from addresses a where a.record_id = w.sys_id::text)
    when w.sys_created_by = w.sys_updated_by and not exists (select from opened) then w.sys_created_by end);

-- With whose rights the payload of a delivery was made. Only that user and administrators read the payload.
alter table docket.sys_webhook_delivery rename column made_for to run_as;
select docket_system.define_column('sys_webhook_delivery', 'run_as', 'reference', 'Made with the rights of', 'Составлено с правами', '{"reference":"user","standing":true,"read_only":true}');
insert into docket.sys_security_acl (operation, table_name, column_name, condition, description)
values ('read', 'sys_webhook_delivery', 'payload', 'run_asDYNAMICme', 'What a delivery holds: for the user whose rights it was made with');
