/** Text of the query language to its tree, or the error with its position. An entry of its own: most programs only build queries. */
export { parseEncodedQuery } from '../../../src/condition/parse-encoded-query.ts'
