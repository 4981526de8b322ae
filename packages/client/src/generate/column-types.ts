import type { ColumnMeta, TableMeta } from '../meta.ts'
import { comment, memberName, type Names, quote } from './names.ts'

/** Parts of the module for one column; null: the column is not in that part. */
export interface ColumnTypes {
  /** The type of its choices, or nothing. */
  readonly choices: string
  readonly read: string | null
  readonly create: string | null
  readonly update: string | null
  readonly reference: string | null
  readonly operators: string | null
}

/** Gives the type of a column's operators a name. */
export type NameOperators = (column: ColumnMeta) => string

export function columnTypes(
  table: TableMeta,
  column: ColumnMeta,
  names: Names,
  nameOperators: NameOperators,
): ColumnTypes {
  const { rights } = column
  const choices = column.choices.length === 0 || isNumber(column) ? null : names.ofChoices(table.name, column.name)
  const types = typesOf(column, choices)
  const empty = column.mandatory ? '' : ' | null'
  const optional = column.required_on_create ? '' : '?'
  return {
    choices: choices === null ? '' : choiceType(choices, column, `${table.title}: ${column.title}`),
    read: rights.read === 'never' ? null : member(column, isSometimesAbsent(table, column) ? '?' : '', types.read),
    create: rights.create === 'never' ? null : member(column, optional, withNull(types.create, empty)),
    update: rights.write === 'never' ? null : member(column, '?', withNull(types.update, empty)),
    reference:
      column.reference === null || !isOneReference(column) || rights.read === 'never'
        ? null
        : `    readonly ${memberName(column.name)}: ${quote(column.reference.table)}\n`,
    operators: rights.read === 'never' ? null : `    readonly ${memberName(column.name)}: ${nameOperators(column)}\n`,
  }
}

/** A rule of the column hides it on some rows: its key is absent there. */
const isSometimesAbsent = (table: TableMeta, { rights }: ColumnMeta): boolean =>
  rights.read === 'on_rows' && table.rights.read === 'always'

const isNumber = ({ json_type: type }: ColumnMeta): boolean => type === 'integer' || type === 'number'
/** A list of references cannot be part of a path. */
const isOneReference = ({ comparison }: ColumnMeta): boolean => comparison !== 'list'
const withNull = (type: string, empty: string): string => (type === 'unknown' ? type : `${type}${empty}`)

function member({ name, title }: ColumnMeta, mark: '' | '?', type: string): string {
  return `${comment('    ', title)}    readonly ${memberName(name)}${mark}: ${type}\n`
}

interface Types {
  readonly read: string
  readonly create: string
  readonly update: string
}

function typesOf(column: ColumnMeta, choices: string | null): Types {
  const { comparison, reference, nullable } = column
  const read = `${readType(column, choices)}${nullable && column.json_type !== 'any' && comparison !== 'journal' ? ' | null' : ''}`
  if (column.json_type === 'any') return { read, create: 'unknown', update: 'unknown' }
  if (comparison === 'list') return { read, ...inForms('List', 'ListChange', memberType(choices)) }
  if (reference !== null) return { read, ...inForms('Reference', 'ReferenceChange', quote(reference.table)) }
  if (comparison === 'journal') return { read, create: 'Value<string>', update: 'JournalEntry' }
  if (NUMBERS.has(comparison)) return { read, create: 'NumberValue', update: 'NumberChange' }
  if (comparison === 'boolean') return { read, ...inForms('Value', 'ValueChange', 'boolean') }
  if (comparison === 'text' && choices === null) return { read, create: 'Value<string>', update: 'TextChange' }
  return { read, ...inForms('Value', 'ValueChange', choices ?? 'string') }
}

const NUMBERS: ReadonlySet<string> = new Set(['whole', 'decimal', 'float'])

const inForms = (create: string, update: string, of: string): Omit<Types, 'read'> => ({
  create: `${create}<${of}>`,
  update: `${update}<${of}>`,
})

const memberType = (choices: string | null): string => choices ?? 'string'

function readType(column: ColumnMeta, choices: string | null): string {
  if (column.comparison === 'journal') return 'null'
  if (column.reference !== null && isOneReference(column)) return `SysId<${quote(column.reference.table)}>`
  switch (column.json_type) {
    case 'any':
      return 'unknown'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return `readonly ${memberType(choices)}[]`
    default:
      return choices ?? 'string'
  }
}

/** Closed only where the server rejects other values. */
function choiceType(name: string, { choices, comparison }: ColumnMeta, title: string): string {
  const titles = new Map<string, string>()
  for (const { value, title: each } of choices) if (!titles.has(value)) titles.set(value, each)
  const members = [...titles].map(([value, each]) => `${comment('  ', each)}  | ${quote(value)}\n`)
  const others = comparison === 'choice' || comparison === 'list' ? '' : '  | (string & {})\n'
  return `${comment('', title)}export type ${name} =\n${members.join('')}${others}\n`
}
