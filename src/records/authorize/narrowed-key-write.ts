import type { Table } from '../../catalog/catalog.ts'
import { type AccessGuard, systemTable } from '../../catalog/system-tables.ts'
import { narrowedKeyProblem } from '../../identity/narrowed-key.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { RecordRequest } from '../parse/record-request.ts'

/** Why a narrowed key cannot make this write. The rules of the table are checked afterwards; they grant no more. */
export function narrowedKeyWrite(request: RecordRequest, table: Table, principal: Principal): Problem | undefined {
  if (principal.isNarrowed !== true) return undefined
  const [guard] = table.ancestors.flatMap((ancestor) => systemTable(ancestor).guard ?? [])
  return guard === undefined ? undefined : narrowedKeyProblem(principal, deniedWrite(request, guard))
}

/** A description of what the request must not do; undefined: the request is allowed. */
function deniedWrite({ operation, body }: RecordRequest, guard: AccessGuard): string | undefined {
  const isChange = operation === 'put' || operation === 'patch'
  if (guard.operations.some((each) => each === operation)) return `${isChange ? 'change' : operation} ${guard.things}`
  const column = isChange ? guard.columns.find((name) => body.has(name)) : undefined
  return column === undefined ? undefined : `change ${column} of ${guard.things}`
}
