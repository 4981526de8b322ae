-- State 8, Canceled, for all tasks; why an incident is on hold.

insert into docket.sys_choice (table_id, column_id, value, title, language, "order")
select t.sys_id, c.sys_id, '8', l.title, l.language, 85
from docket.sys_db_table t
join docket.sys_db_column c on c.table_id = t.sys_id and c.column_name = 'state'
cross join (values ('en', 'Canceled'), ('ru', 'Отменена')) as l (language, title)
where t.name = 'task'
on conflict do nothing;

-- From every state that is not final. A model that an administrator replaced stays as it is.
insert into docket.sys_state_transition (state_model_id, from_state, to_state, is_final)
select m.sys_id, s.from_state, '8', true
from docket.sys_state_model m
join docket.sys_db_table t on t.sys_id = m.table_id and t.name = 'itsm_incident'
cross join (values ('0'), ('1'), ('2'), ('3'), ('4'), ('5'), ('6'), ('7')) as s (from_state)
where m.name = 'Incidents' and m.active
  and not exists (select from docket.sys_state_transition x where x.state_model_id = m.sys_id and (x.from_state = '8' or x.to_state = '8'));

select docket_system.define_column('itsm_incident', 'hold_reason', 'choice', 'On hold reason', 'Причина ожидания');
select docket_system.define_choices('itsm_incident', 'hold_reason', '[["1","Awaiting caller","Ожидает инициатора"],["3","Awaiting problem","Ожидает проблему"],["4","Awaiting vendor","Ожидает поставщика"],["5","Awaiting change","Ожидает изменение"]]');
