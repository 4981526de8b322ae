-- The histories of this database: a new one begins where a standby was promoted, or the data of an earlier time was restored. What the
-- history before had after `fork_position` may be lost. No number of it is given again: the log of changes goes on at `first_position`.
create table docket_system.database_history (
  number integer primary key,
  id uuid not null default gen_random_uuid(),
  -- System identifier and timeline of the server.
  server text not null,
  -- The last change of the log that this history has from the one before.
  fork_position bigint not null,
  -- Changes of this history have this sequence number or a higher one.
  first_position bigint not null,
  began_at timestamp(3) not null default (clock_timestamp() at time zone 'UTC')
);
