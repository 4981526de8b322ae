import type { TableEntry } from '../table/table-info.ts'

export const ticketTables = ['itsm_incident', 'itsm_request', 'itsm_change_request', 'itsm_problem', 'task']

/** Those that the user may read, in the order of the sidebar. */
export const ticketTablesIn = (tables: readonly TableEntry[]): readonly TableEntry[] =>
  ticketTables.flatMap((name) => tables.filter((table) => table.name === name))
