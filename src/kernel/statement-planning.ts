/**
 * How PostgreSQL plans a prepared statement. `left-to-it`: five times for the values, then once for all if that seems no worse. `once`: one plan
 * for all values, in which it does not know how many rows a value matches. `for-values`: each time. `unnamed`: each time, and parsed each
 * time; no name is kept on the connection. In a transaction of the caller, `once` and `for-values` are left to PostgreSQL.
 */
export type Planning = 'left-to-it' | 'once' | 'for-values' | 'unnamed'
