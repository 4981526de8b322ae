import type { Explanation } from '../../acl/explain.ts'
import type { Face, Names } from '../../catalog/vocabulary.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import type { RecordDeps } from '../../records/record-deps.ts'
import type { AccessQuestion } from '../../records/rights/explain-record-access.ts'
import { readServedSysId } from '../../records/translate/find-given-ids.ts'

export interface FaceDeps {
  readonly records: RecordDeps
  /** The API for clients of ServiceNow; null: it is off. */
  readonly face: Face | null
}

type Named = Pick<AccessQuestion, 'table' | 'column' | 'sysId'>

/** A question about rights by the names of another API, by those of the dictionary. */
export async function readNames(
  { table: name, column: columnName, sysId }: Named,
  { records, face }: FaceDeps,
): Promise<Result<Named & { readonly names: Names }, Problem>> {
  if (face === null)
    return fail({ kind: 'bad-parameter', parameter: 'face', found: 'now', expected: 'absent: this API is off' })
  const names = face.namesIn(await records.catalog.upToDate())
  const table = names.tableNamed(name)
  if (table === undefined) return fail({ kind: 'table-not-found', table: name, similar: [] })
  const named = columnName === null ? null : names.columnNamed(table, columnName)
  if (named === undefined) return fail({ kind: 'thing-not-found', thing: 'column', name: `${name}.${columnName}` })
  const column = named === null ? null : (named.via[0]?.column ?? named.stored.column).name
  const read = sysId === null ? null : await readServedSysId(sysId, table, { names, database: records.database })
  return succeed({ table: table.name, column, sysId: read, names })
}

/** Names of the other API beside those of the dictionary. */
export const namesOf = (explanation: Explanation, column: string | null, names: Names) => ({
  table: names.nameOf(explanation.table),
  class: names.nameOf(explanation.class),
  column,
})
