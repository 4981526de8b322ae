-- A write that finds its caller or the dictionary out of date writes nothing and is run again. Triggers of statements run for no
-- rows, too: a role concerns both epochs, so each of the two turns raised the epoch that the other one had just read again, and of
-- two roles that were created one after another the second never was.
drop trigger raise_catalog_epoch on docket.sys_role;
drop trigger raise_identity_epoch on docket.sys_role;
create trigger raise_catalog_epoch after insert or update or delete on docket.sys_role
  for each row execute function docket_system.raise_catalog_epoch();
create trigger raise_identity_epoch after insert or update or delete on docket.sys_role
  for each row execute function docket_system.raise_identity_epoch();
create trigger raise_catalog_epoch_emptied after truncate on docket.sys_role
  for each statement execute function docket_system.raise_catalog_epoch();
create trigger raise_identity_epoch_emptied after truncate on docket.sys_role
  for each statement execute function docket_system.raise_identity_epoch();
