import { createHash } from 'node:crypto'
import type { PreparedStatement } from '../../database/database.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { compileSql, type Sql } from '../../kernel/sql.ts'
import { unreachable } from '../../kernel/unreachable.ts'
import type { RecordPlan } from '../plan/record-plan.ts'
import { planningOf } from '../plan/value-dependent-plan.ts'
import {
  type Caller,
  isSameSource,
  Param,
  type RequestValues,
  readSource,
  type ValueSource,
} from '../plan/value-source.ts'
import { writeCreate, writeDelete, writeQueuedCreate, writeUpdate } from '../sql/change-statements.ts'
import { writeList, writeRead } from '../sql/read-statements.ts'
import { writeStats } from '../sql/write-stats.ts'

/** A plan with its statement. It is made once for each plan key and cached. */
export interface PreparedPlan extends PreparedSql {
  readonly plan: RecordPlan
}

/** A statement and its parameters. */
export interface PreparedSql {
  readonly statement: PreparedStatement
  /** For each parameter of the statement a `Param`, which each request fills, or a constant value. */
  readonly parameters: readonly unknown[]
  /** The sources of the parameters, each once. */
  readonly sources: readonly ValueSource[]
  /** For each parameter the index of its source; -1: it is constant. */
  readonly sourceOf: readonly number[]
}

export function preparePlan(plan: RecordPlan): PreparedPlan {
  const prepared = prepareSql(writeStatement(plan))
  const encodedAt = RECORD_AT[plan.form.kind]
  const isQuickRead = plan.form.kind === 'read'
  return { ...prepared, plan, statement: { ...prepared.statement, planning: planningOf(plan), encodedAt, isQuickRead } }
}

/** Index of the records' JSON text in a result row, which begins with the two epochs (see `sql/`). -1: there is none. */
const RECORD_AT = { list: 2, read: 2, stats: 2, create: 3, update: 6, delete: -1 } as const satisfies Readonly<
  Record<RecordPlan['form']['kind'], number>
>

export function prepareSql(query: Sql<unknown>): PreparedSql {
  const compiled = compileSql(query)
  const { text, parameters } = shareParameters(compiled.sql, compiled.parameters)
  // A hash of the text: the same in every process and after every reload, and different for every other text.
  const name = `docket_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`
  const sources = [...new Set(parameters.filter((each) => each instanceof Param).map(({ source }) => source))]
  const sourceOf = parameters.map((each) => (each instanceof Param ? sources.indexOf(each.source) : -1))
  return { statement: { name, text }, parameters, sources, sourceOf }
}

/** Uses one parameter for all places with the same source, so that each request sends and binds fewer values. */
function shareParameters(
  text: string,
  all: readonly unknown[],
): { readonly text: string; readonly parameters: readonly unknown[] } {
  const parameters: unknown[] = []
  const places = all.map((parameter) => {
    const known = parameters.findIndex((each) => isSameParam(each, parameter))
    return known >= 0 ? known : parameters.push(parameter) - 1
  })
  // Skips quoted names and texts, in which a dollar sign does not begin a parameter.
  const shared = text.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g, (found, number: string | undefined) =>
    number === undefined ? found : `$${(places[Number(number) - 1] ?? 0) + 1}`,
  )
  return { text: shared, parameters }
}

function isSameParam(one: unknown, other: unknown): boolean {
  return (
    one instanceof Param &&
    other instanceof Param &&
    one.index === other.index &&
    isSameSource(one.source, other.source)
  )
}

function writeStatement(plan: RecordPlan): Sql<unknown> {
  const { form } = plan
  switch (form.kind) {
    case 'list':
      return writeList(plan, form)
    case 'read':
      return writeRead(plan, form)
    case 'stats':
      return writeStats(plan, form)
    case 'create':
      return plan.table.queuedCreate ? writeQueuedCreate(plan, form) : writeCreate(plan, form)
    case 'update':
      return writeUpdate(plan, form)
    case 'delete':
      return writeDelete(plan, form)
    default:
      return unreachable(form)
  }
}

type Values = Result<readonly unknown[], Problem>

/** Fills the parameters for one request. Invalid values of the caller are found here. */
export const bindPlan = (prepared: PreparedSql, caller: Caller, request: RequestValues): Values =>
  bindSql(prepared, (source) => readSource(source, caller, request))

/** Reads each source once, even if it fills several parameters. */
export function bindSql({ parameters, sources, sourceOf }: PreparedSql, read: (source: ValueSource) => Values): Values {
  const known: (readonly unknown[])[] = []
  for (const source of sources) {
    const made = read(source)
    if (!made.ok) return made
    known.push(made.value)
  }
  return succeed(
    parameters.map((parameter, at) =>
      parameter instanceof Param ? known[sourceOf[at] ?? -1]?.[parameter.index] : parameter,
    ),
  )
}
