/** Limits of document requests (docs/spec/documents.md, section 1). */
export const documentLimits = {
  fileBytes: 100 * 1024 * 1024,
  /** Of a text that is loaded as text, in UTF-8 bytes. */
  textBytes: 10 * 1024 * 1024,
  /** Of the metadata as JSON, in UTF-8 bytes. */
  metadataBytes: 16 * 1024,
  metadataKeys: 64,
  /** UTF-16 units of a text with a given vector: it is one chunk. */
  textWithVectorUnits: 10_000,
  /** Dimensions of a given vector. */
  vectorNumbers: 16_384,
  /** UTF-16 units. */
  queryUnits: 8_000,
  /** Chunks that a search returns. */
  minK: 1,
  maxK: 1_000,
  defaultK: 4,
  collectionsOfSearch: 128,
  collectionNameUnits: 128,
  /** UTF-8 bytes: it is the key of a database index. */
  docIdBytes: 512,
  /** UTF-16 units. Longer names are rejected, not truncated. */
  fileNameUnits: 255,
  /** Documents per page of content. */
  defaultContentLimit: 100,
  maxContentLimit: 1_000,
  /** Documents per page of a list; without paging a list is complete. */
  maxListLimit: 10_000,
  /** Documents that a list of metadata keys is made of. */
  documentsOfMetadataKeys: 10_000,
  maxMetadataKeys: 1_000,
  /** Values of each key in that list. */
  maxValuesOfMetadataKey: 100,
  /** Characters; longer values are not listed. */
  valueUnitsOfMetadataKeys: 200,
  /** Ranges of chunks per page. */
  maxChunkRanges: 10_000,
} as const
