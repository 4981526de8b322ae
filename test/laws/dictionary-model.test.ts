import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import { runs } from './record-lab.ts'

let fresh: FreshDatabase
/** Two processes on one database: what one changes the other answers by. */
let desks: readonly [DictionaryDesk, DictionaryDesk]
beforeAll(async () => {
  fresh = await freshDatabase()
  desks = [await openDesk({ fresh }), await openDesk({ fresh })]
})
afterAll(async () => {
  for (const desk of desks) await desk.close()
  await fresh.drop()
})

// ── the model: tables with columns, rows with values ──

type Type = 'string' | 'integer' | 'biginteger' | 'boolean'
type Value = string | number | boolean | null

interface ModelTable {
  readonly parent: string | null
  /** sys_id and type of own columns by name. */
  readonly columns: Map<string, { readonly id: string; type: Type }>
}
interface ModelRow {
  readonly table: string
  readonly id: string
  readonly values: Map<string, Value>
}
interface Model {
  readonly tables: Map<string, ModelTable>
  rows: ModelRow[]
}

function columnsOf(model: Model, name: string): ReadonlyMap<string, { readonly id: string; type: Type }> {
  const table = model.tables.get(name)
  if (table === undefined) return new Map()
  return new Map([...(table.parent === null ? [] : columnsOf(model, table.parent)), ...table.columns])
}

const childrenOf = (model: Model, name: string): readonly string[] =>
  [...model.tables].filter(([, table]) => table.parent === name).map(([child]) => child)

const isOf = (model: Model, name: string, ancestor: string): boolean =>
  name === ancestor || childrenOf(model, ancestor).some((child) => isOf(model, name, child))

const rowsOf = (model: Model, name: string): readonly ModelRow[] =>
  model.rows.filter((row) => isOf(model, row.table, name))

const LOST = Symbol('lost')

const RANGES = { integer: [-2_147_483_648n, 2_147_483_647n], biginteger: [-(2n ** 63n), 2n ** 63n - 1n] } as const

/** What a value becomes when its column changes its type. */
function converted(value: Value, to: Type): Value | typeof LOST {
  if (value === null) return null
  switch (to) {
    case 'string':
      return String(value)
    case 'boolean':
      if (typeof value === 'boolean') return value
      if (/^(true|1)$/i.test(String(value))) return true
      return /^(false|0)$/i.test(String(value)) ? false : LOST
    default: {
      const text = typeof value === 'boolean' ? String(Number(value)) : String(value)
      if (!/^[+-]?\d{1,19}$/.test(text) || (to === 'integer' && text.replace(/^[+-]/, '').length > 10)) return LOST
      const number = BigInt(text.replace('+', ''))
      const [least, most] = RANGES[to]
      if (number < least || number > most) return LOST
      return to === 'integer' ? Number(number) : String(number)
    }
  }
}

// ── commands ──

const table = fc.constantFrom('a', 'b', 'c')
const column = fc.constantFrom('x', 'y', 'z')
const type = fc.constantFrom<Type>('string', 'integer', 'biginteger', 'boolean')
const process = fc.constantFrom(0 as const, 1 as const)
/** Read as the type of whatever column it is put into. */
const seed = fc.integer({ min: 0, max: 5 })

const VALUES: Readonly<Record<Type, readonly Value[]>> = {
  string: ['7', 'seven', 'true', '-12', '99999999999', 'Ё'],
  integer: [0, 1, -5, 2_147_483_647, 12, 100],
  biginteger: ['0', '1', '9223372036854775807', '-3', '2147483648', '44'],
  boolean: [true, false, true, false, true, false],
}

const command = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('make-table' as const), process, table, parent: fc.option(table) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add-column' as const), process, table, column, type }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      process,
      table,
      values: fc.array(fc.tuple(column, seed), { maxLength: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('patch' as const),
      process,
      row: fc.nat(20),
      values: fc.array(fc.tuple(column, seed), { maxLength: 2 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('convert' as const),
      process,
      table,
      column,
      type,
      confirm: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('drop-column' as const), process, table, column, confirm: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('drop-table' as const), process, table, confirm: fc.boolean() }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

interface Trial {
  readonly model: Model
  /** Tables of a trial have names of their own. */
  readonly nameOf: (table: string) => string
}

/** Does a command to the server and to the model. @returns statuses of both; null where the command means nothing */
async function perform(command: Command, trial: Trial): Promise<readonly [number, number] | null> {
  const desk = desks[command.process]
  const { model, nameOf } = trial
  switch (command.kind) {
    case 'make-table': {
      const parent = command.parent === null || command.parent === command.table ? null : command.parent
      if (model.tables.has(command.table) || (parent !== null && !model.tables.has(parent))) return null
      const body = {
        name: nameOf(command.table),
        title: 'T',
        is_extendable: true,
        parent_id: parent === null ? null : await desk.tableId(nameOf(parent)),
      }
      const answer = await desk.send('POST /rest/v1/table/sys_db_table', body)
      model.tables.set(command.table, { parent, columns: new Map() })
      return [answer.status, 200]
    }
    case 'add-column': {
      const owner = model.tables.get(command.table)
      if (owner === undefined) return null
      const family = [...model.tables.keys()].filter((name) => isOf(model, name, command.table))
      const isTaken = family.some((name) => columnsOf(model, name).has(command.column))
      const body = {
        table_id: await desk.tableId(nameOf(command.table)),
        column_name: command.column,
        title: 'C',
        column_type_id: await desk.typeId(command.type),
      }
      const answer = await desk.send('POST /rest/v1/table/sys_db_column', body)
      if (isTaken) return [answer.status, owner.columns.has(command.column) ? 409 : 422]
      const id = (answer.body as { data?: readonly { sys_id: string }[] }).data?.[0]?.sys_id ?? ''
      owner.columns.set(command.column, { id, type: command.type })
      return [answer.status, 200]
    }
    case 'write': {
      if (!model.tables.has(command.table)) return null
      const { values, isKnown } = valuesFor(command.table, command.values, model)
      const answer = await desk.send(`POST /rest/v1/table/${nameOf(command.table)}`, Object.fromEntries(values))
      if (!isKnown) return [answer.status, 422]
      const id = (answer.body as { data?: readonly { sys_id: string }[] }).data?.[0]?.sys_id ?? ''
      model.rows.push({ table: command.table, id, values: new Map(values) })
      return [answer.status, 200]
    }
    case 'patch': {
      const row = model.rows[command.row % Math.max(1, model.rows.length)]
      if (row === undefined) return null
      const { values, isKnown } = valuesFor(row.table, command.values, model)
      const answer = await desk.send(`PATCH /rest/v1/table/${nameOf(row.table)}/${row.id}`, Object.fromEntries(values))
      if (!isKnown) return [answer.status, 422]
      for (const [name, value] of values) row.values.set(name, value)
      return [answer.status, 200]
    }
    case 'convert': {
      const known = model.tables.get(command.table)?.columns.get(command.column)
      if (known === undefined) return null
      const rows = rowsOf(model, command.table).filter((row) => row.values.has(command.column))
      const becomes = rows.map((row) => converted(row.values.get(command.column) ?? null, command.type))
      const loses = known.type !== command.type && becomes.includes(LOST)
      const confirm = command.confirm ? `?sysparm_confirm=${nameOf(command.table)}.${command.column}` : ''
      const answer = await desk.send(`PATCH /rest/v1/table/sys_db_column/${known.id}${confirm}`, {
        column_type_id: await desk.typeId(command.type),
      })
      if (loses && !command.confirm) return [answer.status, 409]
      if (known.type !== command.type) {
        for (const [index, row] of rows.entries()) {
          const value = becomes[index]
          row.values.set(command.column, value === LOST || value === undefined ? null : value)
        }
      }
      known.type = command.type
      return [answer.status, 200]
    }
    case 'drop-column': {
      const owner = model.tables.get(command.table)
      const known = owner?.columns.get(command.column)
      if (owner === undefined || known === undefined) return null
      const rows = rowsOf(model, command.table)
      const loses = rows.some((row) => (row.values.get(command.column) ?? null) !== null)
      const confirm = command.confirm ? `?sysparm_confirm=${nameOf(command.table)}.${command.column}` : ''
      const answer = await desk.send(`DELETE /rest/v1/table/sys_db_column/${known.id}${confirm}`)
      if (loses && !command.confirm) return [answer.status, 409]
      for (const row of rows) row.values.delete(command.column)
      owner.columns.delete(command.column)
      return [answer.status, 200]
    }
    case 'drop-table': {
      if (!model.tables.has(command.table)) return null
      const rows = rowsOf(model, command.table)
      const confirm = command.confirm ? `?sysparm_confirm=${nameOf(command.table)}` : ''
      const answer = await desk.send(
        `DELETE /rest/v1/table/sys_db_table/${await desk.tableId(nameOf(command.table))}${confirm}`,
      )
      if (childrenOf(model, command.table).length > 0 || (rows.length > 0 && !command.confirm))
        return [answer.status, 409]
      model.tables.delete(command.table)
      model.rows = model.rows.filter((row) => row.table !== command.table)
      return [answer.status, 200]
    }
  }
}

/** `isKnown`: all the columns are there. */
function valuesFor(
  table: string,
  wanted: readonly (readonly [string, number])[],
  model: Model,
): { readonly values: ReadonlyMap<string, Value>; readonly isKnown: boolean } {
  const columns = columnsOf(model, table)
  const values = new Map(
    wanted.map(([name, seed]): [string, Value] => {
      const known = columns.get(name)
      return [name, known === undefined ? 'anything' : (VALUES[known.type][seed] ?? null)]
    }),
  )
  return { values, isKnown: [...values.keys()].every((name) => columns.has(name)) }
}

async function compare(trial: Trial, desk: DictionaryDesk): Promise<void> {
  for (const name of trial.model.tables.keys()) {
    const columns = [...columnsOf(trial.model, name).keys()]
    const expected = rowsOf(trial.model, name).map((row) => ({
      sys_id: row.id,
      ...Object.fromEntries(columns.map((column) => [column, row.values.get(column) ?? null])),
    }))
    expect(await desk.records(trial.nameOf(name), ['sys_id', ...columns].join(','))).toEqual(
      expected.toSorted((a, b) => (BigInt(a.sys_id) < BigInt(b.sys_id) ? -1 : 1)),
    )
  }
}

/** Most commands mean something once there are tables with a column. */
const BEGINNING: readonly Command[] = [
  { kind: 'make-table', process: 0, table: 'a', parent: null },
  { kind: 'make-table', process: 1, table: 'b', parent: 'a' },
  { kind: 'add-column', process: 0, table: 'a', column: 'x', type: 'string' },
]

test('a random sequence of dictionary changes, writes and reads in two processes equals the model', async () => {
  let trials = 0
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 60, size: 'max' }), async (commands) => {
      trials += 1
      const prefix = `trial_${trials}_`
      const trial: Trial = { model: { tables: new Map(), rows: [] }, nameOf: (table) => `${prefix}${table}` }
      for (const command of [...BEGINNING, ...commands]) {
        const statuses = await perform(command, trial)
        if (statuses === null) continue
        expect([command.kind, statuses[0]]).toEqual([command.kind, statuses[1]])
        await compare(trial, desks[command.process === 0 ? 1 : 0])
      }
      const [left] = await fresh.database.rows<{ same: boolean }>(sql`
        select (select count(*) from pg_class where relnamespace = 'docket'::regnamespace and relkind = 'r' and relname like ${`trial\\_${trials}\\_%`})
          = (select count(*) from docket.sys_db_table where name like ${`trial\\_${trials}\\_%`} and parent_id is null) as same`)
      expect(left).toEqual({ same: true })
    }),
    runs(8),
  )
})
