/**
 * Parses text of the query language to its tree, or an error with its position, and tells the parts of an unfinished text apart. A separate
 * entry point: most programs only build queries.
 */
export { operandOf, operatorAt } from '../../../src/condition/operator-spellings.ts'
export type { Operator } from '../../../src/condition/operators.ts'
export { parseEncodedQuery, parseMetadataFilter } from '../../../src/condition/parse-encoded-query.ts'
