-- The encoding in which the caller wants a queued file read; null: the file is asked.
alter table docket_documents.load add column charset text;
