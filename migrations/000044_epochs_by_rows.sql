-- A write that changes no row raises no epoch, which would make every process read the dictionary, or roles, again. Triggers of
-- statements run for no rows, too, so each looks into its transition tables. A trigger with these has one event and no list of columns.

create or replace function docket_system.raise_catalog_epoch() returns trigger language plpgsql as $$
declare
  reached bigint;
begin
  -- Two conditions, because PostgreSQL reads each as a whole, and a truncate has no transition table.
  if tg_op <> 'TRUNCATE' then
    if not exists (select from touched) then
      return null;
    end if;
  end if;
  update docket_system.epoch set catalog = catalog + 1 returning catalog into reached;
  insert into docket_system.catalog_part values (tg_table_name, reached) on conflict (name) do update set epoch = reached;
  if tg_op = 'TRUNCATE' then
    insert into docket_system.changed_table values (reached, null);
  end if;
  return null;
end $$;

create or replace function docket_system.raise_identity_epoch() returns trigger language plpgsql as $$
begin
  if tg_op <> 'TRUNCATE' then
    if not exists (select from touched) then
      return null;
    end if;
  end if;
  update docket_system.epoch set identity = identity + 1;
  return null;
end $$;

-- Of an update: only if a value of the columns that the trigger names differs.
create function docket_system.raise_identity_epoch_for_columns() returns trigger language plpgsql as $$
declare
  key text := tg_argv[0];
  columns text[] := tg_argv[1:];
begin
  if exists (
    select from (select to_jsonb(g) as old from gone g) g join (select to_jsonb(m) as new from made m) m on g.old ->> key = m.new ->> key,
      unnest(columns) as c (name) where g.old -> c.name is distinct from m.new -> c.name) then
    update docket_system.epoch set identity = identity + 1;
  end if;
  return null;
end $$;

-- The names sort before those of the triggers that call note_changed_tables: the epoch is raised first.
create function docket_system.raise_epoch_by_rows(watched regclass, function text, events text[]) returns void language plpgsql as $$
declare
  event text;
begin
  foreach event in array events loop
    execute format('create trigger %I after %s on %s %s for each statement execute function docket_system.%I()',
      function || '_by_' || event, event, watched,
      case event when 'insert' then 'referencing new table as touched' when 'truncate' then '' else 'referencing old table as touched' end, function);
  end loop;
end $$;

do $$
declare
  watched text;
  every_event text[] := array['insert', 'update', 'delete', 'truncate'];
begin
  drop trigger raise_catalog_epoch_emptied on docket.sys_role;
  drop trigger raise_identity_epoch_emptied on docket.sys_role;
  foreach watched in array array['sys_db_table', 'sys_db_column', 'sys_db_column_type', 'sys_translated_text', 'sys_choice', 'sys_property', 'sys_number',
    'sys_ui_form', 'sys_ui_form_section', 'sys_ui_form_element', 'sys_security_acl', 'sys_dynamic_option', 'sys_role', 'sys_state_model', 'sys_state_transition'] loop
    execute format('drop trigger raise_catalog_epoch on docket.%I', watched);
    perform docket_system.raise_epoch_by_rows(format('docket.%I', watched)::regclass, 'raise_catalog_epoch', every_event);
  end loop;
  foreach watched in array array['sys_role', 'sys_role_contains', 'sys_user_has_role', 'sys_user_group', 'sys_group_has_role'] loop
    execute format('drop trigger raise_identity_epoch on docket.%I', watched);
    perform docket_system.raise_epoch_by_rows(format('docket.%I', watched)::regclass, 'raise_identity_epoch', every_event);
  end loop;
end $$;

drop trigger raise_identity_epoch on docket."user";
select docket_system.raise_epoch_by_rows('docket."user"', 'raise_identity_epoch', array['delete', 'truncate']);
create trigger raise_identity_epoch_by_update after update on docket."user" referencing old table as gone new table as made for each statement
  execute function docket_system.raise_identity_epoch_for_columns('sys_id', 'user_name', 'password', 'active', 'language', 'time_zone', 'display_name');

drop trigger raise_identity_epoch_for_groups on docket.sys_group;
select docket_system.raise_epoch_by_rows('docket.sys_group', 'raise_identity_epoch', array['delete']);
create trigger raise_identity_epoch_by_update after update on docket.sys_group referencing old table as gone new table as made for each statement
  execute function docket_system.raise_identity_epoch_for_columns('sys_id', 'active');

drop trigger raise_identity_epoch on docket_system.user_generation;
select docket_system.raise_epoch_by_rows('docket_system.user_generation', 'raise_identity_epoch', array['insert', 'update']);

drop trigger raise_identity_epoch on docket_system.access_key;
create trigger raise_identity_epoch_by_update after update on docket_system.access_key referencing old table as gone new table as made for each statement
  execute function docket_system.raise_identity_epoch_for_columns('sys_id', 'key_hash', 'kind', 'user_id', 'roles', 'generation', 'expires_at', 'revoked_at');

drop function docket_system.raise_epoch_by_rows;
