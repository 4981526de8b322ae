import type { Column, DisplayedValue } from '../catalog/catalog.ts'
import { comparisonOf, isOwnKey, refersToMany } from '../column-types/column-types.ts'
import { isId } from '../column-types/comparison-types.ts'
import { OWN_KEY } from '../column-types/record-key.ts'
import { boundOfServedId, type GivenIds, isServedByNumber, readServedId } from '../column-types/served-id.ts'
import type { ConditionComparison, ConditionTree, ConditionValue, Operand } from '../condition/condition-tree.ts'
import { mapOperands } from '../condition/map-operands.ts'
import { type Operator, POSITIVE_OPERATORS, TEXT_OPERATORS } from '../condition/operators.ts'
import { literal } from '../condition/typed-value.ts'
import { withStored } from './read-choice-condition.ts'
import { SERVED_ID } from './served-id-column.ts'
import { DYNAMIC_OPTIONS, TABLES } from './vocabulary.ts'

interface Ids {
  readonly prefix: string
  readonly given: GivenIds
}

/** Converts a comparison of this API to one of stored values. */
export function readComparison(comparison: ConditionComparison, column: Column, ids: Ids): ConditionTree {
  if (comparison.value.kind === 'name') return { ...comparison, value: readName(comparison.value.name) }
  const { displayed } = column
  if (isOwnKey(column) && STARTS[comparison.operator] !== undefined && hasOwnIds(column))
    return startsLike(comparison, column, ids)
  // If the displayed value depends on the class of the row, the displayed value is compared.
  if (displayed?.kind === 'choice')
    return displayed.classes.length === 1 ? withStored(comparison, displayed) : comparison
  if (displayed?.kind === 'filled' || displayed?.kind === 'count' || displayed?.kind === 'logged') return comparison
  if (displayed?.kind === 'served-id') return ofServedId(comparison, column, ids)
  if (displayed?.kind === 'masked' || displayed?.kind === 'journals') return comparison
  if (displayed !== undefined) return withDisplayed(comparison, displayed)
  if (refersToMany(column)) return column.reference === null ? comparison : withIds(comparison, column.key, ids)
  return isId(comparisonOf(column)) ? withIds(comparison, column.key, ids) : comparison
}

/** The name of a class or of a dynamic filter. */
function readName(name: string): ConditionValue {
  const own = Object.entries(TABLES).find(([, here]) => here === name)?.[0]
  return { kind: 'name', name: own ?? DYNAMIC_OPTIONS[name.toLowerCase()] ?? name }
}

// ── ids ──

const ORDERS: ReadonlySet<Operator> = new Set(['<', '>', '<=', '>='])
/** No record has this id. */
const NO_ID = '0'

const STARTS: { readonly [operator in Operator]?: readonly [lower: Operator, upper: Operator] } = {
  STARTSWITH: ['>=', '<='],
  NOTSTARTSWITH: ['<', '>'],
}
const ID_LENGTH = 32

/** Every id follows from the number of its record. */
const hasOwnIds = ({ key, displayed }: Column): boolean =>
  displayed === undefined && isServedByNumber(key) && key?.wellKnown === undefined

/** How an id begins, as a part of the order of ids: exports read ids by their first digits. */
function startsLike(comparison: ConditionComparison, column: Column, ids: Ids): ConditionTree {
  const [first = ''] = textsOf(comparison.value)
  const start = first.trim().toLowerCase()
  const [lower = '>=', upper = '<='] = STARTS[comparison.operator] ?? []
  const isPositive = lower === '>='
  if (start.length > ID_LENGTH)
    return isPositive
      ? {
          kind: 'all',
          of: [
            { ...comparison, ...NEVER },
            { ...comparison, operator: 'ISNOTEMPTY', value: { kind: 'none' } },
          ],
        }
      : { ...comparison, ...ALWAYS }
  const end = (operator: Operator, text: string): ConditionTree =>
    readComparison({ ...comparison, operator, value: literal(text) }, column, ids)
  const ends = [end(lower, start), end(upper, start.padEnd(ID_LENGTH, 'f'))]
  // An empty reference has no id, so its id does not start with this text.
  return isPositive ? { kind: 'all', of: ends } : { kind: 'any', of: [...ends, { ...comparison, ...NEVER }] }
}

/** The sys_id of a hierarchy with ids of another system: found by the key, put in order as it is served. */
function ofServedId(comparison: ConditionComparison, { key }: Column, ids: Ids): ConditionComparison {
  if (ORDERS.has(comparison.operator)) return { ...comparison, path: [...comparison.path.slice(0, -1), SERVED_ID] }
  return withIds(comparison, { ...key, ...OWN_KEY }, ids)
}

function withIds(comparison: ConditionComparison, key: Column['key'], ids: Ids): ConditionComparison {
  const { operator } = comparison
  // On a reference these compare the display value.
  if (TEXT_OPERATORS.has(operator)) return comparison
  const kind = key?.kind ?? 'whole'
  const readOne = (text: string): string => {
    if (text === '') return text
    if (!ORDERS.has(operator) || kind !== 'whole') return readServedId(text, key, ids) ?? NO_RECORD[kind]
    return boundOfServedId(text, ids.prefix, operator === '>' || operator === '<=')
  }
  return { ...comparison, value: mapTexts(comparison.value, readOne) }
}

const NO_RECORD = { whole: NO_ID, uuid: '00000000-0000-0000-0000-000000000000', text: '', parts: '' } as const

/** A literal may be a list of texts, too. */
function mapTexts(value: ConditionValue, change: (text: string) => string): ConditionValue {
  const one = (operand: Operand): Operand => (operand.kind === 'literal' ? literal(change(operand.text)) : operand)
  const list = (operand: Operand): Operand =>
    operand.kind === 'literal' ? literal(operand.text.split(',').map(change).join(',')) : operand
  return value.kind === 'literal' ? list(value) : mapOperands(value, one, list)
}

// ── values that are displayed as others ──

type ComputedValue = Extract<DisplayedValue, { readonly kind: 'negated' | 'constant' | 'lookup' }>

function withDisplayed(comparison: ConditionComparison, displayed: ComputedValue): ConditionComparison {
  switch (displayed.kind) {
    case 'negated':
      return { ...comparison, value: mapTexts(comparison.value, negated) }
    case 'constant':
      return holds(comparison, displayed.text) ? { ...comparison, ...ALWAYS } : { ...comparison, ...NEVER }
    case 'lookup':
      return withKeys(comparison, displayed)
  }
}

const ALWAYS = { operator: 'ANYTHING', value: { kind: 'none' } } as const
/** Never true for a sys_id, which is never empty. */
const NEVER = { operator: 'ISEMPTY', value: { kind: 'none' } } as const

const NEGATED: Readonly<Record<string, string>> = { true: 'false', false: 'true', 1: 'false', 0: 'true' }
const negated = (text: string): string => NEGATED[text.trim().toLowerCase()] ?? text

/** Compares with the keys whose texts meet the condition. */
function withKeys(
  comparison: ConditionComparison,
  displayed: DisplayedValue & { readonly kind: 'lookup' },
): ConditionComparison {
  const positive = POSITIVE_OPERATORS[comparison.operator]
  const { operator } = comparison
  const emptiness = displayed.storage === 'sys_id' ? ofEmptiness(comparison) : null
  if (emptiness !== null) {
    // A record whose sys_id has no text displays an empty one.
    const filled = [...displayed.texts].filter(([, text]) => text !== '').map(([key]) => literal(key))
    return { ...comparison, operator: emptiness ? 'NOT IN' : 'IN', value: { kind: 'list', members: filled } }
  }
  if (positive === undefined && !COMPARED.has(operator)) return comparison
  const requested = { ...comparison, operator: positive ?? operator }
  const keys = [...displayed.texts].filter(([, text]) => holds(requested, text)).map(([key]) => key)
  const others = displayed.orKey
    ? textsOf(comparison.value).filter((text) => !displayed.texts.has(text) && text !== '')
    : []
  const members = [...keys, ...others].map(literal)
  return {
    ...comparison,
    operator: positive === undefined ? 'IN' : 'NOT IN',
    value: { kind: 'list', members: members.length === 0 ? [literal(NO_ID)] : members },
  }
}

/** true: the value is empty; false: it is not; null: another comparison. */
function ofEmptiness({ operator, value }: ConditionComparison): boolean | null {
  if (operator === 'ISEMPTY' || operator === 'ISNOTEMPTY') return operator === 'ISEMPTY'
  const isEmptyText = value.kind === 'literal' && value.text === ''
  return isEmptyText && (operator === '=' || operator === '!=') ? operator === '=' : null
}

const COMPARED: ReadonlySet<Operator> = new Set(['=', 'IN', 'LIKE', 'STARTSWITH', 'ENDSWITH', '<', '>', '<=', '>='])

function textsOf(value: ConditionValue): readonly string[] {
  if (value.kind === 'literal') return [value.text]
  return value.kind === 'list' ? value.members.map(({ text }) => text) : []
}

function holds({ operator, value }: ConditionComparison, displayed: string): boolean {
  const text = displayed.toLowerCase()
  const [first = '', ...others] = textsOf(value).map((each) => each.toLowerCase())
  switch (operator) {
    case '=':
      return text === first
    case '!=':
      return text !== first
    case 'IN':
      return text === first || others.includes(text)
    case 'NOT IN':
      return text !== first && !others.includes(text)
    case 'LIKE':
      return text.includes(first)
    case 'NOT LIKE':
      return !text.includes(first)
    case 'STARTSWITH':
      return text.startsWith(first)
    case 'NOTSTARTSWITH':
      return !text.startsWith(first)
    case 'ENDSWITH':
      return text.endsWith(first)
    case '<':
      return text < first
    case '>':
      return text > first
    case '<=':
      return text <= first
    case '>=':
      return text >= first
    case 'ISEMPTY':
      return text === ''
    case 'ISNOTEMPTY':
      return text !== ''
    default:
      return false
  }
}
