import type { Catalog, Column, Table } from '../catalog/catalog.ts'
import { columnTypeOf, isJournal, refersToMany, refersToOne } from '../column-types/column-types.ts'
import { parseDisplayValue } from '../column-types/parse-display-value.ts'
import { readSysId } from '../column-types/record-key.ts'
import { anyOf } from '../condition/combine-conditions.ts'
import { equalsText } from '../condition/literal-checks.ts'
import { parseExactJson, withDigitsAsText } from '../kernel/exact-json.ts'
import type { Problem } from '../kernel/problem.ts'
import { fail, type Result, succeed } from '../kernel/result.ts'
import { isName } from '../records/plan/plan-find.ts'
import type { RecordService } from '../records/record-service.ts'

type Values = Readonly<Record<string, unknown>>

/** Replaces names in a row: names of records by sys_ids, titles of choices by values. */
export type ResolveNames = (values: Values) => Result<Values, Problem> | Promise<Result<Values, Problem>>

export interface NameLookup {
  readonly catalog: Catalog
  readonly table: Table
  readonly records: Pick<RecordService, 'list'>
  /** Titles of choices are compared in this language first. */
  readonly language: 'en' | 'ru'
  /** Journal entries include their authors, who may be given by name. */
  readonly migrating: boolean
  /** Objects are instructions of PATCH, which the write reads. */
  readonly patching: boolean
}

/** The 18 digits of the sys_ids that Docket generates: no record has such a name, and most files contain nothing else. */
const OWN_SYS_ID = /^\d{18}$/

/**
 * The value of a reference is a sys_id, or a name of one record: its display value, or a value of a unique text column. The value
 * of a choice column is a value, or the title of one choice. Resolved names are kept for the whole import.
 */
export function resolveNames(lookup: NameLookup): ResolveNames {
  const { catalog, table } = lookup
  // Dates and times of a file are UTC. With sysparm_input_display_value, the write parses them.
  const reader = { language: lookup.language, timeZone: 'UTC' }
  const known = new Map<string, Promise<Result<string, string>>>()
  const find = (target: Table, text: string): Promise<Result<string, string>> => {
    const key = `${target.name}\n${text}`
    const found = known.get(key) ?? findRecord(target, text, lookup)
    known.set(key, found)
    return found
  }
  const named = new Set([...table.columns.values()].filter(mayBeNamed).map(({ name }) => name))
  // Nothing is awaited for a row of plain values.
  return (values) => (Object.keys(values).some((name) => named.has(name)) ? resolveRow(values) : succeed(values))

  /** Whether `resolveValue` may replace values of the column. */
  function mayBeNamed(column: Column): boolean {
    if (isJournal(column)) return lookup.migrating
    return refersToMany(column) || refersToOne(column) || readsDisplayValue(column, lookup)
  }

  async function resolveRow(values: Values): Promise<Result<Values, Problem>> {
    const resolved: [string, unknown][] = []
    for (const [name, value] of Object.entries(values)) {
      const column = named.has(name) ? table.columns.get(name) : undefined
      const read = column === undefined ? succeed(value) : await resolveValue(column, value)
      if (!read.ok) return fail({ kind: 'invalid-value', field: name, detail: read.error })
      resolved.push([name, read.value])
    }
    return succeed(Object.fromEntries(resolved))
  }

  async function resolveValue(column: Column, value: unknown): Promise<Result<unknown, string>> {
    if (value === null || value === undefined || value === '') return succeed(value)
    if (lookup.patching && typeof value === 'object' && !Array.isArray(value)) return succeed(value)
    if (isJournal(column)) return lookup.migrating ? resolveAuthors(value) : succeed(value)
    const target = column.reference === null ? undefined : catalog.tables.get(column.reference)
    if (refersToMany(column) && target !== undefined) return resolveMembers(value, target)
    if (target !== undefined && refersToOne(column) && typeof value === 'string') return find(target, value)
    const given = refersToMany(column) ? textOrMembers(value) : value
    return readsDisplayValue(column, lookup) ? parseDisplayValue(given, column, reader) : succeed(value)
  }

  async function resolveMembers(value: unknown, target: Table): Promise<Result<unknown, string>> {
    const members = membersOf(value)
    if (members === null) return succeed(value)
    const resolved: unknown[] = []
    for (const member of members) {
      const one = await resolveMember(target, member)
      if (!one.ok) return one
      resolved.push(one.value)
    }
    return succeed(resolved)
  }

  async function resolveMember(target: Table, member: unknown): Promise<Result<unknown, string>> {
    return typeof member === 'string' && member !== '' ? find(target, member) : succeed(member)
  }

  /** Journal entries that include their authors (migrate=1). */
  async function resolveAuthors(value: unknown): Promise<Result<unknown, string>> {
    const users = catalog.tables.get('user')
    const entries = typeof value === 'string' && value.startsWith('[') ? membersOf(value) : value
    if (!Array.isArray(entries) || users === undefined) return succeed(value)
    const resolved: unknown[] = []
    for (const entry of entries as readonly Values[]) {
      const author = entry?.['sys_created_by']
      const found = typeof author === 'string' && author !== '' ? await find(users, author) : null
      if (found?.ok === false) return found
      resolved.push(found === null ? entry : { ...entry, sys_created_by: found.value })
    }
    return succeed(resolved)
  }
}

/** Every import accepts titles of choices. A migration also accepts display values of other types; its JSON texts are values. */
function readsDisplayValue(column: Column, { migrating }: NameLookup): boolean {
  const { choices, display } = columnTypeOf(column)
  return choices === 'one' || choices === 'members' || (migrating && display.isNotMigrated !== true)
}

/** A list in a cell can be a JSON array. */
function textOrMembers(value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('[') ? (membersOf(value) ?? value) : value
}

/** In a cell, members are separated by `,` or form a JSON array. null: the value is not a list, and the write reports it. */
function membersOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value
  if (typeof value !== 'string') return null
  if (!value.startsWith('[')) return value.split(',').map((member) => member.trim())
  try {
    const parsed = withDigitsAsText(parseExactJson(value))
    return Array.isArray(parsed) ? parsed : null
  } catch {
    return null
  }
}

async function findRecord(target: Table, text: string, lookup: NameLookup): Promise<Result<string, string>> {
  const isId = readSysId(text, target.key) !== null
  if (isId && target.key.kind === 'whole' && OWN_SYS_ID.test(text)) return succeed(text)
  const names = [...target.columns.values()].filter(isName)
  const found = await findNamed(target, { text, isId, names }, lookup)
  if (!found.ok || found.value.includes(text)) return found.ok ? succeed(text) : found
  const [only, second] = found.value
  if (second !== undefined) return fail(`several records of ${target.name} are called ${quoted(text)}; give the sys_id`)
  if (only !== undefined) return succeed(only)
  // The write checks whether a record has this sys_id.
  return isId ? succeed(text) : fail(`no record of ${target.name} is called ${quoted(text)}`)
}

interface Named {
  readonly text: string
  readonly isId: boolean
  readonly names: readonly Column[]
}

async function findNamed(target: Table, named: Named, lookup: NameLookup): Promise<Result<readonly string[], string>> {
  const { text, isId, names } = named
  const columns = [...names.map(({ name }) => name), ...(isId ? [target.keyColumn] : [])]
  const [first, ...more] = columns.map((column) => equalsText([column], text))
  if (first === undefined) return succeed([])
  const { keyColumn } = target
  const query = { where: anyOf([first, ...more]), orders: [] }
  const found = await lookup.records.list({ table: target.name, query, fields: [keyColumn], limit: 3 })
  if (found.ok) return succeed(found.value.records.rows().map((record) => String(record[keyColumn])))
  const { error } = found
  // A name that the caller may not read does not resolve for them.
  if (error.kind !== 'column-denied') return fail(`${quoted(text)} cannot be looked up in ${target.name}`)
  return findNamed(target, { ...named, names: names.filter(({ name }) => name !== error.column) }, lookup)
}

const quoted = (text: string): string => JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`)
