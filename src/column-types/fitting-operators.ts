import { OPERATORS, type Operator, TEXT_OPERATORS } from '../condition/operators.ts'
import { type ColumnTypeName, comparisonOf, isOwnKey } from './column-types.ts'
import type { ComparisonType } from './comparison-types.ts'
import type { RecordKey } from './record-key.ts'

const EVERY: readonly ComparisonType[] = [
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
/** They search the entries. */
const JOURNAL: readonly ComparisonType[] = ['journal']
const IDS: readonly ComparisonType[] = ['id', 'uuid', 'key']
const LISTS: readonly ComparisonType[] = ['list']
const NUMBERS: readonly ComparisonType[] = ['whole', 'decimal', 'float']
const DATES: readonly ComparisonType[] = ['datetime', 'date']
const ORDERED: readonly ComparisonType[] = [...NUMBERS, ...DATES, 'time', 'choice', 'text']
const TEXTS: readonly ComparisonType[] = ['text', 'choice', 'nothing']

/** docs/spec/records.md, section 6: the operators of each column type. References compare their display value by LIKE. */
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
} as const satisfies Record<Operator, readonly ComparisonType[]>

interface ComparedColumn {
  readonly type: ColumnTypeName
  readonly key: RecordKey | null
  readonly reference: string | null
}

/** sys_ids that are numbers or UUIDs, and served ids, are ordered: clients page from the last one (`sys_id>x^ORDERBYsys_id`). */
const KEY_ORDER: ReadonlySet<Operator> = new Set(['<', '>', '<=', '>='])
/** They compare the records in a list. */
const OF_MEMBERS: ReadonlySet<Operator> = new Set([...TEXT_OPERATORS, 'CONTAINS_DYNAMIC', 'DOESNOTCONTAIN_DYNAMIC'])

export function fits(operator: Operator, column: ComparedColumn): boolean {
  const type = comparisonOf(column)
  if (isOwnKey(column) && KEY_ORDER.has(operator))
    return type === 'id' || type === 'uuid' || (column.key?.given ?? column.key?.wellKnown) !== undefined
  if (type === 'list' && OF_MEMBERS.has(operator)) return column.reference !== null
  return (FITS[operator] as readonly ComparisonType[]).includes(type)
}

export function operatorsOf(column: ComparedColumn): readonly Operator[] {
  return OPERATORS.filter((operator) => fits(operator, column))
}
