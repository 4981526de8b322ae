-- Tables that stood in the database before Docket and are served as they are (docs/adoption.md). Their rows have neither a sys_id
-- nor the columns of the system: the key is served as sys_id, and what the others would tell is not there.

alter table docket.sys_db_table
  -- PostgreSQL's key column of an adopted table; null: the table is Docket's own.
  add column adopted_key text,
  -- PostgreSQL makes no key: whoever creates a record gives it.
  add column adopted_key_given boolean not null default false,
  -- A view, or a table that Docket's role may not write.
  add column adopted_read_only boolean not null default false;

-- PostgreSQL's type of the column, where values have to be converted on their way to and from the dictionary's type.
alter table docket.sys_db_column add column storage_cast text;
