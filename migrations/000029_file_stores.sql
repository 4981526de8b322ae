-- Which store of files each process uses. Servers of one database must share it; two that do not are told so.

create table docket_documents.file_store_use (
  -- Number of the process (docket_documents.worker_number); its row counts while the process holds the lock of this number.
  worker bigint primary key,
  -- Equal for processes that share the store.
  file_store text not null,
  began_at timestamp(3) not null default (clock_timestamp() at time zone 'UTC')
);
