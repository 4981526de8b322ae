-- Reads by replicas (DOCKET_DATABASE_READ_URLS) show a state that is at most this old.
insert into docket.sys_property (name, value, description)
select 'read.max_lag_ms', '1000', 'Lists and reads from replicas of the database show a state that is at most this many milliseconds old, up to 60000; 0: only the primary is read.'
where not exists (select from docket.sys_property where name = 'read.max_lag_ms');
