/** Descriptions of path parameters that several operations share. */
export const TABLE_PATH = { table: 'System name of a table, such as task.' } as const
export const SYS_ID_PATH = {
  sys_id: 'Identifier of the record: digits; of an adopted table what its key is, percent-encoded.',
} as const
export const RECORD_PATH = { ...TABLE_PATH, ...SYS_ID_PATH } as const
