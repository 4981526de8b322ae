/**
 * How PostgreSQL plans a prepared statement. `left-to-it`: five times for the values, then once for all if that seems not worse. `once`:
 * one plan for all values, without knowledge of how many rows a value matches. `for-values`: each time. `unnamed`: each time, and parsed
 * each time; no name is kept on the connection. `for-pattern` and `for-words`: as `unnamed`, and with what the search of parts or of words
 * of texts really costs. In a transaction of the caller, PostgreSQL decides instead of all of these but `unnamed`.
 */
export type Planning = 'left-to-it' | 'once' | 'for-values' | 'unnamed' | 'for-pattern' | 'for-words'
