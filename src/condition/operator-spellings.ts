import { OPERATORS, type Operator } from './operators.ts'

/** The kind of value that an operator takes. */
export type OperandKind = 'none' | 'value' | 'field'

const WITHOUT_VALUE: ReadonlySet<Operator> = new Set(['ISEMPTY', 'ISNOTEMPTY', 'EMPTYSTRING', 'ANYTHING'])
const AGAINST_FIELD: ReadonlySet<Operator> = new Set([
  'SAMEAS',
  'NSAMEAS',
  'GT_FIELD',
  'LT_FIELD',
  'GT_OR_EQUALS_FIELD',
  'LT_OR_EQUALS_FIELD',
])

export function operandOf(operator: Operator): OperandKind {
  if (WITHOUT_VALUE.has(operator)) return 'none'
  return AGAINST_FIELD.has(operator) ? 'field' : 'value'
}

/** Spellings besides the canonical one (docs/spec/records.md, section 6). */
const OTHER_SPELLINGS: Readonly<Record<string, Operator>> = {
  NOTIN: 'NOT IN',
  CONTAINS: 'LIKE',
  '*': 'LIKE',
  NOTLIKE: 'NOT LIKE',
  'DOES NOT CONTAIN': 'NOT LIKE',
  '!*': 'NOT LIKE',
  '%': 'ENDSWITH',
  MORETHAN: '>',
  LESSTHAN: '<',
  EMPTY: 'ISEMPTY',
  ISNULL: 'ISEMPTY',
  NOTEMPTY: 'ISNOTEMPTY',
}

/** Operators of other platforms that a query over stored rows cannot evaluate, each with the reason for the error. */
export const REJECTED_OPERATORS: Readonly<Record<string, string>> = {
  IS_CALCULATED: 'columns are not calculated by scripts here, so no value is ever "calculated"',
  VALCHANGES: 'it compares a record with its state before a change, and a query sees stored records only',
  CHANGESFROM: 'it compares a record with its state before a change, and a query sees stored records only',
  CHANGESTO: 'it compares a record with its state before a change, and a query sees stored records only',
}

export type SpelledOperator =
  | { readonly kind: 'operator'; readonly spelling: string; readonly operator: Operator }
  | { readonly kind: 'rejected'; readonly spelling: string; readonly reason: string }

const SPELLED: readonly SpelledOperator[] = [
  ...OPERATORS.map((operator) => ({ kind: 'operator', spelling: operator, operator }) as const),
  ...Object.entries(OTHER_SPELLINGS).map(([spelling, operator]) => ({ kind: 'operator', spelling, operator }) as const),
  ...Object.entries(REJECTED_OPERATORS).map(([spelling, reason]) => ({ kind: 'rejected', spelling, reason }) as const),
]

/** Candidates by first character, longest first: `<=` is tried before `<`, INSTANCEOF before IN. */
const BY_FIRST_UNIT: ReadonlyMap<number, readonly SpelledOperator[]> = byFirstUnit(
  SPELLED.toSorted((a, b) => b.spelling.length - a.spelling.length),
)

/** `Map.groupBy` is missing in Node 20, where docket-client runs too. */
function byFirstUnit(spelled: readonly SpelledOperator[]): ReadonlyMap<number, readonly SpelledOperator[]> {
  const units = new Set(spelled.map(({ spelling }) => spelling.charCodeAt(0)))
  return new Map([...units].map((unit) => [unit, spelled.filter(({ spelling }) => spelling.charCodeAt(0) === unit)]))
}

/** The operator that starts at this offset, longest spelling first; undefined where none does. */
export function operatorAt(text: string, offset: number): SpelledOperator | undefined {
  return BY_FIRST_UNIT.get(text.charCodeAt(offset))?.find(({ spelling }) => text.startsWith(spelling, offset))
}

/** Every spelling of an operator, the canonical one first. */
export function spellingsOf(operator: Operator): readonly string[] {
  return SPELLED.filter((spelled) => spelled.kind === 'operator' && spelled.operator === operator).map(
    ({ spelling }) => spelling,
  )
}

/** Before a value that is a text, whatever it begins with. No field begins with `'`, so parsers that do not support the mark reject it. */
export const LITERAL_MARK = "^'"
