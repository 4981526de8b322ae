import {
  all,
  type Cell,
  type ConditionTree,
  condition,
  type EncodedQuery,
  type Operator,
  printEncodedQuery,
} from 'docket-client'
import { operandOf, parseEncodedQuery } from 'docket-client/parse'

/** A list query in two parts: conditions, which all must match, and the order. */
export interface FilterQuery {
  readonly terms: readonly ConditionTree[]
  readonly orders: EncodedQuery['orders']
}

/** Makes the next query of the newest one, which may not be displayed yet. */
export type ChangeQuery = (query: FilterQuery) => FilterQuery

export type ReadQuery =
  | { readonly ok: true; readonly query: FilterQuery }
  | { readonly ok: false; readonly position: number; readonly detail: string }

export function readQuery(text: string): ReadQuery {
  const read = parseEncodedQuery(text)
  if (!read.ok) return { ok: false, position: read.error.position, detail: read.error.detail }
  const { where, orders } = read.value
  const terms = where === null ? [] : where.kind === 'all' ? where.of : [where]
  return { ok: true, query: { terms, orders } }
}

/** Prints the query. Conditions that the console cannot display as a form are kept as trees, unchanged. */
export function printQuery({ terms, orders }: FilterQuery): string {
  const [first, ...others] = terms
  return printEncodedQuery({ where: first === undefined ? null : all(first, ...others), orders })
}

export const printTerm = (term: ConditionTree): string => printEncodedQuery({ where: term, orders: [] })

/** Another condition in the place of this one, or none. */
export function replaceTerm(
  { terms, orders }: FilterQuery,
  term: ConditionTree,
  ...next: ConditionTree[]
): FilterQuery {
  const text = printTerm(term)
  const at = terms.findIndex((each) => printTerm(each) === text)
  return { terms: at === -1 ? [...terms, ...next] : terms.toSpliced(at, 1, ...next), orders }
}

/** Value text of a simple condition; null if the tree has more than one condition. */
export function valueTextOf(term: ConditionTree): string | null {
  if (term.kind !== 'comparison') return null
  const text = printTerm({ ...term, operator: '=', value: { kind: 'literal', text: '' } })
  const whole = printTerm(term)
  const start = text.length - 1 + term.operator.length
  return term.value.kind === 'literal' ? term.value.text : whole.slice(Math.min(start, whole.length))
}

/**
 * The condition that a form of field, operator and value would write.
 *
 * @returns null if that condition would mean something else: it is then edited as text
 */
export function rebuiltTerm(term: ConditionTree): ConditionTree | null {
  const value = valueTextOf(term)
  if (term.kind !== 'comparison' || value === null) return null
  const rebuilt = condition(term.path.join('.'), term.operator, takesValue(term.operator) ? value : '')
  return printTerm(rebuilt) === printTerm(term) ? rebuilt : null
}

/** Whether it compares with another field, whose path is then the value. */
export const isAgainstField = (operator: Operator): boolean => operandOf(operator) === 'field'

export const takesValue = (operator: Operator): boolean => operator !== 'ISEMPTY' && operator !== 'ISNOTEMPTY'

/** The query, with the conditions that all records of the group match. */
export function queryOfGroup(query: string, paths: readonly string[], values: readonly Cell[]): string {
  const read = readQuery(query)
  if (!read.ok) return query
  const terms = values.map((cell, at): ConditionTree => {
    const path = paths[at] ?? ''
    return cell.value === null || cell.value === ''
      ? condition(path, 'ISEMPTY')
      : condition(path, '=', String(cell.value), true)
  })
  return printQuery({ ...read.query, terms: [...read.query.terms, ...terms] })
}
