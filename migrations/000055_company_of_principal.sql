-- gs.getUser().getCompanyID() is computed from the caller in memory, so a change of a user's company ends what is in memory.
drop trigger raise_identity_epoch_by_update on docket."user";
create trigger raise_identity_epoch_by_update after update on docket."user" referencing old table as gone new table as made for each statement
  execute function docket_system.raise_identity_epoch_for_columns('sys_id', 'user_name', 'password', 'active', 'language', 'time_zone', 'display_name', 'company');
