import { isCaseless } from './caseless.ts'
import type { ConditionTest, ConditionTree, EncodedQuery } from './condition-tree.ts'
import { readDatePart } from './dates/read-date-part.ts'
import { isHelper, readHelper } from './dates/read-helper.ts'
import { operandOf } from './operator-spellings.ts'

/** A query without its values: queries of one shape are answered by one statement with other parameters. */
export interface QueryShape {
  /**
   * Equal for two queries exactly when they differ in nothing but values, positions, and what a value does not do to
   * the statement. Made to be a key of a cache, not to be read.
   */
  readonly key: string
  /** The tests in reading order: where the parameters of the statement come from. */
  readonly tests: readonly ConditionTest[]
}

/** Runs on every request, before anything is known of the query: one walk, one text. */
export function shapeOf(query: EncodedQuery): QueryShape {
  const tests: ConditionTest[] = []
  let key = query.where === null ? '' : keyOf(query.where, tests)
  for (const { path, direction } of query.orders) key += `${direction === 'ascending' ? '+' : '-'}${path.join('.')}`
  return { key, tests }
}

function keyOf(tree: ConditionTree, tests: ConditionTest[]): string {
  if (tree.kind === 'test') {
    tests.push(tree)
    return `${tree.path.join('.')} ${tree.operator}${markOf(tree)};`
  }
  let key = tree.kind === 'all' ? '(&' : '(|'
  for (const member of tree.of) key += keyOf(member, tests)
  return `${key})`
}

/**
 * What of a value changes the statement. Begins with `:`, which no operator holds; free text says its length first, so
 * that two keys are equal only when all their parts are.
 */
function markOf({ operator, value, literal }: ConditionTest): string {
  if (operandOf(operator) === 'field') return `:${value}`
  switch (operator) {
    case 'DYNAMIC':
    case 'CONTAINS_DYNAMIC':
    case 'DOESNOTCONTAIN_DYNAMIC':
      return `:${value.length}:${value}`
    case 'DATEPART': {
      const test = readDatePart(value)
      return test.ok ? `:${test.value.part} ${test.value.comparison}` : ':?'
    }
    case 'BETWEEN':
      return `:${value
        .split('@', 3)
        .map((end) => kindOf(end, literal))
        .join('@')}`
    // The members of a list are one parameter, whatever they are and however many.
    case 'IN':
    case 'NOT IN':
    case '=':
    case '!=':
      if (isCaseless(value)) return ':1'
      return isHelper(value) && !literal ? `:${kindOf(value)}` : ''
    default:
      return isHelper(value) && !literal ? `:${kindOf(value)}` : ''
  }
}

/** A helper may stand for one value or for several, and not every column takes each kind. */
function kindOf(value: string, literal?: true): string {
  if (literal || !isHelper(value)) return value === '' ? 'empty' : 'literal'
  const helper = readHelper(value)
  return helper.ok ? helper.value.kind : '?'
}
