-- How many records one bulk request changes or deletes (docs/changes.md).

insert into docket.sys_property (name, value, description)
select 'rest.bulk.max', '1000', 'Most records that one bulk request changes or deletes; at most 10000.'
where not exists (select from docket.sys_property where name = 'rest.bulk.max');
