-- A chunk that is a part of a table keeps the first row of the table beside its text, and every chunk the page on which it ends.
alter table docket_documents.chunk add column page_to integer, add column repeated text;
