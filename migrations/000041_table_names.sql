-- Names that paths may use for own tables, so that clients with fixed names of tables that Docket lacks run unchanged (docs/simpleone.md).

insert into docket.sys_property (name, value, description)
select 'rest.table_names', '', 'Other names of tables in paths, comma-separated: sys_widget=widget,sys_script=script.'
where not exists (select from docket.sys_property where name = 'rest.table_names');
