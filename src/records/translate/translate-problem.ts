import type { Names } from '../../catalog/vocabulary.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { RecordRequest } from '../parse/record-request.ts'

/**
 * Replaces the names of the dictionary in a problem by those of the request's API, and the sys_id by that of the request.
 *
 * @param sysId as the caller wrote it
 */
export function translateProblem<P extends { readonly kind: string }>(
  problem: P,
  { names, table }: Pick<RecordRequest, 'names' | 'table'>,
  sysId: string | null,
): P {
  return names === null ? problem : (renamed(problem as unknown as Problem, { names, table, sysId }) as unknown as P)
}

interface Requested {
  readonly names: Names
  readonly table: string
  readonly sysId: string | null
}

function renamed(problem: Problem, { names, table, sysId }: Requested): Problem {
  switch (problem.kind) {
    case 'table-denied':
    case 'record-denied':
      return { ...problem, table: tableName(problem.table, names) }
    case 'stale':
    case 'record-not-found':
      return { ...problem, table: tableName(problem.table, names), sysId: sysId ?? problem.sysId }
    case 'column-denied':
      return {
        ...problem,
        table: tableName(problem.table, names),
        column: columnName(problem.table, problem.column, names),
      }
    case 'not-unique':
      return {
        ...problem,
        table: tableName(problem.table, names),
        field: columnName(problem.table, problem.field, names),
      }
    case 'invalid-value':
    case 'write-denied':
      return { ...problem, field: columnName(table, problem.field, names) }
    case 'still-referenced':
      return { ...problem, table: tableName(problem.table, names), by: tableName(problem.by, names) }
    default:
      return problem
  }
}

const tableName = (name: string, names: Names): string => names.nameOf(name)
const columnName = (table: string, columns: string, names: Names): string =>
  columns
    .split(', ')
    .map((column) => names.nameOfColumn(table, column))
    .join(', ')
