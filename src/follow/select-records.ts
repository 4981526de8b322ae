import { allOf } from '../condition/combine-conditions.ts'
import type { ConditionTree } from '../condition/condition-tree.ts'
import type { LoadedPrincipal } from '../identity/load-principal.ts'
import { fail } from '../kernel/result.ts'
import type { RecordDeps } from '../records/record-deps.ts'
import { RecordService } from '../records/record-service.ts'
import type { DisplayedRecord } from './write-text.ts'

/** Records of one statement. */
export const recordsAtOnce = 100

export interface RecordSelection {
  readonly records: RecordDeps
  /** With whose rights. */
  readonly runAs: LoadedPrincipal
  readonly table: string
  /** Conditions that must all hold; null holds always. */
  readonly conditions: readonly (ConditionTree | null)[]
  readonly fields: readonly string[]
  /** `*`: from the beginning; null: only one page is wanted. */
  readonly cursor: string | null
}

export interface SelectedRecord extends DisplayedRecord {
  readonly sys_id: unknown
  /** As people read it. */
  readonly displayed: DisplayedRecord
}

export interface RecordPage {
  readonly rows: readonly SelectedRecord[]
  /** Where the next page begins; null: there is none. */
  readonly next: string | null
}

/** Records by the Table API's own way. */
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
  // Also when roles changed a moment ago: the turn is made again.
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
