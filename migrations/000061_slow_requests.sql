-- Shapes of record requests whose statements were slow (docket records slow). No value of a request is kept, and no name of a user.
create table docket_system.slow_request (
  -- Hash of the other columns that tell one shape from another.
  id text primary key,
  table_name text not null,
  operation text not null,
  -- Condition and orders, with ? for each value.
  shape text not null,
  has_total boolean not null,
  -- Whether a rule lets the callers see some records only.
  has_rule boolean not null,
  -- How the page was named: by its beginning, by an offset, by a cursor; null: it is no list.
  page text,
  -- Since the shape was slow for the first time.
  runs bigint not null,
  slow_runs bigint not null,
  total_ms double precision not null,
  max_ms double precision not null,
  -- Runs by their time: each number counts those up to a bound that is 2^(1/4) times the one before.
  histogram bigint[] not null,
  -- Of lists: rows that were sent.
  rows_returned bigint not null,
  -- Of one run that was looked at: rows and pages that PostgreSQL read; null: none was yet.
  rows_read bigint,
  pages_read bigint,
  first_at timestamp(0) not null,
  last_at timestamp(0) not null,
  -- Indexes that would serve it, as the server that ran it saw the dictionary: table, column_names, purpose.
  indexes jsonb not null
);
create index on docket_system.slow_request (last_at);
