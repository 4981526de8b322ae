-- A duration under a second has no sign: -0.4 s is 0 s.
create or replace function docket_system.show_duration(value bigint, language text) returns text language sql immutable parallel safe as $$
  select case when value is null then null else
    case when value <= -1000 then '-' else '' end || coalesce(nullif(concat_ws(' ',
      case when abs(greatest(value, -9223372036854775807)) >= 86400000 then (abs(greatest(value, -9223372036854775807)) / 86400000) || case language when 'ru' then ' д' else ' d' end end,
      case when abs(greatest(value, -9223372036854775807)) % 86400000 >= 3600000 then (abs(greatest(value, -9223372036854775807)) % 86400000 / 3600000) || case language when 'ru' then ' ч' else ' h' end end,
      case when abs(greatest(value, -9223372036854775807)) % 3600000 >= 60000 then (abs(greatest(value, -9223372036854775807)) % 3600000 / 60000) || case language when 'ru' then ' мин' else ' m' end end), ''),
      (abs(greatest(value, -9223372036854775807)) / 1000) || case language when 'ru' then ' с' else ' s' end) end
$$;

-- The number and the subject with a blank between them, and none where one is empty. Before version 17, PostgreSQL changes the
-- expression of a generated column by making the column again, with its indexes.
do $$
declare
  expression text := $e$(coalesce(number, '') || case when number <> '' and subject <> '' then ' ' else '' end || coalesce(subject, ''))$e$;
  indexes text[];
  made text;
begin
  if current_setting('server_version_num')::integer >= 170000 then
    execute 'alter table docket.task alter column display_name set expression as ' || expression;
    return;
  end if;
  select coalesce(array_agg(pg_get_indexdef(i.indexrelid)), '{}') into indexes
  from pg_index i where i.indrelid = 'docket.task'::regclass and exists (
    select from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid and d.refobjid = i.indrelid and a.attname = 'display_name');
  alter table docket.task drop column display_name;
  execute 'alter table docket.task add column display_name text generated always as ' || expression || ' stored';
  foreach made in array indexes loop
    execute made;
  end loop;
end $$;
