import { printQuery, readQuery } from './list-query.ts'

/** Name of the preference for a table. Its value has `queries`: encoded queries without an order, the latest first. */
export const recentName = (table: string): string => `queries.${table}`

export const maxRecent = 10

/** Of one query, in characters. A longer one is a list of records rather than a condition that a user applies again. */
const maxQueryUnits = 4_000

/** @param stored the value of the preference; any program can write it */
export function recentOf(stored: unknown): readonly string[] {
  const queries = typeof stored === 'object' && stored !== null && 'queries' in stored ? stored.queries : null
  if (!Array.isArray(queries)) return []
  return [...new Set(queries.filter((each): each is string => typeof each === 'string' && each !== ''))].slice(
    0,
    maxRecent,
  )
}

/** The conditions of a query. null: it has none, or none that can be remembered. */
export function conditionsOf(text: string): string | null {
  const read = readQuery(text)
  if (!read.ok || read.query.terms.length === 0) return null
  const conditions = printQuery({ ...read.query, orders: [] })
  return conditions.length > maxQueryUnits ? null : conditions
}

/** Whether a query has all conditions of the other one, and more. */
export function extendsQuery(query: string, other: string): boolean {
  const termsOf = (text: string): readonly string[] => {
    const read = readQuery(text)
    return read.ok ? read.query.terms.map((term) => printQuery({ terms: [term], orders: [] })) : []
  }
  const [terms, others] = [termsOf(query), termsOf(other)]
  return terms.length > others.length && others.length > 0 && others.every((term) => terms.includes(term))
}
