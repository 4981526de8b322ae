import type { Catalog, Table } from './catalog.ts'

/** Names that SimpleOne gives to built-in tables, each with the name here (docs/simpleone.md). */
const NAMES_ELSEWHERE: ReadonlyMap<string, string> = new Map([['sys_filter_option_dynamic', 'sys_dynamic_option']])

/** The table that a path names. A table of this name comes first. */
export function tableNamed(name: string, { tables }: Pick<Catalog, 'tables'>): Table | undefined {
  return tables.get(name) ?? tables.get(NAMES_ELSEWHERE.get(name) ?? '')
}
