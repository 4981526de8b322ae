import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/kernel/sql.ts'
import { type DictionaryDesk, openDesk } from '../contract/dictionary/dictionary-desk.ts'
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts'
import type { ReceivedResponse } from '../harness/send-request.ts'
import { runs } from './record-lab.ts'

let fresh: FreshDatabase
/** Two processes on one database: each must use the changes of the other. */
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

interface ModelColumn {
  readonly id: string
  readonly name: string
  type: Type | 'choice'
  title: string
  /** The text in the dictionary; '': no default. */
  defaultText: string
  mandatory: boolean
  unique: boolean
  /** For a choice. */
  readonly choices: { readonly value: string; readonly dependent: string | null }[]
  readonly dependsOn: string | null
}
interface ModelTable {
  readonly parent: string | null
  /** Own columns by name. */
  readonly columns: Map<string, ModelColumn>
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

function columnsOf(model: Model, name: string): ReadonlyMap<string, ModelColumn> {
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

/** The value after its column has changed its type. */
function converted(value: Value, to: ModelColumn['type']): Value | typeof LOST {
  if (value === null) return null
  switch (to) {
    case 'choice':
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
      const [min, max] = RANGES[to]
      if (number < min || number > max) return LOST
      return to === 'integer' ? Number(number) : String(number)
    }
  }
}

/** Whether a text of the dictionary is a value of a type. */
const fitsAsDefault = (text: string, type: ModelColumn['type']): boolean =>
  text === '' || converted(text, type) !== LOST || (type === 'choice' && text !== '')

/** The key by which values are unique: texts are compared without case. */
const keyOf = (value: Value): string => String(value).toLowerCase()

/** Whether two records of the hierarchy have the same value. */
function isShared(values: readonly Value[]): boolean {
  const keys = values.filter((value) => value !== null).map(keyOf)
  return new Set(keys).size < keys.length
}

const valuesIn = (model: Model, owner: string, column: string): readonly Value[] =>
  rowsOf(model, owner).map((row) => row.values.get(column) ?? null)

// ── commands ──

const table = fc.constantFrom('a', 'b', 'c')
const column: fc.Arbitrary<string> = fc.constantFrom('x', 'y', 'z')
/** `p` and `q` are choices, and the choices of `q` depend on `p`. */
const anyColumn: fc.Arbitrary<string> = fc.constantFrom('x', 'y', 'z', 'x', 'y', 'z', 'p', 'q')
const choice: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c')
const type = fc.constantFrom<Type>('string', 'integer', 'biginteger', 'boolean')
const process = fc.constantFrom(0 as const, 1 as const)
/** Selects a value of the type of its column. */
const seed = fc.integer({ min: 0, max: 5 })

const VALUES: Readonly<Record<Type, readonly Value[]>> = {
  string: ['7', 'seven', 'true', '-12', '99999999999', 'Ё'],
  integer: [0, 1, -5, 2_147_483_647, 12, 100],
  biginteger: ['0', '1', '9223372036854775807', '-3', '2147483648', '44'],
  boolean: [true, false, true, false, true, false],
}
const CHOSEN: readonly Value[] = ['a', 'b', 'c', 'a', 'b', 'none']

const sampleOf = (type: ModelColumn['type'], seed: number): Value =>
  (type === 'choice' ? CHOSEN : VALUES[type])[seed] ?? null

const describing = fc.oneof(
  fc.record({ part: fc.constant('title' as const), to: fc.nat(3) }),
  fc.record({ part: fc.constant('default_value' as const), to: fc.option(seed) }),
  fc.record({ part: fc.constant('default_value' as const), to: seed }),
  fc.record({ part: fc.constant('mandatory' as const), to: fc.boolean() }),
  fc.record({ part: fc.constant('unique' as const), to: fc.boolean() }),
  fc.record({ part: fc.constant('unique' as const), to: fc.boolean() }),
  fc.record({ part: fc.constant('column_name' as const), to: fc.constant('another') }),
)

const command = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('make-table' as const), process, table, parent: fc.option(table) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add-column' as const), process, table, column, type }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      process,
      table,
      values: fc.array(fc.tuple(anyColumn, seed), { maxLength: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('patch' as const),
      process,
      row: fc.nat(20),
      values: fc.array(fc.tuple(anyColumn, seed), { maxLength: 2 }),
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
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('describe' as const), process, table, column, describing }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('add-choices' as const), process, table }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('add-choice' as const),
      process,
      table,
      of: fc.constantFrom('p' as const, 'q' as const),
      value: choice,
      dependent: fc.option(choice),
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
  /** The name of the table in this trial; each trial has its own names. */
  readonly nameOf: (table: string) => string
}

/** Runs a command on the server and on the model. @returns the statuses of both; null: the command does not apply */
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
      const response = await desk.send('POST /rest/v1/table/sys_db_table', body)
      model.tables.set(command.table, { parent, columns: new Map() })
      return [response.status, 200]
    }
    case 'add-column': {
      const owner = model.tables.get(command.table)
      if (owner === undefined) return null
      const descendants = [...model.tables.keys()].filter((name) => isOf(model, name, command.table))
      const isTaken = descendants.some((name) => columnsOf(model, name).has(command.column))
      const body = {
        table_id: await desk.tableId(nameOf(command.table)),
        column_name: command.column,
        title: 'C',
        column_type_id: await desk.typeId(command.type),
      }
      const response = await desk.send('POST /rest/v1/table/sys_db_column', body)
      if (isTaken) return [response.status, owner.columns.has(command.column) ? 409 : 422]
      owner.columns.set(command.column, newColumn(command.column, command.type, response))
      return [response.status, 200]
    }
    case 'add-choices': {
      const owner = model.tables.get(command.table)
      const descendants = [...model.tables.keys()].filter((name) => isOf(model, name, command.table))
      if (owner === undefined || descendants.some((name) => columnsOf(model, name).has('p'))) return null
      const body = { table_id: await desk.tableId(nameOf(command.table)), column_type_id: await desk.typeId('choice') }
      const p = await desk.send('POST /rest/v1/table/sys_db_column', { ...body, column_name: 'p', title: 'C' })
      const dependent = { ...body, column_name: 'q', title: 'C', dependent_on: 'p' }
      const q = await desk.send('POST /rest/v1/table/sys_db_column', dependent)
      owner.columns.set('p', newColumn('p', 'choice', p))
      owner.columns.set('q', newColumn('q', 'choice', q, 'p'))
      return [Math.max(p.status, q.status), 200]
    }
    case 'add-choice': {
      const known = model.tables.get(command.table)?.columns.get(command.of)
      if (known === undefined) return null
      const { value, dependent } = command
      if (known.choices.some((each) => each.value === value && each.dependent === dependent)) return null
      const response = await desk.send('POST /rest/v1/table/sys_choice', {
        table_id: await desk.tableId(nameOf(command.table)),
        column_id: known.id,
        value,
        title: value,
        language: 'en',
        dependent_value: dependent ?? '',
      })
      const parents = model.tables.get(command.table)?.columns.get(known.dependsOn ?? '')?.choices ?? []
      if (dependent !== null && !parents.some((each) => each.value === dependent)) return [response.status, 422]
      known.choices.push({ value, dependent })
      return [response.status, 200]
    }
    case 'describe': {
      const known = model.tables.get(command.table)?.columns.get(command.column)
      if (known === undefined) return null
      return describe(command.describing, { desk, model, owner: command.table, known })
    }
    case 'write': {
      if (!model.tables.has(command.table)) return null
      const { values, isKnown } = valuesFor(command.table, command.values, model)
      const response = await desk.send(`POST /rest/v1/table/${nameOf(command.table)}`, Object.fromEntries(values))
      const filled = new Map<string, Value>()
      for (const { name, type, defaultText } of columnsOf(model, command.table).values()) {
        const asDefault = defaultText === '' ? null : converted(defaultText, type)
        const value = values.get(name) ?? (values.has(name) || asDefault === LOST ? null : asDefault)
        if (value !== null) filled.set(name, value)
      }
      const row: ModelRow = { table: command.table, id: idIn(response), values: filled }
      const isWhole = [...columnsOf(model, command.table).values()].every(
        ({ name, mandatory }) => !mandatory || filled.has(name),
      )
      if (!isKnown || !isWhole) return [response.status, 422]
      const rejection = rejectionOf(row, new Set(values.keys()), model)
      if (rejection !== null) return [response.status, rejection]
      model.rows.push(row)
      return [response.status, 200]
    }
    case 'patch': {
      const row = model.rows[command.row % Math.max(1, model.rows.length)]
      if (row === undefined) return null
      const { values, isKnown } = valuesFor(row.table, command.values, model)
      const response = await desk.send(
        `PATCH /rest/v1/table/${nameOf(row.table)}/${row.id}`,
        Object.fromEntries(values),
      )
      if (!isKnown) return [response.status, 422]
      const rejection = rejectionOf(
        { ...row, values: new Map([...row.values, ...values]) },
        new Set(values.keys()),
        model,
      )
      if (rejection !== null) return [response.status, rejection]
      for (const [name, value] of values) row.values.set(name, value)
      return [response.status, 200]
    }
    case 'convert': {
      const known = model.tables.get(command.table)?.columns.get(command.column)
      if (known === undefined) return null
      const rows = rowsOf(model, command.table).filter((row) => row.values.has(command.column))
      const becomes = rows.map((row) => converted(row.values.get(command.column) ?? null, command.type))
      const loses = known.type !== command.type && becomes.includes(LOST)
      const confirm = command.confirm ? `?sysparm_confirm=${nameOf(command.table)}.${command.column}` : ''
      const response = await desk.send(`PATCH /rest/v1/table/sys_db_column/${known.id}${confirm}`, {
        column_type_id: await desk.typeId(command.type),
      })
      if (known.type !== command.type && !fitsAsDefault(known.defaultText, command.type)) return [response.status, 422]
      if (loses && !command.confirm) return [response.status, 409]
      if (
        known.type !== command.type &&
        known.unique &&
        isShared(becomes.map((value) => (value === LOST ? null : value)))
      )
        return [response.status, 409]
      if (known.type !== command.type) {
        for (const [index, row] of rows.entries()) {
          const value = becomes[index]
          row.values.set(command.column, value === LOST || value === undefined ? null : value)
        }
      }
      known.type = command.type
      return [response.status, 200]
    }
    case 'drop-column': {
      const owner = model.tables.get(command.table)
      const known = owner?.columns.get(command.column)
      if (owner === undefined || known === undefined) return null
      const rows = rowsOf(model, command.table)
      const loses = rows.some((row) => (row.values.get(command.column) ?? null) !== null)
      const confirm = command.confirm ? `?sysparm_confirm=${nameOf(command.table)}.${command.column}` : ''
      const response = await desk.send(`DELETE /rest/v1/table/sys_db_column/${known.id}${confirm}`)
      if (loses && !command.confirm) return [response.status, 409]
      for (const row of rows) row.values.delete(command.column)
      owner.columns.delete(command.column)
      return [response.status, 200]
    }
    case 'drop-table': {
      if (!model.tables.has(command.table)) return null
      const rows = rowsOf(model, command.table)
      const confirm = command.confirm ? `?sysparm_confirm=${nameOf(command.table)}` : ''
      const response = await desk.send(
        `DELETE /rest/v1/table/sys_db_table/${await desk.tableId(nameOf(command.table))}${confirm}`,
      )
      if (childrenOf(model, command.table).length > 0 || (rows.length > 0 && !command.confirm))
        return [response.status, 409]
      model.tables.delete(command.table)
      model.rows = model.rows.filter((row) => row.table !== command.table)
      return [response.status, 200]
    }
  }
}

/** The name of a command in the list of executed commands. */
const nameOf = (command: Command): string =>
  command.kind === 'describe' ? `describe ${command.describing.part}` : command.kind

const idIn = (response: ReceivedResponse): string =>
  (response.body as { data?: readonly { sys_id: string }[] }).data?.[0]?.sys_id ?? ''

function newColumn(
  name: string,
  type: ModelColumn['type'],
  response: ReceivedResponse,
  dependsOn: string | null = null,
): ModelColumn {
  const plain = { title: 'C', defaultText: '', mandatory: false, unique: false, choices: [] }
  return { id: idIn(response), name, type, dependsOn, ...plain }
}

interface Described {
  readonly desk: DictionaryDesk
  readonly model: Model
  readonly owner: string
  readonly known: ModelColumn
}
type Describing = Extract<Command, { kind: 'describe' }>['describing']

async function describe(
  { part, to }: Describing,
  { desk, model, owner, known }: Described,
): Promise<readonly [number, number]> {
  const patch = async (value: unknown): Promise<number> =>
    (await desk.send(`PATCH /rest/v1/table/sys_db_column/${known.id}`, { [part]: value })).status
  switch (part) {
    case 'column_name':
      return [await patch(to), 422]
    case 'title':
      known.title = `Title ${to}`
      return [await patch(known.title), 200]
    case 'default_value':
      known.defaultText = to === null ? '' : String(sampleOf(known.type, to))
      return [await patch(to === null ? null : known.defaultText), 200]
    case 'mandatory':
      known.mandatory = to
      return [await patch(to), 200]
    case 'unique': {
      const status = await patch(to)
      if (to && !known.unique && isShared(valuesIn(model, owner, known.name))) return [status, 409]
      known.unique = to
      return [status, 200]
    }
  }
}

/** The status if the row does not fit the model; null: it fits. @param named columns of the write */
function rejectionOf(row: ModelRow, named: ReadonlySet<string>, model: Model): 409 | 422 | null {
  const columns = columnsOf(model, row.table)
  for (const { name, choices, dependsOn } of columns.values()) {
    const value = row.values.get(name) ?? null
    if (named.has(name) && value !== null && choices.length > 0 && !choices.some((each) => each.value === value))
      return 422
    const isTouched = named.has(name) || (dependsOn !== null && named.has(dependsOn))
    if (!isTouched || dependsOn === null || value === null || choices.every(({ dependent }) => dependent === null))
      continue
    const parent = row.values.get(dependsOn) ?? null
    const isThere = ({ value: of, dependent }: (typeof choices)[number]): boolean =>
      of === value && (dependent === null || dependent === parent)
    if (!choices.some(isThere)) return 422
  }
  for (const [owner, { columns: own }] of model.tables) {
    if (!isOf(model, row.table, owner)) continue
    for (const { name, unique } of own.values()) {
      const others = rowsOf(model, owner).filter(({ id }) => id !== row.id)
      const value = row.values.get(name) ?? null
      if (unique && value !== null && others.some((other) => keyOf(other.values.get(name) ?? '') === keyOf(value)))
        return 409
    }
  }
  return null
}

/** `isKnown`: all the columns exist. */
function valuesFor(
  table: string,
  wanted: readonly (readonly [string, number])[],
  model: Model,
): { readonly values: ReadonlyMap<string, Value>; readonly isKnown: boolean } {
  const columns = columnsOf(model, table)
  const values = new Map(
    wanted.map(([name, seed]): [string, Value] => {
      const known = columns.get(name)
      return [name, known === undefined ? 'anything' : sampleOf(known.type, seed)]
    }),
  )
  return { values, isKnown: [...values.keys()].every((name) => columns.has(name)) }
}

async function compare(trial: Trial, desk: DictionaryDesk): Promise<void> {
  const own = [...trial.model.tables].flatMap(([, { columns }]) => [...columns.values()])
  const query = `sysparm_query=table_id.nameSTARTSWITH${trial.nameOf('')}^column_nameNOTSTARTSWITHsys_`
  const described = await desk.records('sys_db_column', `sys_id,title,mandatory,unique,default_value&${query}`)
  expect(described).toEqual(
    own
      .map(({ id, title, mandatory, unique, defaultText }) => ({
        ...{ sys_id: id, title, mandatory, unique, default_value: defaultText === '' ? null : defaultText },
      }))
      .toSorted((one, other) => (BigInt(one.sys_id) < BigInt(other.sys_id) ? -1 : 1)),
  )
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

/** Creates tables with columns, so that most random commands apply. */
const BEGINNING: readonly Command[] = [
  { kind: 'make-table', process: 0, table: 'a', parent: null },
  { kind: 'make-table', process: 1, table: 'b', parent: 'a' },
  { kind: 'add-column', process: 0, table: 'a', column: 'x', type: 'string' },
  { kind: 'add-column', process: 1, table: 'a', column: 'z', type: 'biginteger' },
  { kind: 'add-column', process: 0, table: 'b', column: 'y', type: 'boolean' },
  { kind: 'add-choices', process: 1, table: 'a' },
]

async function play(commands: readonly Command[], prefix: string): Promise<readonly string[]> {
  const trial: Trial = { model: { tables: new Map(), rows: [] }, nameOf: (table) => `${prefix}${table}` }
  const done: string[] = []
  for (const command of commands) {
    const statuses = await perform(command, trial)
    if (statuses === null) continue
    expect([command.kind, statuses[0]]).toEqual([command.kind, statuses[1]])
    done.push(`${nameOf(command)} ${statuses[0]}`)
    await compare(trial, desks[command.process === 0 ? 1 : 0])
  }
  const [left] = await fresh.database.rows<{ same: boolean }>(sql`
    select (select count(*) from pg_class where relnamespace = 'docket'::regnamespace and relkind = 'r' and starts_with(relname, ${prefix}))
      = (select count(*) from docket.sys_db_table where starts_with(name, ${prefix}) and parent_id is null) as same`)
  expect(left).toEqual({ same: true })
  return done
}

test('the model says what comes of each command, whatever comes of it', async () => {
  const at = { process: 0, table: 'a' } as const
  const describe = (column: string, describing: Describing): Command => ({
    kind: 'describe',
    ...at,
    column,
    describing,
  })
  const write = (...values: [string, number][]): Command => ({ kind: 'write', ...at, process: 1, table: 'b', values })
  const patch = (row: number, ...values: [string, number][]): Command => ({ kind: 'patch', process: 0, row, values })
  const add = (of: 'p' | 'q', value: string, dependent: string | null): Command => ({
    ...{ kind: 'add-choice', ...at, of, value, dependent },
  })
  const convert = (column: string, type: Type, confirm: boolean): Command => ({
    ...{ kind: 'convert', ...at, column, type, confirm },
  })
  const script: readonly (readonly [Command, number])[] = [
    [{ kind: 'add-column', ...at, column: 'x', type: 'integer' }, 409],
    [{ kind: 'add-column', ...at, table: 'b', column: 'x', type: 'integer' }, 422],
    [write(['x', 0], ['z', 1], ['p', 0], ['q', 0]), 200],
    [write(['x', 0], ['z', 1]), 200],
    [write(['unknown', 0]), 422],
    [describe('x', { part: 'unique', to: true }), 409],
    [patch(1, ['x', 3]), 200],
    [describe('x', { part: 'unique', to: true }), 200],
    [write(['x', 3]), 409],
    [patch(0, ['x', 3]), 409],
    [patch(0, ['x', 0]), 200],
    [describe('x', { part: 'title', to: 1 }), 200],
    [describe('x', { part: 'column_name', to: 'another' }), 422],
    [describe('z', { part: 'default_value', to: 2 }), 200],
    [write(['x', 1]), 200],
    [describe('z', { part: 'mandatory', to: true }), 200],
    [write(['x', 2]), 200],
    [describe('z', { part: 'default_value', to: null }), 200],
    [write(['x', 4]), 422],
    // Narrower types, and the values that they would lose.
    [describe('z', { part: 'default_value', to: 2 }), 200],
    [convert('z', 'integer', true), 422],
    [describe('z', { part: 'default_value', to: 0 }), 200],
    [convert('z', 'integer', false), 409],
    [convert('z', 'integer', true), 200],
    [convert('x', 'integer', false), 409],
    // A column with equal values cannot become unique.
    [describe('z', { part: 'unique', to: true }), 409],
    [add('p', 'a', null), 200],
    [add('p', 'b', null), 200],
    [add('q', 'a', 'c'), 422],
    [add('q', 'a', 'a'), 200],
    [add('q', 'b', 'b'), 200],
    [add('q', 'c', null), 200],
    [write(['z', 3], ['p', 0], ['q', 0]), 200],
    [write(['z', 3], ['p', 0], ['q', 1]), 422],
    [write(['z', 3], ['p', 5]), 422],
    [write(['z', 3], ['q', 2]), 200],
    [write(['z', 3], ['p', 1], ['q', 2]), 200],
    [patch(4, ['p', 1]), 422],
    [patch(4, ['p', 1], ['q', 1]), 200],
    [{ kind: 'drop-column', ...at, column: 'x', confirm: false }, 409],
    [{ kind: 'drop-column', ...at, column: 'x', confirm: true }, 200],
    [patch(0, ['x', 0]), 422],
    [{ kind: 'drop-table', ...at, confirm: true }, 409],
    [{ kind: 'drop-table', ...at, table: 'b', confirm: false }, 409],
    [{ kind: 'drop-table', ...at, table: 'b', confirm: true }, 200],
    [{ kind: 'drop-table', ...at, confirm: false }, 200],
  ]
  const done = await play([...BEGINNING, ...script.map(([command]) => command)], 'script_')
  expect(done.slice(BEGINNING.length)).toEqual(script.map(([command, status]) => `${nameOf(command)} ${status}`))
})

test('a random sequence of dictionary changes, writes and reads in two processes equals the model', async () => {
  let trials = 0
  const commands = fc.noBias(fc.array(command, { minLength: 40, maxLength: 80, size: 'max' }))
  await fc.assert(
    fc.asyncProperty(commands, async (random) => {
      trials += 1
      await play([...BEGINNING, ...random], `trial_${trials}_`)
    }),
    runs(8),
  )
})
