import { type Operator, PATTERN_OPERATORS } from '../../condition/operators.ts'
import type { PlannedComparison, Predicate } from './planned-predicate.ts'
import { allOf, comparisonsOfAll, hasComparison } from './predicates.ts'
import type { FoundFirst, RecordPlan } from './record-plan.ts'
import { textIndexOf, withReferencesBeside } from './references-beside-text.ts'

/** More matches than this are frequent enough to be read in the order of the list, also among ten million records. */
const MAX_FOUND = 10_000
/** A list without its total does not need so many, and has to wait for each of them. */
const MAX_FOUND_UNCOUNTED = 1_000

interface FoundList extends Pick<RecordPlan, 'table' | 'readable'> {
  readonly where: Predicate
  readonly count: boolean
  readonly countUpTo: number | null
}

/**
 * The records of a list that are found before any is sorted; null: none, PostgreSQL decides by its estimate.
 *
 * PostgreSQL does not know how many records match a text, least of all behind a reference: it expects at least one referenced record, and
 * as many rows of it as of others. In the order of the list, it then reads the whole table to find none. So the records are found first, as many
 * as are counted. If there are no more, they are sorted, and they are the total. If there are more, the page is read in the order of the list.
 */
export function foundFirst(list: FoundList): FoundFirst | null {
  const upTo = maxFound(list)
  if (upTo === null) return null
  const { table, readable, where } = list
  const index = textIndexOf(table, where)
  return {
    upTo,
    where: withReferencesBeside(allOf([readable, where]), index),
    // PostgreSQL does not know how often words occur together, and may look them up once more.
    readableInOrder: index?.of === 'words' ? withReferencesBeside(readable, index) : readable,
  }
}

function maxFound({ table, where, count, countUpTo }: FoundList): number | null {
  if (table.adopted !== null) return null
  // A total reads as many records as are found first, so a search anywhere in the condition will do.
  if (count) return hasComparison(where, isSearch, 'record') ? Math.min(countUpTo ?? MAX_FOUND, MAX_FOUND) : null
  // PostgreSQL's estimate of a text in the record itself is good enough, and without an index the page is full long before a thousand are found.
  return comparisonsOfAll(where).some(isBehindReference) ? MAX_FOUND_UNCOUNTED : null
}

const isSearch = ({ operator }: PlannedComparison): boolean => SEARCHES.has(operator)

const isBehindReference = (comparison: PlannedComparison): boolean =>
  isSearch(comparison) && (comparison.fieldPath?.hops.length ?? 0) > 0

const SEARCHES: ReadonlySet<Operator> = new Set([...PATTERN_OPERATORS, 'ARE'])
