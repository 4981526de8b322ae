/** What a document request may hold (docs/spec/documents.md, section 1). */
export const documentLimits = {
  fileBytes: 100 * 1024 * 1024,
  /** Of a text that is loaded as text, in UTF-8. */
  textBytes: 10 * 1024 * 1024,
  /** Of the metadata as JSON, in UTF-8. */
  metadataBytes: 16 * 1024,
  metadataKeys: 64,
  /** UTF-16 units of a text whose vector is given: it is one chunk. */
  textWithVectorUnits: 10_000,
  /** Numbers of a vector that is given. */
  vectorNumbers: 16_384,
  /** UTF-16 units. */
  queryUnits: 8_000,
  /** Chunks that a search returns. */
  leastK: 1,
  mostK: 1_000,
  defaultK: 4,
  collectionsOfSearch: 128,
  collectionNameUnits: 128,
  /** UTF-8 bytes: it is a key of an index of the database. */
  docIdBytes: 512,
  /** UTF-16 units; longer names are cut by no one, they are refused. */
  fileNameUnits: 255,
  /** Documents of one page of content. */
  defaultContentLimit: 100,
  mostContentLimit: 1_000,
  /** Documents of one page of a list; without a page a list is whole. */
  mostListLimit: 10_000,
} as const
