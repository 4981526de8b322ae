import type { Column, ColumnType } from '../../catalog/catalog.ts'
import type { KeyKind } from '../../catalog/record-key.ts'
import { OPERATORS, type Operator } from '../../condition/operators.ts'
import type { ValueFamily } from './record-plan.ts'

const FAMILIES = {
  integer: 'whole',
  smallinteger: 'whole',
  biginteger: 'whole',
  percent_complete: 'whole',
  duration: 'whole',
  days_of_week: 'whole',
  decimal: 'decimal',
  float: 'float',
  boolean: 'boolean',
  string: 'text',
  text: 'text',
  url: 'text',
  email: 'text',
  phone: 'text',
  color: 'text',
  html: 'text',
  script: 'text',
  field_name: 'text',
  translated_text: 'text',
  wysiwyg: 'text',
  datetime: 'datetime',
  date: 'date',
  time: 'time',
  choice: 'choice',
  reference: 'id',
  sys_id: 'id',
  record_id: 'key',
  image: 'id',
  file: 'id',
  list: 'list',
  document_id: 'document',
  json: 'json',
  journal_input: 'journal',
  password: 'nothing',
  encrypted: 'nothing',
} as const satisfies Record<ColumnType, ValueFamily>

const KEY_FAMILIES = { whole: 'id', uuid: 'uuid', text: 'key', parts: 'key' } as const satisfies Record<
  KeyKind,
  ValueFamily
>

/** sys_ids of adopted tables are of whatever kind the tables' keys are. */
export function familyOf({ type, key }: Pick<Column, 'type' | 'key'>): ValueFamily {
  const family = FAMILIES[type]
  return family === 'id' && key !== null ? KEY_FAMILIES[key.kind] : family
}

/** Values that name records. */
export const isId = (family: ValueFamily): boolean => IDS.includes(family)

const EVERY: readonly ValueFamily[] = [
  'text',
  'choice',
  'whole',
  'decimal',
  'float',
  'boolean',
  'datetime',
  'date',
  'time',
  'id',
  'uuid',
  'key',
  'list',
  'document',
  'json',
  'nothing',
]
/** Asked of the entries. */
const JOURNAL: readonly ValueFamily[] = ['journal']
const IDS: readonly ValueFamily[] = ['id', 'uuid', 'key']
const LISTS: readonly ValueFamily[] = ['list']
const NUMBERS: readonly ValueFamily[] = ['whole', 'decimal', 'float']
const DATES: readonly ValueFamily[] = ['datetime', 'date']
const ORDERED: readonly ValueFamily[] = [...NUMBERS, ...DATES, 'time', 'choice', 'text']
const TEXTS: readonly ValueFamily[] = ['text', 'choice', 'nothing']

/** Record spec, section 6: which operators a column's type can answer. References answer LIKE by their display value. */
const FITS = {
  '=': EVERY,
  '!=': EVERY,
  '<': ORDERED,
  '>': ORDERED,
  '<=': ORDERED,
  '>=': ORDERED,
  IN: [...TEXTS, ...NUMBERS, ...IDS],
  'NOT IN': [...TEXTS, ...NUMBERS, ...IDS],
  LIKE: [...TEXTS, ...IDS, ...LISTS, ...JOURNAL],
  'NOT LIKE': [...TEXTS, ...IDS, ...LISTS],
  STARTSWITH: [...TEXTS, ...IDS, ...LISTS],
  NOTSTARTSWITH: [...TEXTS, ...IDS, ...LISTS],
  ENDSWITH: [...TEXTS, ...IDS, ...LISTS],
  ISEMPTY: [...EVERY, ...JOURNAL],
  ISNOTEMPTY: [...EVERY, ...JOURNAL],
  EMPTYSTRING: EVERY,
  ANYTHING: [...EVERY, ...JOURNAL],
  BETWEEN: ORDERED,
  SAMEAS: EVERY,
  NSAMEAS: EVERY,
  GT_FIELD: ORDERED,
  LT_FIELD: ORDERED,
  GT_OR_EQUALS_FIELD: ORDERED,
  LT_OR_EQUALS_FIELD: ORDERED,
  ON: DATES,
  NOTON: DATES,
  RELATIVEGT: DATES,
  RELATIVEGE: DATES,
  RELATIVELT: DATES,
  RELATIVELE: DATES,
  RELATIVEEE: DATES,
  DATEPART: DATES,
  HAS: LISTS,
  HASNOT: LISTS,
  DYNAMIC: ['id'],
  CONTAINS_DYNAMIC: LISTS,
  DOESNOTCONTAIN_DYNAMIC: LISTS,
  ARE: TEXTS,
  INSTANCEOF: ['id'],
  MATCH_PAT: ['text', 'choice'],
  MATCH_RGX: ['text', 'choice'],
} as const satisfies Record<Operator, readonly ValueFamily[]>

type ComparedColumn = Pick<Column, 'type' | 'key' | 'reference'>

/** sys_ids that are numbers, or UUIDs, have an order: lists are read on from the last one (`sys_id>x^ORDERBYsys_id`). */
const KEY_ORDER: ReadonlySet<Operator> = new Set(['<', '>', '<=', '>='])
/** They ask the records behind a list. */
const OF_MEMBERS: ReadonlySet<Operator> = new Set([
  'LIKE',
  'NOT LIKE',
  'STARTSWITH',
  'NOTSTARTSWITH',
  'ENDSWITH',
  'CONTAINS_DYNAMIC',
  'DOESNOTCONTAIN_DYNAMIC',
])

export function fits(operator: Operator, column: ComparedColumn): boolean {
  const family = familyOf(column)
  if (column.type === 'sys_id' && KEY_ORDER.has(operator)) return family === 'id' || family === 'uuid'
  if (family === 'list' && OF_MEMBERS.has(operator)) return column.reference !== null
  return (FITS[operator] as readonly ValueFamily[]).includes(family)
}

export function operatorsOf(column: ComparedColumn): readonly Operator[] {
  return OPERATORS.filter((operator) => fits(operator, column))
}
