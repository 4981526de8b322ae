import { allOf } from '../condition/combine-conditions.ts'
import type { ConditionTree } from '../condition/condition-tree.ts'
import type { LoadedPrincipal } from '../identity/load-principal.ts'
import { fail } from '../kernel/result.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { RecordService } from '../records/record-service.ts'
import type { DisplayedRecord } from './write-text.ts'

/** Records per statement. */
export const recordsAtOnce = 100

export interface RecordSelection {
  readonly records: RecordDeps
  /** The principal whose rights apply. */
  readonly runAs: LoadedPrincipal
  readonly table: string
  /** All conditions must hold; null always holds. */
  readonly conditions: readonly (ConditionTree | null)[]
  readonly fields: readonly string[]
  /** `*`: from the beginning; null: only one page is requested. */
  readonly cursor: string | null
}

export interface SelectedRecord extends DisplayedRecord {
  readonly sys_id: unknown
  /** Display values. */
  readonly displayed: DisplayedRecord
}

export interface RecordPage {
  readonly rows: readonly SelectedRecord[]
  /** Cursor of the next page; null: this page is the last. */
  readonly next: string | null
}

/** Reads records through the Table API. */
export async function selectRecords(requested: RecordSelection): Promise<RecordPage> {
  const { records, runAs, table, conditions, fields, cursor } = requested
  const service = new RecordService(records, {
    baseUrl: '',
    rights: () => runAs,
    renew: async () => fail({ kind: 'unavailable', detail: 'their roles changed meanwhile', retryAfterSeconds: 1 }),
    run: (_userId, work) => work(),
  })
  const page = await service.list({
    table,
    query: { where: allOfThem(conditions), orders: [] },
    fields: ['sys_id', ...fields],
    display: 'all',
    limit: recordsAtOnce,
    cursor,
  })
  // This also happens when roles have just changed; the turn runs again.
  if (!page.ok) throw new Error(`the records cannot be read: ${JSON.stringify(page.error)}`)
  return {
    rows: (page.value.records.rows() as readonly BothWays[]).map((record) => ({
      ...part(record, 'value'),
      sys_id: record['sys_id']?.value,
      displayed: part(record, 'display_value'),
    })),
    next: page.value.next,
  }
}

function allOfThem(conditions: readonly (ConditionTree | null)[]): ConditionTree | null {
  const [first, ...more] = conditions.filter((condition) => condition !== null)
  return first === undefined ? null : allOf([first, ...more])
}

type BothWays = Readonly<Record<string, { readonly value: unknown; readonly display_value: unknown }>>

const part = (record: BothWays, which: 'value' | 'display_value'): DisplayedRecord =>
  Object.fromEntries(Object.entries(record).map(([name, both]) => [name, both[which]]))
