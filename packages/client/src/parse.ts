/**
 * Parses text of the query language to its tree, or an error with its position. A separate entry point: most programs only build queries.
 */
export { parseEncodedQuery, parseMetadataFilter } from '../../../src/condition/parse-encoded-query.ts'
