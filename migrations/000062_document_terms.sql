-- What the words of a document's chunks are to the index, made once by its load. An index that begins anew, and every process that
-- follows the change log, takes these bytes instead of making them again from the texts. A document without a row, or with one
-- that another version made, is read from its texts; whoever does so writes the row.
--
-- Written and cleared away with the chunks, and like these without a foreign key.
create table docket_documents.document_terms (
  document_id bigint primary key,
  -- `termsMadeAs`: versions of the analyzer and of the layout.
  made_as text collate "C" not null,
  -- src/search-engine/segments/packed-terms.ts; with a checksum.
  terms bytea not null
);
-- They are short already, and are read by the thousand.
alter table docket_documents.document_terms alter column terms set storage external;
