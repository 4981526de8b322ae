-- Every process has an index of its own, in its memory. What `docket documents verify` and `reindex` want of all of them
-- stands here: processes say that they are there, take up checks and report.

-- A process that serves documents, for as long as it says so again and again.
create table docket_documents.process (
  id uuid primary key,
  -- For people: where it runs.
  host text not null,
  process_id integer not null,
  seen_at timestamp(3) not null
);

-- A wish that every process compare its index with the database.
create table docket_documents.index_check (
  id bigint generated always as identity primary key,
  asked_at timestamp(3) not null
);

-- How far a process is with a check.
create table docket_documents.index_report (
  check_id bigint not null references docket_documents.index_check on delete cascade,
  process_id uuid not null references docket_documents.process on delete cascade,
  stage text not null check (stage in ('rebuilding', 'comparing', 'done', 'failed')),
  -- Documents.
  done bigint not null default 0,
  of bigint not null default 0,
  -- When done: {documents, chunks, differences, examples}. When failed: {trouble}.
  result jsonb,
  primary key (check_id, process_id)
);
