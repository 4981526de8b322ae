-- State models, approvals, choices that depend on another column's value.

do $$
declare
  watched text;
begin
  foreach watched in array array['sys_state_model', 'sys_state_transition'] loop
    execute format('create trigger raise_catalog_epoch after insert or update or delete or truncate on docket.%I for each statement execute function docket_system.raise_catalog_epoch()', watched);
  end loop;
end $$;

-- ── the shipped flow of incidents (record spec, section 8) ───────────────────────────────────────────────────────────

-- `<previous>`: back to the state that the record was in before.
with model as (
  insert into docket.sys_state_model (name, table_id, active)
  select 'Incidents', sys_id, true from docket.sys_db_table where name = 'itsm_incident' returning sys_id)
insert into docket.sys_state_transition (state_model_id, from_state, to_state, is_final)
select model.sys_id, t.from_state, t.to_state, t.to_state = '10'
from model, (values ('0', '1'), ('0', '2'), ('1', '2'), ('1', '3'), ('1', '7'), ('2', '1'), ('2', '4'), ('2', '3'), ('2', '5'), ('2', '7'),
  ('3', '<previous>'), ('4', '<previous>'), ('5', '<previous>'), ('7', '1'), ('7', '2'), ('7', '6'), ('7', '10'), ('6', '1'), ('6', '2')) as t (from_state, to_state);

-- ── approvals ────────────────────────────────────────────────────────────────────────────────────────────────────────

-- When an approver has decided, and that they have not.
create function docket_system.stamp_decision() returns trigger language plpgsql as $$
begin
  if new.state in ('approved', 'rejected') then
    if tg_op = 'INSERT' or old.state is distinct from new.state then
      new.decided_at := docket_system.now_utc();
    end if;
  else
    new.decided_at := null;
  end if;
  return new;
end $$;
create trigger stamp_decision before insert or update of state on docket.sys_approval
  for each row execute function docket_system.stamp_decision();

-- A task is rejected when one approver rejects it, and approved when all have approved; who was canceled does not count.
-- The task is locked first: of two approvers who decide at once the second counts both.
create function docket_system.sum_up_approvals(of_task bigint, by_user bigint) returns void language plpgsql as $$
declare
  old_row jsonb;
  new_row jsonb;
  outcome text;
begin
  select to_jsonb(t) into old_row from docket.task t where t.sys_id = of_task for update;
  if not found then
    return;
  end if;
  select case when count(*) filter (where a.state <> 'canceled') = 0 then case when count(*) > 0 then 'canceled' else 'not_requested' end
              when bool_or(a.state = 'rejected') then 'rejected'
              when bool_and(a.state in ('approved', 'canceled')) then 'approved'
              when bool_and(a.state in ('not_requested', 'canceled')) then 'not_requested'
              else 'requested' end
    into outcome from docket.sys_approval a where a.task = of_task;
  update docket.task t set approval_state = outcome, sys_updated_at = docket_system.now_utc(), sys_updated_by = coalesce(by_user, t.sys_updated_by)
  where t.sys_id = of_task and t.approval_state is distinct from outcome returning to_jsonb(t) into new_row;
  if new_row is not null then
    perform docket_system.note_change(old_row, new_row, by_user);
  end if;
end $$;

create function docket_system.follow_approvals() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform docket_system.sum_up_approvals(old.task, coalesce(new.sys_updated_by, old.sys_updated_by));
  end if;
  if tg_op <> 'DELETE' and (tg_op = 'INSERT' or new.task is distinct from old.task) then
    perform docket_system.sum_up_approvals(new.task, new.sys_updated_by);
  end if;
  return null;
end $$;
create trigger follow_approvals after insert or delete or update of state, task on docket.sys_approval
  for each row execute function docket_system.follow_approvals();

-- ── choices that depend on another column's value ────────────────────────────────────────────────────────────────────

alter table docket.sys_db_column add column dependent_on text;
select docket_system.define_column('sys_db_column', 'dependent_on', 'field_name', 'Choices depend on the column', 'Варианты зависят от колонки', '{"standing":true,"max_length":60}');
alter table docket.sys_choice add column dependent_value text;
select docket_system.define_column('sys_choice', 'dependent_value', 'string', 'For this value of that column', 'Для этого значения той колонки', '{"standing":true,"max_length":255}');
-- One value may stand under several values of the other column.
alter table docket.sys_choice drop constraint sys_choice_table_id_column_id_value_language_key;
create unique index on docket.sys_choice (table_id, column_id, value, language, coalesce(dependent_value, ''));

select docket_system.define_column('itsm_task', 'subcategory', 'choice', 'Subcategory', 'Подкатегория');
update docket.sys_db_column set dependent_on = 'category' where column_name = 'subcategory';
select docket_system.define_choices('itsm_task', 'subcategory', (
  select jsonb_agg(jsonb_build_array(value, en, ru)) from (values
    ('password', 'Password', 'Пароль'), ('permissions', 'Permissions', 'Права'), ('account', 'Account', 'Учётная запись'),
    ('computer', 'Computer', 'Компьютер'), ('monitor', 'Monitor', 'Монитор'), ('peripherals', 'Peripherals', 'Периферия'),
    ('operating_system', 'Operating system', 'Операционная система'), ('office', 'Office', 'Офисные программы'), ('installation', 'Installation', 'Установка'),
    ('wifi', 'Wi-Fi', 'Wi-Fi'), ('vpn', 'VPN', 'VPN'), ('lan', 'Local network', 'Локальная сеть'),
    ('mailbox', 'Mailbox', 'Почтовый ящик'), ('calendar', 'Calendar', 'Календарь'), ('spam', 'Spam', 'Спам')) as v (value, en, ru)));
update docket.sys_choice s set dependent_value = d.category
from docket.sys_db_column c, (values ('access', 'password'), ('access', 'permissions'), ('access', 'account'), ('hardware', 'computer'), ('hardware', 'monitor'),
  ('hardware', 'peripherals'), ('software', 'operating_system'), ('software', 'office'), ('software', 'installation'), ('network', 'wifi'),
  ('network', 'vpn'), ('network', 'lan'), ('mail', 'mailbox'), ('mail', 'calendar'), ('mail', 'spam')) as d (category, value)
where c.sys_id = s.column_id and c.column_name = 'subcategory' and d.value = s.value;
