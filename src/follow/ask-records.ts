import { allOf } from '../condition/combine-conditions.ts'
import type { ConditionTree } from '../condition/condition-tree.ts'
import type { LoadedPrincipal } from '../identity/load-principal.ts'
import { refuse } from '../kernel/result.ts'
import type { RecordRoom } from '../records/record-room.ts'
import { RecordService } from '../records/record-service.ts'
import type { ShownRecord } from './write-text.ts'

/** Records asked for at once. */
export const recordsAtOnce = 100

export interface RecordsAsked {
  readonly records: RecordRoom
  /** With whose rights. */
  readonly holder: LoadedPrincipal
  readonly table: string
  /** Conditions that must all hold; null holds always. */
  readonly conditions: readonly (ConditionTree | null)[]
  readonly fields: readonly string[]
  /** `*`: from the beginning; null: only one page is wanted. */
  readonly cursor: string | null
}

export interface AskedRecord extends ShownRecord {
  readonly sys_id: unknown
  /** As people read it. */
  readonly shown: ShownRecord
}

export interface RecordPage {
  readonly rows: readonly AskedRecord[]
  /** Where the next page begins; null: there is none. */
  readonly next: string | null
}

/** Records by the Table API's own way. */
export async function askRecords(asked: RecordsAsked): Promise<RecordPage> {
  const { records, holder, table, conditions, fields, cursor } = asked
  const service = new RecordService(records, {
    baseUrl: '',
    rights: () => holder,
    renew: async () => refuse({ kind: 'unavailable', detail: 'their roles changed meanwhile', retryAfterSeconds: 1 }),
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
      shown: part(record, 'display_value'),
    })),
    next: page.value.next,
  }
}

function allOfThem(conditions: readonly (ConditionTree | null)[]): ConditionTree | null {
  const [first, ...more] = conditions.filter((condition) => condition !== null)
  return first === undefined ? null : allOf([first, ...more])
}

type BothWays = Readonly<Record<string, { readonly value: unknown; readonly display_value: unknown }>>

const part = (record: BothWays, which: 'value' | 'display_value'): ShownRecord =>
  Object.fromEntries(Object.entries(record).map(([name, both]) => [name, both[which]]))
