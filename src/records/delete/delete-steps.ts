import type { Table } from '../../catalog/catalog.ts'
import { refersToMany } from '../../column-types/column-types.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { IdentityChanged, NumberTaken } from '../run/run-plan.ts'
import { type CollectedDependents, type CollectedRecord, type Dependent, MAX_DEPENDENTS } from './collect-dependents.ts'

/** A request of the caller that a delete makes for a dependent. */
export interface Step extends CollectedRecord {
  readonly operation: 'patch' | 'delete'
  readonly body: ReadonlyMap<string, unknown>
  /** The table whose column refers to the deleted record. */
  readonly by: string
}

/** First the references that are emptied, each record once; then the records that are deleted, those farthest from the root first. */
export function stepsOf(dependents: readonly Dependent[]): readonly Step[] {
  const taken = dependents.filter(({ by }) => !by.byDatabase)
  const cleared = taken.filter(({ by }) => by.action === 'clear')
  const clears = [...Map.groupBy(cleared, ({ table, sysId }) => `${table.name} ${sysId}`).values()].flatMap(clearStep)
  const deletes = taken
    .filter(({ by }) => by.action === 'cascade')
    .map(({ table, sysId, by }): Step => ({ operation: 'delete', table, sysId, body: new Map(), by: by.owner.name }))
  return [...clears, ...deletes.toReversed()]
}

function clearStep(ofRecord: readonly Dependent[]): readonly Step[] {
  const [first] = ofRecord
  if (first === undefined) return []
  const { table, sysId, by } = first
  const body = new Map(ofRecord.map(clearing))
  return [{ operation: 'patch', table, sysId, body, by: by.owner.name }]
}

const clearing = ({ by: { column }, members }: Dependent): readonly [string, unknown] => [
  column.name,
  refersToMany(column) ? { remove: members } : { clear: true },
]

/** Why the delete cannot begin, as far as the caller may read it. */
export function blockingProblem(root: Table, { dependents, isOverBudget }: CollectedDependents): Problem | null {
  if (isOverBudget) return { kind: 'too-many-dependents', max: MAX_DEPENDENTS }
  const keeping = dependents.find(({ by }) => by.action === 'restrict')
  return keeping === undefined ? null : { kind: 'still-referenced', table: root.name, by: keeping.by.owner.name }
}

/** Problems that reveal nothing about the dependent. */
const PASSED: ReadonlySet<string> = new Set(['identity-changed', 'number-taken', 'unavailable', 'over-budget'])

/** Converts the error of a step to that of the delete: the dependent stays as it is, and so does the record. */
export function stepFailed(
  error: Problem | IdentityChanged | NumberTaken,
  { by, operation }: Step,
  root: Table,
): Problem | IdentityChanged | NumberTaken {
  if (PASSED.has(error.kind)) return error
  const isDenied = error.kind.endsWith('-denied')
  return {
    kind: 'still-referenced',
    table: root.name,
    by,
    ...(isDenied ? { denied: operation === 'delete' ? 'delete' : 'write' } : {}),
  }
}
