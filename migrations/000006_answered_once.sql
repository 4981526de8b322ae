-- Answers to creates that came with an Idempotency-Key, for a day: the same request gets the same answer again.
create table docket_system.answered_once (
  user_id bigint not null references docket."user" on delete cascade,
  key text not null,
  -- SHA-256 of what was asked and of the roles that it was asked with.
  request text not null,
  answered_at timestamp(3) not null,
  -- null while the first request is at it; nobody sees that row then.
  headers jsonb,
  body text,
  primary key (user_id, key)
);
create index on docket_system.answered_once (answered_at);
