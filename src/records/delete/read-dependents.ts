import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { isOfDictionary } from '../dictionary/change-dictionary.ts'
import { recordRequest } from '../parse/record-request.ts'
import type { Sender } from '../record-call.ts'
import type { RecordDeps } from '../record-deps.ts'
import { DICTIONARY_KEEPS_CHANGING, onCurrentCatalog } from '../retry-on-stale-epoch.ts'
import type { IdentityChanged } from '../run/run-plan.ts'
import { runRecordRequest } from '../run-record-request.ts'
import { MAX_DEPENDENTS } from './collect-dependents.ts'
import { countByColumn, type DependentsOfColumn } from './count-dependents.ts'
import { tryDelete } from './delete-record.ts'

export interface DependentsFound {
  /** The error of a DELETE; null: it would succeed. */
  readonly blocked: Problem | null
  readonly dependents: readonly DependentsOfColumn[]
}

/** Problems of the request itself, which reveal nothing about the record. */
const PASSED: ReadonlySet<string> = new Set(['unavailable', 'over-budget', 'record-not-found'])

type Found = Result<DependentsFound, Problem | IdentityChanged>

export interface DependentsRequest extends Sender {
  readonly table: string
  readonly sysId: string
}

/** What a delete of the record would affect, as far as the caller may read it. */
export async function readDependents(deps: RecordDeps, { table, sysId, ...sender }: DependentsRequest): Promise<Found> {
  const one = { ...sender, request: recordRequest({ operation: 'read', table, sysId, fields: ['sys_id'] }) }
  const read = await runRecordRequest(deps, one)
  if (!read.ok) return read
  if (isOfDictionary(table)) return fail({ kind: 'conflict', detail: OF_DICTIONARY })
  const found = await onCurrentCatalog(deps, async (catalog): Promise<Found | null> => {
    const deletion = { ...sender, request: recordRequest({ operation: 'delete', table, sysId }) }
    const { collected, outcome } = await tryDelete(deps, catalog, deletion)
    if (outcome === null) return null
    const error = outcome.ok ? null : outcome.error
    if (error?.kind === 'identity-changed') return fail(error)
    if (error?.kind === 'number-taken') throw new Error('a delete takes no number')
    if (error !== null && PASSED.has(error.kind)) return fail(error)
    return succeed({ blocked: error, dependents: countByColumn(collected?.dependents ?? [], MAX_DEPENDENTS) })
  })
  return found ?? fail(DICTIONARY_KEEPS_CHANGING)
}

const OF_DICTIONARY =
  'the record is part of the dictionary, and its DELETE says what would be lost; nothing else is known before'
