import type { Table, TextIndex } from '../../catalog/catalog.ts'
import { PATTERN_OPERATORS } from '../../condition/operators.ts'
import { isReference } from './counted-alternatives.ts'
import type { PlannedComparison, Predicate } from './planned-predicate.ts'
import { allOf, comparisonsOfAll, flatten } from './predicates.ts'

/** The index by which a text of the condition is looked up, if it has references beside its texts. */
export const textIndexOf = ({ textIndexes }: Table, where: Predicate): TextIndex | undefined => {
  const comparisons = comparisonsOfAll(where)
  return textIndexes.find((index) => comparisons.some((comparison) => isServed(comparison, index)))
}

/**
 * The same condition, whose references are looked up together with its text.
 *
 * Where a rule allows the tasks of a user or of groups, PostgreSQL makes a set of their rows, and one of the rows with the text. A text that an eighth of
 * all records have is a large set. The index of the text has the references of each row, too, as one value, so it finds the rows of both: from "assigned to
 * me or to my groups" follows that one of the references is I or one of my groups. That is true of some more rows, such as those whose caller I am; so
 * the condition itself is compared with each row that is found.
 */
export function withReferencesBeside(where: Predicate, index: TextIndex | undefined): Predicate {
  if (index === undefined) return where
  const named = new Set(index.references.map(({ id }) => id))
  return allOf(
    flatten('all', where).map((member) => {
      const alternatives = flatten('any', member).map((each) => namesOneOf(each, named))
      const anyOf = alternatives.filter((each) => each !== null)
      if (anyOf.length < alternatives.length) return member
      return { kind: 'beside-text', where: member, references: index.references, anyOf }
    }),
  )
}

function isServed({ operator, fieldPath, searched }: PlannedComparison, { of, texts }: TextIndex): boolean {
  if (of === 'words') {
    const columns = fieldPath === null && operator === 'ARE' ? searched.map(({ column }) => column.id) : []
    return columns.join() === texts.map(({ id }) => id).join()
  }
  if (fieldPath === null || fieldPath.hops.length > 0 || !PATTERN_OPERATORS.has(operator)) return false
  return texts.some(({ id }) => id === fieldPath.column.id)
}

/** The comparison of the alternative that names records by one of the references. */
function namesOneOf(alternative: Predicate, references: ReadonlySet<string>): PlannedComparison | null {
  for (const member of flatten('all', alternative)) {
    if (member.kind !== 'comparison' || !isReference(member)) continue
    const { comparison } = member
    if (references.has(comparison.fieldPath?.column.id ?? '') && isShort(comparison)) return comparison
  }
  return null
}

/** A list of the query may be long, and is compared with the references of each row that is found. */
const isShort = ({ operator, value }: PlannedComparison): boolean =>
  operator === '=' || value.kind === 'user-id' || value.kind === 'group-ids'
