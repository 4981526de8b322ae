-- A filter without a title stands for an address that would be too long. Whoever may keep filters may open the address that a colleague sends:
-- what it shows depends on their own rights. Installations with rules of their own for sys_filter keep them.
insert into docket.sys_security_acl (operation, table_name, roles, condition, description)
select distinct 'read', 'sys_filter', a.roles, 'titleISEMPTY', 'Filters without a title are addresses that colleagues send'
from docket.sys_security_acl a
where a.table_name = 'sys_filter' and a.operation = 'read' and a.active
  and a.description = 'Shared filters and one''s own' and a.condition = 'user_idISEMPTY^ORuser_idDYNAMICme';
-- As long as a query may be.
update docket.sys_db_column c set max_length = 65536
from docket.sys_db_table t where t.sys_id = c.table_id and t.name = 'sys_filter' and c.column_name = 'condition' and c.max_length < 65536;
