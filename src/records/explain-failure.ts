import type { Catalog, Column, Table } from '../catalog/catalog.ts'
import type { DatabaseFailure } from '../database/database-failure.ts'
import type { Action, Problem } from '../kernel/problem.ts'

/** What PostgreSQL refused, in the words of the dictionary; null when it is no refusal that a caller can cause. */
export function explainFailure(failure: DatabaseFailure, table: Table, catalog: Catalog): Problem | null {
  switch (failure.code) {
    case 'DK001':
      return explainRefusal(failure, table)
    case '23505':
      return { kind: 'not-unique', table: table.name, field: fieldIn(failure.detail, table) }
    case '23503':
      return explainForeignKey(failure, table, catalog)
    case '23502':
      return { kind: 'invalid-value', field: '', detail: 'a value is missing that the database asks for' }
    // Numeric value out of range: an increment beyond what the column holds.
    case '22003':
      return { kind: 'invalid-value', field: '', detail: 'the number is out of the range of its column' }
    case '22007':
    case '22008':
    case '22P02':
      return {
        kind: 'bad-parameter',
        parameter: 'sysparm_cursor',
        found: '',
        expected: 'a cursor of an earlier answer of the same query',
      }
    // The statement ran into the time limit.
    case '57014':
      return {
        kind: 'over-budget',
        detail:
          'the database did not finish within the time that one request may take; narrow the query, or leave out the count with sysparm_no_count=1',
      }
    // Deadlock or serialization: another writer won; the same request may be sent again.
    case '40P01':
    case '40001':
      return {
        kind: 'unavailable',
        detail: 'another write of the same records came first; send the request again',
        retryAfterSeconds: 1,
      }
    default:
      return null
  }
}

interface Refusal {
  readonly kind: 'record-denied' | 'column-denied' | 'too-long'
  readonly action?: Action
  readonly column?: string
  readonly maxLength?: number
}

/** docket_system.refuse: what could only be judged on the written row. */
function explainRefusal(failure: DatabaseFailure, table: Table): Problem {
  const refusal = JSON.parse(failure.detail) as Refusal
  const action = refusal.action ?? 'write'
  switch (refusal.kind) {
    case 'record-denied':
      return { kind: 'record-denied', action, table: table.name }
    case 'column-denied':
      return { kind: 'column-denied', action, table: table.name, column: refusal.column ?? '', where: 'body' }
    case 'too-long':
      return {
        kind: 'invalid-value',
        field: refusal.column ?? '',
        detail: `at most ${refusal.maxLength} characters fit`,
      }
  }
}

function explainForeignKey(failure: DatabaseFailure, table: Table, catalog: Catalog): Problem {
  if (failure.detail.includes('is not present')) {
    return { kind: 'invalid-value', field: fieldIn(failure.detail, table), detail: 'there is no such record' }
  }
  const by = [...catalog.tables.values()].find((each) => each.parent === null && each.storage.table === failure.table)
  return { kind: 'still-referenced', table: table.name, by: by?.name ?? 'another table' }
}

/** PostgreSQL names the key as `Key (docket_system.fold(number))=(…)` or `Key (company)=(…)`. */
function fieldIn(detail: string, table: Table): string {
  const key = /^Key \((.*?)\)=/.exec(detail)?.[1] ?? ''
  const words = new Set(key.split(/[^A-Za-z0-9_]+/))
  const hit = (column: Column): boolean => column.storage !== null && words.has(column.storage)
  return [...table.columns.values()]
    .filter(hit)
    .map((column) => column.name)
    .join(', ')
}
