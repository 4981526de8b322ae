import { isReadOnly } from '../../catalog/catalog.ts'
import { type QueryShape, shapeOfQuery } from '../../condition/comparison-shape.ts'
import type { EncodedQuery } from '../../condition/condition-tree.ts'
import { LastResults } from '../../kernel/last-results.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import type { AuthorizedRequest, AuthorizedWrite } from '../authorize/authorized-request.ts'
import { type CursorKeys, cursorOrderOf, readCursor } from '../cursor.ts'
import { countLimitOf, limitOf } from '../page-limit.ts'
import { takesNames } from '../parse/record-request.ts'
import { type Instruction, readInstruction } from '../plan/instructions.ts'
import { isNamed, markOfFind, markOfMembers } from '../plan/plan-find.ts'
import { planRecordRequest } from '../plan/plan-record-request.ts'
import type { RecordDeps } from '../record-deps.ts'
import { type PreparedPlan, preparePlan } from './prepare-plan.ts'

/** The plan of a request, with parts of the request from which its parameters are filled. */
export interface FoundPlan {
  readonly prepared: PreparedPlan
  readonly shape: QueryShape
  readonly after: CursorKeys
}

/** Common page sizes, which are constants of statements. Others are parameters, so that a caller cannot create a statement for each number. */
const COMMON_LIMITS: ReadonlySet<number> = new Set([
  1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 100, 200, 250, 500, 1_000, 10_000,
])

const shapes = new LastResults<EncodedQuery, QueryShape>()

/** Plans once for each table, fields, query shape and set of roles. The plan is cached until the dictionary changes. */
export function findPlan(authorized: AuthorizedRequest, deps: RecordDeps, roleKey: string): Result<FoundPlan, Problem> {
  const { request } = authorized
  const shape = shapes.get(request.query, [], () => shapeOfQuery(request.query))
  const cursor = request.paging.cursor
  const after = cursor === null ? succeed([]) : readCursor(cursor, cursorOrderOf(authorized))
  if (!after.ok) return after
  const plans = deps.plansFor(authorized.catalog)
  const rows = limitOf(authorized).rows
  const limit = COMMON_LIMITS.has(rows) ? rows : null
  const isFirst = request.paging.page === 1 && (request.paging.offset ?? 0) === 0
  const key = `${planKey(authorized, shape, after.value, roleKey)}\n${limit ?? '?'}${isFirst ? '' : '+'}`
  const known = plans.get(key)
  if (known !== undefined) return succeed({ prepared: known, shape, after: after.value })
  const paging =
    cursor === null
      ? ({ kind: 'page' } as const)
      : ({ kind: 'cursor', nulls: after.value.map((value) => value === null) } as const)
  const plan = planRecordRequest(authorized, {
    paging,
    limit,
    isFirst,
    countUpTo: request.exactCount ? null : countLimitOf(authorized.catalog),
  })
  if (!plan.ok) return plan
  const prepared = countRuns(preparePlan(plan.value), authorized, deps)
  plans.set(key, prepared)
  return succeed({ prepared, shape, after: after.value })
}

function countRuns(prepared: PreparedPlan, authorized: AuthorizedRequest, { slow }: RecordDeps): PreparedPlan {
  const { statement, plan } = prepared
  return { ...prepared, statement: { ...statement, onRun: slow.counterOf(plan, authorized, statement) } }
}

/** Everything that changes the statement and nothing else. Parts are separated by line breaks, which no part contains. */
function planKey(authorized: AuthorizedRequest, shape: QueryShape, after: CursorKeys, roleKey: string): string {
  const { request, table } = authorized
  const paging = request.paging.cursor === null ? 'page' : after.map((key) => (key === null ? 'n' : 'v')).join('')
  return [
    request.operation,
    table.name,
    request.narrowedFrom ?? '',
    request.names?.face ?? '',
    roleKey,
    shape.key,
    request.fields === null && request.view === null
      ? '*'
      : authorized.fields.map((field) => field.fieldPath.path).join(','),
    request.display,
    request.links ? 'links' : '',
    request.inputDisplay ? 'shown' : '',
    request.documents ?? '',
    request.rights ? 'rights' : '',
    request.maxText === null ? '' : 'cut',
    request.migrating ? 'migrating' : '',
    request.givesStamps ? 'stamps' : '',
    request.count ? (request.exactCount ? 'exact count' : 'count') : '',
    request.ifMatch === null ? '' : 'tag',
    paging,
    statsKey(request.stats),
    authorized.writes.map((write) => `${write.column.name}:${kindOfWrite(authorized, write)}`).join(','),
  ].join('\n')
}

/** As JSON, because the paths are texts of the caller. Values of comparisons are parameters, so they are not part of the key. */
function statsKey(stats: AuthorizedRequest['request']['stats']): string {
  if (stats === null) return ''
  const having = stats.having.map(({ term, operator }) => [term, operator])
  return JSON.stringify([stats.groupBy, stats.displayed, having, stats.orders])
}

function kindOfWrite(authorized: AuthorizedRequest, { column, value, rejected }: AuthorizedWrite): string {
  if (rejected !== undefined) return 'stored'
  const instruction = readInstruction(column, value, authorized.request.operation)
  if (!instruction.ok) return '?'
  if (instruction.value.kind === 'find') return markOfFind(instruction.value.by)
  // A create may contain a read-only column with an empty value.
  if (instruction.value.kind === 'set' && isReadOnly(column) && isEmpty(instruction.value.value)) return 'empty'
  return `${instruction.value.kind}${markOfNames(instruction.value, column, takesNames(authorized.request))}`
}

/** The statement looks up names and `find` instructions, so they are part of the key. */
function markOfNames(instruction: Instruction, column: AuthorizedWrite['column'], areNamed: boolean): string {
  if (instruction.kind === 'edit-list') {
    const [add, remove] = [instruction.add, instruction.remove].map((part) => markOfMembers(part, column, areNamed))
    return add === '' && remove === '' ? '' : `${add}-${remove}`
  }
  if (instruction.kind !== 'set') return ''
  return isNamed(instruction.value, column, areNamed) ? 'named' : markOfMembers(instruction.value, column, areNamed)
}

const isEmpty = (value: unknown): boolean => value === null || value === ''
