import type { Planning } from '../kernel/statement-planning.ts'

/** Settings of PostgreSQL's planner for one statement. */
export interface PlanMode {
  /** The name under which a connection keeps `text`. */
  readonly name: string
  readonly text: string
  /** The expressions of `text`, for a select that has others, too. They end with the transaction. */
  readonly call: string
}

/**
 * Keeps exact positions of the rows that match in a table of 7 GB. With less, PostgreSQL remembers only the pages of a frequent pattern, and
 * compares every row on them.
 */
const largeBitmap = `set_config('work_mem', case when pg_size_bytes(current_setting('work_mem')) < 67108864 then '64MB' else current_setting('work_mem') end, true)`

/**
 * PostgreSQL expects that an entry of an index costs half as much as a row. In an index of parts of texts it takes some eight times that: a
 * pattern has several lists of entries, which are all compared.
 */
const dearEntries = `set_config('cpu_index_tuple_cost', '0.04', true)`

const MODES: { readonly [P in Planning]?: PlanMode } = {
  once: modeOf('docket_force_generic_plan', `set_config('plan_cache_mode', 'force_generic_plan', true)`),
  'for-values': modeOf('docket_force_custom_plan', `set_config('plan_cache_mode', 'force_custom_plan', true)`),
  'for-pattern': modeOf('docket_for_pattern', `${dearEntries}, ${largeBitmap}`),
  'for-words': modeOf('docket_for_words', largeBitmap),
}

function modeOf(name: string, call: string): PlanMode {
  return { name, text: `select ${call}`, call }
}

/** null: the settings of the connection. */
export const planModeOf = (planning: Planning | undefined): PlanMode | null =>
  planning === undefined ? null : (MODES[planning] ?? null)

/** Whether PostgreSQL parses the statement each time, without a name. */
export const isUnnamed = (planning: Planning | undefined): boolean =>
  planning === 'unnamed' || planning === 'for-pattern' || planning === 'for-words'
