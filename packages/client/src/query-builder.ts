import type { ConditionTree, ConditionValue, EncodedQuery, Operand } from '../../../src/condition/condition-tree.ts'
import { operandOf as operandKindOf } from '../../../src/condition/operator-spellings.ts'
import { literal, NO_VALUE, typedOperand } from '../../../src/condition/typed-value.ts'
import { fromInstant } from './instants.ts'
import type { parseEncodedQuery } from './parse.ts'
import { all, any, condition, type Operator, printEncodedQuery } from './query.ts'
import type { AnyTables, CheckedPath, FieldName, OperatorAt } from './table-types.ts'

type Scalar = string | number | bigint | boolean | Date
/** An empty value is null or ''. Lists are for IN, NOT IN, HAS, HASNOT; two values for BETWEEN. */
export type QueryValue = Scalar | null | Helper | readonly (Scalar | Helper)[]

/** A value that the server computes, such as the user of the request. */
export class Helper {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** `helper('gs.getUserID()')`: docs/operators.md lists the helpers. */
export const helper = (call: string): Helper => new Helper(`javascript:${call}`)

/**
 * A query of one table. Each method returns a new query. Values are data: no text of a value is parsed as part of the query, or as a
 * helper.
 */
export class QueryBuilder<T = AnyTables, R = AnyTables[string]> {
  readonly tree: EncodedQuery
  /** For the compiler only: queries of different tables have different types. */
  declare readonly of?: R

  constructor(tree: EncodedQuery = { where: null, orders: [] }) {
    this.tree = tree
  }

  /** Another condition that must hold. An alternative begins with `orGroup`. */
  where<const P extends FieldName<R>>(
    field: P & CheckedPath<T, R, P>,
    operator: OperatorAt<T, R, P>,
    value: QueryValue = null,
  ): QueryBuilder<T, R> {
    return this.#and(conditionOf(field, operator as Operator, value))
  }

  and<const P extends FieldName<R>>(
    field: P & CheckedPath<T, R, P>,
    operator: OperatorAt<T, R, P>,
    value: QueryValue = null,
  ): QueryBuilder<T, R> {
    return this.#and(conditionOf(field, operator as Operator, value))
  }

  /** At least one of these queries must hold too. Their orders are ignored. */
  any(...queries: readonly QueryBuilder<T, R>[]): QueryBuilder<T, R> {
    const [first, ...rest] = queries.flatMap(({ tree: { where } }) => where ?? [])
    // A query without conditions matches every record.
    if (first === undefined || rest.length + 1 < queries.length) return this
    return this.#and(any(first, ...rest))
  }

  /** Each of these queries must hold too: groups, which may have alternatives of their own. Their orders are ignored. */
  all(...queries: readonly QueryBuilder<T, R>[]): QueryBuilder<T, R> {
    const [first, ...rest] = queries.flatMap(({ tree: { where } }) => where ?? [])
    return first === undefined ? this : this.#and(all(first, ...rest))
  }

  /** All conditions so far, or those of the other query. */
  orGroup(other: QueryBuilder<T, R>): QueryBuilder<T, R> {
    const { where, orders } = this.tree
    const alternative = other.tree.where
    return new QueryBuilder({ where: where === null || alternative === null ? null : any(where, alternative), orders })
  }

  orderBy<const P extends FieldName<R>>(field: P & CheckedPath<T, R, P>): QueryBuilder<T, R> {
    return this.#order(field, 'ascending')
  }

  orderByDesc<const P extends FieldName<R>>(field: P & CheckedPath<T, R, P>): QueryBuilder<T, R> {
    return this.#order(field, 'descending')
  }

  /** The encoded query. */
  toString(): string {
    return printEncodedQuery(this.tree)
  }

  #and(added: ConditionTree): QueryBuilder<T, R> {
    const { where, orders } = this.tree
    return new QueryBuilder({ where: where === null ? added : all(where, added), orders })
  }

  #order(field: string, direction: 'ascending' | 'descending'): QueryBuilder<T, R> {
    const { where, orders } = this.tree
    return new QueryBuilder({ where, orders: [...orders, { path: field.split('.'), direction, position: 0 }] })
  }
}

/** A query of one table as text. It is sent unchanged, and the position of a fault is one in this text. */
export class RawQuery<R = AnyTables[string]> {
  readonly text: string
  /** For the compiler only. */
  declare readonly of?: R

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** The tree of a query, or what is wrong with its text. */
export type ParsedQuery = ReturnType<typeof parseEncodedQuery>

const builder = <T = AnyTables, Name extends keyof T = keyof T>(): QueryBuilder<T, T[Name]> => new QueryBuilder()

/**
 * An empty query: `q<Desk, 'itsm_incident'>().where('active', '=', true)`.
 *
 * `q.raw('…')` is a query of one table as text, `q.parse('…')` its tree, or its fault with the position, without a request to the server.
 * The parser is loaded with its first use: most programs only build queries.
 */
export const q = /* @__PURE__ */ Object.assign(builder, {
  raw: <T = AnyTables, Name extends keyof T = keyof T>(text: string): RawQuery<T[Name]> => new RawQuery(text),
  parse: async (text: string): Promise<ParsedQuery> => (await import('./parse.ts')).parseEncodedQuery(text),
})

function conditionOf(path: string, operator: Operator, value: QueryValue): ConditionTree {
  if (Array.isArray(value)) return listCondition(path, operator, value as readonly (Scalar | Helper)[])
  const text = value === null ? '' : textOf(value as Scalar | Helper)
  const operand = operandKindOf(operator)
  if (operand === 'none') return comparison(path, operator, NO_VALUE)
  if (operand === 'field') return comparison(path, operator, { kind: 'field', path: text.split('.') })
  if (text === '' && operator === '=') return comparison(path, 'ISEMPTY', NO_VALUE)
  if (text === '' && operator === '!=') return comparison(path, 'ISNOTEMPTY', NO_VALUE)
  if (LISTS.has(operator)) return listCondition(path, operator, value === null ? [] : [value as Scalar | Helper])
  return condition(path, operator, text, !(value instanceof Helper))
}

const LISTS: ReadonlySet<Operator> = new Set(['IN', 'NOT IN'])

/**
 * The text of a list is split at `@` or `,`. A list whose members cannot be separated in a text becomes separate conditions with the same
 * meaning.
 */
function listCondition(path: string, operator: Operator, members: readonly (Scalar | Helper)[]): ConditionTree {
  const operands = members.map(operandOf)
  if (!LISTS.has(operator)) {
    const text = operands.map((operand) => operand.text).join(operator === 'BETWEEN' ? '@' : ',')
    return conditionOf(path, operator, members.some((member) => member instanceof Helper) ? new Helper(text) : text)
  }
  if (isSplittable(operands)) return comparison(path, operator, { kind: 'list', members: operands })
  const [first, ...rest] = operands.map((operand) =>
    conditionOf(
      path,
      operator === 'IN' ? '=' : '!=',
      operand.kind === 'helper' ? new Helper(operand.text) : operand.text,
    ),
  )
  if (first === undefined) return comparison(path, operator, { kind: 'list', members: [] })
  return operator === 'IN' ? any(first, ...rest) : all(first, ...rest)
}

function isSplittable(members: readonly Operand[]): boolean {
  const [first] = members
  if (members.length === 1) return first?.kind === 'literal' && /^[^,@]+$/.test(first.text)
  return members.every(({ kind, text }) => kind === 'literal' && /^[^@]+$/.test(text))
}

const operandOf = (value: Scalar | Helper): Operand =>
  value instanceof Helper ? typedOperand(value.text) : literal(textOf(value))

function comparison(path: string, operator: Operator, value: ConditionValue): ConditionTree {
  return { kind: 'comparison', path: path.split('.'), operator, value, position: 0 }
}

function textOf(value: Scalar | Helper): string {
  if (value instanceof Helper) return value.text
  return value instanceof Date ? fromInstant(value) : String(value)
}
