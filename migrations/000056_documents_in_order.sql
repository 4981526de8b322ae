-- The index of a process is built from the documents of a collection in the order of their ids, a page at a time.
create index document_of_collection on docket_documents.document (collection_id, id);
