import { commitOrRollback } from '../database/commit-or-rollback.ts'
import type { Session } from '../database/database.ts'
import { databaseFailureOf } from '../database/database-failure.ts'
import { changesDictionary } from './dictionary/change-dictionary.ts'
import { isSameSource, Param } from './plan/value-source.ts'
import type { RecordCall } from './record-call.ts'
import type { RecordDeps } from './record-deps.ts'
import { prepareCall } from './request-stages.ts'
import { onCurrentCatalog } from './retry-on-stale-epoch.ts'
import type { BoundRequest } from './run/bind-request.ts'
import { type PreparedPlan, type PreparedSql, prepareSql } from './run/prepare-plan.ts'
import { OfEachRow, writeCreates } from './sql/write-creates.ts'

/** A create among others. */
export interface CallTogether {
  /** Identifies the create among the others. */
  readonly number: number
  readonly call: RecordCall
}

/** Which of the creates are already done; recorded in the transactions of the writes. */
export interface DoneAlready {
  /** Of these numbers. Other callers wait until this transaction ends. @returns null: the key of the request belongs to another one */
  read(session: Session, numbers: readonly number[]): Promise<ReadonlySet<number> | null>
  add(session: Session, numbers: readonly number[]): Promise<void>
}

/**
 * Creates many records as one caller, those of one shape by one statement: hundreds of rows share the cost of a statement, a
 * commit and a round trip.
 *
 * It does not report why records could not be created. Nothing of them is written, so the caller sends them one by one to get the
 * error, or the record.
 *
 * @param all creates of one caller
 * @param done null: each of them is new
 * @returns the numbers of the records that exist now
 */
export async function createTogether(
  deps: RecordDeps,
  all: readonly CallTogether[],
  done: DoneAlready | null,
): Promise<ReadonlySet<number>> {
  const created = new Set<number>()
  await onCurrentCatalog(
    deps,
    async (catalog) => {
      const left = all.filter(({ number }) => !created.has(number))
      for (const group of await groupsOf(deps, left))
        for (const number of await createGroup(deps, group, done)) created.add(number)
      return created.size === all.length || (await deps.catalog.isCurrent(catalog)) ? created : null
    },
    { maxTurns: MAX_TURNS },
  )
  return created
}

/** If the dictionary changes more often, it is being set up; creates one by one allow more retries. */
const MAX_TURNS = 3

interface Member extends CallTogether {
  readonly bound: BoundRequest
}
interface Group {
  readonly prepared: PreparedPlan
  readonly members: readonly Member[]
}

/** Creates that are rejected before a statement is made are in no group. */
async function groupsOf(deps: RecordDeps, all: readonly CallTogether[]): Promise<readonly Group[]> {
  const catalog = await deps.catalog.current()
  const groups = new Map<PreparedPlan, Member[]>()
  for (const { number, call } of all) {
    const preparing = prepareCall(call, { deps, catalog })
    const ready = preparing instanceof Promise ? await preparing : preparing
    if (!ready.ok || changesDictionary(ready.value.authorized)) continue
    const { prepared } = ready.value.found
    const members = groups.get(prepared) ?? []
    groups.set(prepared, members)
    members.push({ number, call, bound: ready.value.bound })
  }
  return [...groups].map(([prepared, members]) => ({ prepared, members }))
}

interface Making {
  readonly deps: RecordDeps
  readonly prepared: PreparedPlan
  readonly statement: PreparedSql
  readonly done: DoneAlready | null
  /** Statements that may fail before the rest is left to creates one by one. */
  failuresLeft: number
}

/** With few wrong rows, bisection finds them with few statements; with many, one by one is no slower. */
const maxFailures = 16

async function createGroup(
  deps: RecordDeps,
  { prepared, members }: Group,
  done: DoneAlready | null,
): Promise<readonly number[]> {
  const statement = statementFor(prepared)
  if (statement === null || members.length < 2) return []
  return createMembers({ deps, prepared, statement, done, failuresLeft: maxFailures }, members)
}

/** Keeps the order: of two records that exclude each other, the earlier one is created. */
async function createMembers(making: Making, members: readonly Member[]): Promise<readonly number[]> {
  try {
    return await createAtOnce(making, members)
  } catch (error) {
    // PostgreSQL rejected a value, or a rule or a unique constraint failed: none of these rows was written.
    if (databaseFailureOf(error) === null) throw error
    making.failuresLeft -= 1
    if (members.length < 2 || making.failuresLeft <= 0) return []
    const half = Math.ceil(members.length / 2)
    const earlier = await createMembers(making, members.slice(0, half))
    return making.failuresLeft <= 0 ? earlier : [...earlier, ...(await createMembers(making, members.slice(half)))]
  }
}

async function createAtOnce(
  { deps, prepared, statement, done }: Making,
  members: readonly Member[],
): Promise<readonly number[]> {
  if (done === null) return (await runFor(deps.database, { statement, prepared, members })) ?? []
  return commitOrRollback<readonly number[]>(deps.database, async (session, rollback) => {
    const before = await done.read(
      session,
      members.map(({ number }) => number),
    )
    if (before === null) return rollback([])
    const known = members.flatMap(({ number }) => (before.has(number) ? [number] : []))
    const rest = members.filter(({ number }) => !before.has(number))
    const made = rest.length === 0 ? [] : await runFor(session, { statement, prepared, members: rest })
    if (made === null) return rollback(known)
    await done.add(session, made)
    return [...known, ...made]
  })
}

const statements = new WeakMap<PreparedPlan, PreparedSql | null>()

function statementFor(prepared: PreparedPlan): PreparedSql | null {
  const known = statements.get(prepared)
  if (known !== undefined) return known
  const { plan } = prepared
  const query = plan.form.kind === 'create' ? writeCreates(plan, plan.form) : null
  const made = query === null ? null : prepareSql(query)
  statements.set(prepared, made)
  return made
}

interface Creation {
  readonly statement: PreparedSql
  readonly prepared: PreparedPlan
  readonly members: readonly Member[]
}

/** @returns the numbers of those that were created; null: none, because the dictionary or the caller's roles changed */
async function runFor(session: Session, creation: Creation): Promise<readonly number[] | null> {
  const { statement, prepared, members } = creation
  const [first] = members
  const values = first === undefined ? null : valuesFor(creation, first)
  if (first === undefined || values === null) return null
  const [row] = await session.run(statement.statement, values)
  if (row === undefined) throw new Error('docket_system.epoch is empty: the migrations did not run to their end')
  const [catalogEpoch, identityEpoch, left] = row
  if (catalogEpoch !== prepared.plan.catalog.epoch || identityEpoch !== first.call.identityEpoch) return null
  const leftOut = new Set<unknown>(left === null ? [] : (JSON.parse(String(left)) as number[]))
  return members.filter((_member, index) => !leftOut.has(index + 1)).map(({ number }) => number)
}

/**
 * Combines the values that were prepared for single statements into those of one statement for many rows: each value is read,
 * sanitized and looked up once.
 *
 * @returns null if a parameter cannot be filled
 */
function valuesFor({ statement, prepared, members }: Creation, first: Member): readonly unknown[] | null {
  const values: unknown[] = []
  for (const parameter of statement.parameters) {
    if (parameter instanceof OfEachRow || parameter instanceof Param) {
      const index = parameter instanceof Param ? parameter.index : 0
      const place = prepared.parameters.findIndex(
        (each) => each instanceof Param && isSameSource(each.source, parameter.source) && each.index === index,
      )
      if (place < 0) return null
      if (parameter instanceof Param) values.push(first.bound.parameters[place])
      else values.push(members.map(({ bound }) => textOf(bound.parameters[place])))
    } else values.push(parameter)
  }
  return values
}

/** A value as a text that PostgreSQL parses. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `{${value.map((member) => quoted(textOf(member))).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const quoted = (text: string | null): string =>
  text === null ? 'null' : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
