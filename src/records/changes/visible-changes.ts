import { sql } from 'kysely'
import type { Access } from '../../acl/decide.ts'
import { grantOnRows, isNever } from '../../acl/family-grant.ts'
import type { Catalog, Table } from '../../catalog/catalog.ts'
import type { Principal } from '../../identity/principal.ts'
import { succeed } from '../../kernel/result.ts'
import { bindingOfRules } from '../fill-slots.ts'
import { withoutAstray } from '../find-astray.ts'
import { planOwner } from '../plan/plan-rights.ts'
import { isConstant } from '../plan/predicates.ts'
import { type Binding, type Owner, Slot } from '../plan/record-plan.ts'
import { bindPlan, type PreparedSql, prepareSql } from '../prepare-plan.ts'
import type { RecordRoom } from '../record-room.ts'
import { keptRow, storageOf } from '../sql/adopted-storage.ts'
import type { Expression } from '../sql/expression.ts'
import { Aliases, embed, Row } from '../sql/from-clause.ts'
import { idLiteral } from '../sql/id-literal.ts'

export interface ChangesAsked {
  readonly principal: Principal
  /** Position of the last change that was seen; '0': from the beginning of what is kept. */
  readonly after: string
  /** Names of tables, without their children; null: all. */
  readonly tables: ReadonlySet<string> | null
  readonly operations: ReadonlySet<ChangeOperation> | null
  /** Changes that are looked at, seen or not. */
  readonly most: number
}

export type ChangeOperation = 'create' | 'update' | 'delete'

/** A change as far as somebody may see it. */
export interface VisibleChange {
  readonly position: string
  readonly operation: ChangeOperation
  /** Name of the record's own class. */
  readonly table: string
  readonly recordId: string
  /** UTC, `YYYY-MM-DD HH:MM:SS`. */
  readonly changedAt: string
  readonly changedBy: string | null
  /** Of a changed record [old, new] by column, else the value; as the Table API shows stored values. */
  readonly changes: Readonly<Record<string, unknown>>
}

export interface VisibleChanges {
  readonly changes: readonly VisibleChange[]
  /** To go on after; what is not settled yet lies behind it. */
  readonly reached: string
}

/**
 * What came after a position, in order, as far as the caller may see it: the records that they may read as they stand now (a
 * deleted one: as it stood last), and of their changes the columns that they may read. A change of nothing that they may
 * read is not there.
 */
export function visibleChanges(room: RecordRoom, asked: ChangesAsked): Promise<VisibleChanges> {
  return withoutAstray(room, () => seeVisibleChanges(room, asked))
}

async function seeVisibleChanges(room: RecordRoom, asked: ChangesAsked): Promise<VisibleChanges> {
  const catalog = await room.catalog.upToDate()
  const noted = await room.database.run(CHANGES_AFTER, [asked.after, asked.most])
  const reached = String(noted.at(-1)?.[0] ?? asked.after)
  const access = room.accessFor(catalog, asked.principal)
  const wanted = (noted as readonly NotedRow[]).flatMap(([position, classId, operation]) => {
    const table = catalog.tablesById.get(classId)
    if (table === undefined || !isAsked(table, OPERATIONS[operation], asked)) return []
    return [{ position, root: rootOf(table, catalog) }]
  })
  const seen: VisibleChange[] = []
  const binding = bindingOfRules(asked.principal, catalog, room.clock.nowMs())
  for (const [root, group] of Map.groupBy(wanted, (each) => each.root)) {
    // A record that cannot be read is told to nobody.
    if (root.adopted?.isAstray === true || isNever(grantOnRows(access, catalog, root, 'read'))) continue
    const positions = group.map(({ position }) => position)
    seen.push(...(await seeChanges(room, { root, catalog, access, binding: { ...binding, positions } })))
  }
  return { changes: seen.toSorted((one, other) => (BigInt(one.position) < BigInt(other.position) ? -1 : 1)), reached }
}

const CHANGES_AFTER = {
  name: 'docket_changes_after',
  text: 'select position::text, table_id::text, operation::text from docket_system.changes_after($1::bigint, $2::integer)',
}
type NotedRow = readonly [position: string, classId: string, operation: 'c' | 'u' | 'd']

const OPERATIONS = { c: 'create', u: 'update', d: 'delete' } as const

function isAsked(table: Table, operation: ChangeOperation, asked: ChangesAsked): boolean {
  if (asked.operations !== null && !asked.operations.has(operation)) return false
  return asked.tables === null || table.lineage.some((name) => asked.tables?.has(name))
}

function rootOf(table: Table, catalog: Catalog): Table {
  return catalog.tables.get(table.lineage.at(-1) ?? '') ?? table
}

interface Seeing {
  readonly root: Table
  readonly catalog: Catalog
  readonly access: Access
  readonly binding: BindingOfChanges
}

interface BindingOfChanges extends Binding {
  readonly positions: readonly string[]
}

const positionsSlot = new Slot((binding) => succeed([(binding as BindingOfChanges).positions]), 0)

async function seeChanges(room: RecordRoom, seeing: Seeing): Promise<readonly VisibleChange[]> {
  const prepared = preparedFor(seeing)
  const parameters = bindPlan(prepared, seeing.binding)
  if (!parameters.ok) throw new Error(`a slot of a rule could not be filled: ${JSON.stringify(parameters.error)}`)
  const rows = (await room.database.run(prepared.statement, parameters.value)) as readonly SeenRow[]
  return rows.flatMap(([position, operation, classId, recordId, changedAt, changedBy, changes]) => {
    // A change of hidden columns alone: that it happened must not show either.
    if (changes === null && operation === 'u') return []
    return [
      {
        position,
        operation: OPERATIONS[operation],
        table: seeing.catalog.tablesById.get(classId)?.name ?? seeing.root.name,
        recordId,
        changedAt,
        changedBy,
        changes: changes ?? {},
      },
    ]
  })
}

type SeenRow = readonly [
  position: string,
  operation: 'c' | 'u' | 'd',
  classId: string,
  recordId: string,
  changedAt: string,
  changedBy: string | null,
  changes: Readonly<Record<string, unknown>> | null,
]

/** Statements go with what the rules say to the roles, and that with the snapshot of the dictionary. */
const statements = new WeakMap<Access, Map<string, PreparedSql>>()

function preparedFor({ root, catalog, access }: Seeing): PreparedSql {
  const known = statements.get(access) ?? new Map<string, PreparedSql>()
  statements.set(access, known)
  const prepared =
    known.get(root.name) ??
    prepareSql(
      writeSeen(
        planOwner(root, () => true, { catalog, access }),
        catalog,
      ),
    )
  known.set(root.name, prepared)
  return prepared
}

/**
 * The row that rights are asked of is the record as it stands; where it is gone, what its deletion has kept of it. Columns of
 * the result: as SeenRow says.
 */
function writeSeen(owner: Owner, catalog: Catalog): Expression {
  const { table } = owner
  const aliases = new Aliases()
  const row = new Row('r', table)
  const storage = storageOf(table)
  const stands = sql`${storage} as t where ${new Row('t', table).isNamed(sql`c.record_id`)}`
  const values = writeKept(table, catalog)
  const kept =
    table.adopted === null
      ? sql`jsonb_populate_record(null::${storage}, ${values})`
      : keptRow(table, { kept: values, name: sql`d.record_id` })
  return sql`select c.position::text, c.operation::text, c.table_id::text, c.record_id, c.changed_at::text, c.changed_by::text,
      (select jsonb_object_agg(e.key, e.value) from jsonb_each(c.changes) as e where ${writeColumns(owner, row, aliases)})
    from unnest(${positionsSlot}::bigint[]) as p (position) join docket_system.change as c on c.position = p.position
    cross join lateral (
      select t.* from ${stands}
      union all
      (select k.* from docket_system.change as d, ${kept} as k
       where d.record_id = c.record_id and d.table_id in (${sql.join(owner.classIds.map(idLiteral))}) and d.operation = 'd'
         and not exists (select from ${stands})
       order by d.position desc limit 1)
    ) as r
    where ${embed(owner.readable, row, aliases)}
    order by c.position`
}

function writeColumns(owner: Owner, row: Row, aliases: Aliases): Expression {
  const columns = owner.columns ?? []
  const open = columns.filter(({ visible }) => isConstant(visible, true))
  const others = columns.filter(({ visible }) => !isConstant(visible, true))
  const alternatives = [
    ...(open.length === 0 ? [] : [sql`e.key in (${sql.join(open.map(({ name }) => sql.lit(name)))})`]),
    ...others.map(({ name, visible }) => sql`(e.key = ${sql.lit(name)} and ${embed(visible, row, aliases)})`),
  ]
  return alternatives.length === 0 ? sql`false` : sql`(${sql.join(alternatives, sql` or `)})`
}

/** The log keeps values by the dictionary's names; some columns have another in PostgreSQL. */
function writeKept(table: Table, catalog: Catalog): Expression {
  const family = table.family.flatMap((name) => catalog.tables.get(name) ?? [])
  const renamed = family.flatMap((member) =>
    [...member.columns.values()]
      .filter((column) => column.storage !== null && column.storage !== column.name)
      .map(
        (column) =>
          sql`case when d.table_id = ${idLiteral(member.id)} then jsonb_build_object(${sql.lit(column.storage)}::text, d.changes -> ${sql.lit(column.name)}) else '{}' end`,
      ),
  )
  return renamed.length === 0 ? sql`d.changes` : sql`(d.changes || ${sql.join(renamed, sql` || `)})`
}
