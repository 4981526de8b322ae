import type { Column, ColumnType } from '../../catalog/catalog.ts'
import type { KeyKind } from '../../catalog/record-key.ts'
import type { Operator } from '../../condition/operators.ts'
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
  journal_input: 'nothing',
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
const IDS: readonly ValueFamily[] = ['id', 'uuid', 'key']
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
  LIKE: [...TEXTS, ...IDS],
  'NOT LIKE': [...TEXTS, ...IDS],
  STARTSWITH: [...TEXTS, ...IDS],
  NOTSTARTSWITH: [...TEXTS, ...IDS],
  ENDSWITH: [...TEXTS, ...IDS],
  ISEMPTY: EVERY,
  ISNOTEMPTY: EVERY,
  EMPTYSTRING: EVERY,
  ANYTHING: EVERY,
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
  HAS: ['list'],
  HASNOT: ['list'],
  DYNAMIC: ['id'],
  ARE: TEXTS,
  INSTANCEOF: ['id'],
} as const satisfies Record<Operator, readonly ValueFamily[]>

export function fits(operator: Operator, family: ValueFamily): boolean {
  return (FITS[operator] as readonly ValueFamily[]).includes(family)
}

export function operatorsOf(family: ValueFamily): readonly string[] {
  return Object.entries(FITS)
    .filter(([, families]) => (families as readonly ValueFamily[]).includes(family))
    .map(([operator]) => operator)
}
