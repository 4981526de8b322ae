-- Decisions of approvers are final (record spec, section 8). Reopening one is a change that history shows.

update docket.sys_db_table set is_audit = true where name = 'sys_approval';
-- The database stamps it (docket_system.stamp_decision).
update docket.sys_db_column c set read_only = true from docket.sys_db_table t
where t.sys_id = c.table_id and t.name = 'sys_approval' and c.column_name = 'decided_at';
