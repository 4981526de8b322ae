-- With DOCKET_SEARCH=lancedb the postings of a large segment are in a table of LanceDB instead of its file.

alter table docket_documents.segment
  -- The name of the table, 32 hexadecimal digits; null: the file has the postings.
  add column table_name text collate "C" check (table_name ~ '^[0-9a-f]{32}$');
