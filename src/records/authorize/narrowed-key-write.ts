import type { Table } from '../../catalog/catalog.ts'
import { narrowedKeyProblem } from '../../identity/narrowed-key.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { RecordRequest } from '../parse/record-request.ts'

type Write = Exclude<RecordRequest['operation'], 'list' | 'read' | 'stats'>

interface Guard {
  /** In the plural, for the message. */
  readonly things: string
  /** Operations that are rejected as a whole. */
  readonly operations: readonly Write[]
  /** Columns that PUT and PATCH must not name. */
  readonly columns: readonly string[]
}

const everyWrite = ['create', 'put', 'patch', 'delete'] as const

/** Tables that decide who signs in and with which roles. Tables below them (`employee`) are guarded with them. */
const GUARDS: ReadonlyMap<string, Guard> = new Map([
  // A disabled user loses every key; an enabled one has access again.
  ['user', { things: 'users', operations: ['create', 'delete'], columns: ['password', 'active', 'user_name'] }],
  ['sys_role', { things: 'roles', operations: everyWrite, columns: [] }],
  ['sys_role_contains', { things: 'roles inside roles', operations: everyWrite, columns: [] }],
  ['sys_user_has_role', { things: 'roles of users', operations: everyWrite, columns: [] }],
  ['sys_group_has_role', { things: 'roles of groups', operations: everyWrite, columns: [] }],
  ['sys_user_group', { things: 'members of groups', operations: everyWrite, columns: [] }],
  // The roles of a group count while the group is active.
  ['sys_group', { things: 'groups', operations: [], columns: ['active'] }],
])

/** Why a narrowed key cannot make this write. The rules of the table come afterwards; they give no more. */
export function narrowedKeyWrite(request: RecordRequest, table: Table, principal: Principal): Problem | undefined {
  if (principal.isNarrowed !== true) return undefined
  const name = table.lineage.find((ancestor) => GUARDS.has(ancestor))
  const guard = name === undefined ? undefined : GUARDS.get(name)
  return guard === undefined ? undefined : narrowedKeyProblem(principal, deniedWrite(request, guard))
}

/** What the request must not do, in words; undefined: it may. */
function deniedWrite({ operation, body }: RecordRequest, guard: Guard): string | undefined {
  const isChange = operation === 'put' || operation === 'patch'
  if (guard.operations.includes(operation as Write)) return `${isChange ? 'change' : operation} ${guard.things}`
  const column = isChange ? guard.columns.find((name) => body.has(name)) : undefined
  return column === undefined ? undefined : `change ${column} of ${guard.things}`
}
