import { LOCKS } from '../database/advisory-locks.ts'
import type { Database, Session } from '../database/database.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { sql } from '../kernel/sql.ts'
import { applyAdoption } from './apply-adoption.ts'
import { type DescribedTable, describeTable } from './describe-table.ts'
import { grantRights, type WantedGrant } from './grant-rights.ts'
import { type AdoptionPlan, planAdoption } from './plan-adoption.ts'
import { readAdopted, tableNames } from './read-adopted.ts'
import { identifiesRows, readSchema, type SchemaTable } from './read-schema.ts'

export interface WantedAdoption {
  readonly schema: string
  /** PostgreSQL's names; null: all tables of the schema. */
  readonly tables: readonly string[] | null
  /** Columns that identify the rows of views, by the names of the views; several are separated by commas. */
  readonly keys: ReadonlyMap<string, string>
  readonly grants: readonly WantedGrant[]
  /** A dry run: nothing is written. */
  readonly isDryRun: boolean
}

export interface Adoption extends AdoptionPlan {
  readonly rejected: readonly { readonly table: string; readonly why: string }[]
  /** The number of rules that were written. */
  readonly rules: number
}

/** The owner of a schema that belongs to PostgreSQL, to Docket or to Docket's job queue. */
function ownerOfSchema(schema: string): string | null {
  if (/^(pg_.*|information_schema)$/.test(schema)) return 'PostgreSQL'
  if (/^(docket|docket_.*)$/.test(schema)) return 'Docket'
  return schema === 'graphile_worker' ? "Docket's job queue" : null
}

/** Reads a schema of the database and describes its tables in the dictionary, as one change. */
export async function adoptSchema(database: Database, wanted: WantedAdoption): Promise<Result<Adoption, Problem>> {
  const owner = ownerOfSchema(wanted.schema)
  if (owner !== null) {
    const detail = `The schema ${wanted.schema} belongs to ${owner} and cannot be adopted: name a schema with tables of your own.`
    return fail({ kind: 'conflict', detail })
  }
  try {
    return await database.inTransaction((session) => adoptIn(session, wanted))
  } catch (error) {
    if (error instanceof RulesRejected) return fail(error.problem)
    throw error
  }
}

async function adoptIn(session: Session, wanted: WantedAdoption): Promise<Result<Adoption, Problem>> {
  await session.rows(sql`select pg_advisory_xact_lock(${LOCKS.dictionary})`)
  const schema = await readSchema(session, wanted.schema)
  if (schema === null) return fail({ kind: 'thing-not-found', thing: 'schema', name: wanted.schema })
  const chosen = choose(schema, wanted)
  if (!chosen.ok) return chosen
  const { described, rejected } = await describeAll(session, chosen.value, wanted)
  const plan = planAdoption({
    schema: wanted.schema,
    described,
    standing: new Set(schema.map(({ name }) => name)),
    adopted: await readAdopted(session),
    taken: await tableNames(session),
  })
  if (wanted.isDryRun) return succeed({ ...plan, rejected, rules: 0 })
  await applyAdoption(session, wanted.schema, plan)
  const rules = await grantRights(
    session,
    plan.tables.map(({ name }) => name),
    wanted.grants,
  )
  // If the rules cannot be written, the whole adoption is rolled back.
  if (!rules.ok) throw new RulesRejected(rules.error)
  return succeed({ ...plan, rejected, rules: rules.value })
}

class RulesRejected extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super('the rules that were asked for cannot be written')
    this.problem = problem
  }
}

function choose(
  schema: readonly SchemaTable[],
  { tables, schema: name }: WantedAdoption,
): Result<readonly SchemaTable[], Problem> {
  if (tables === null) return succeed(schema)
  const missing = tables.find((table) => !schema.some((each) => each.name === table))
  if (missing !== undefined) return fail({ kind: 'thing-not-found', thing: 'table', name: `${name}.${missing}` })
  return succeed(schema.filter((table) => tables.includes(table.name)))
}

interface Described {
  readonly described: readonly DescribedTable[]
  readonly rejected: Adoption['rejected']
}

async function describeAll(
  session: Session,
  tables: readonly SchemaTable[],
  wanted: WantedAdoption,
): Promise<Described> {
  const described: DescribedTable[] = []
  const rejected: { readonly table: string; readonly why: string }[] = []
  for (const table of tables) {
    const result = await describeOne(session, table, wanted)
    if (result.ok) described.push(result.value)
    else rejected.push({ table: table.name, why: result.error })
  }
  return { described, rejected }
}

async function describeOne(
  session: Session,
  table: SchemaTable,
  wanted: WantedAdoption,
): Promise<Result<DescribedTable, string>> {
  const known = wanted.keys.get(table.name) ?? null
  const described = describeTable(table, known ?? (await earlierKey(session, wanted.schema, table.name)))
  if (!described.ok || (table.kind !== 'v' && table.kind !== 'm')) return described
  const columns = described.value.key.parts.map(({ column }) => column)
  if (await identifiesRows(session, { schema: wanted.schema, table: table.name, columns })) return described
  const named = columns.length === 1 ? `the column ${columns.join()} does` : `the columns ${columns.join(', ')} do`
  return fail(`${named} not identify its rows: there are duplicates or empty values`)
}

/** Options of an earlier adoption of the view still apply. */
async function earlierKey(session: Session, schema: string, table: string): Promise<string | null> {
  const [row] = await session.rows<{ key: string | null }>(sql`
    select array_to_string(adopted_key, ',') as key from docket.sys_db_table where storage_schema = ${schema} and storage_table = ${table}`)
  return row?.key ?? null
}
