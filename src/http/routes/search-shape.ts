import type { Shape } from '../../documents/shape/shape-hits.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import type { Given } from './document-parameters.ts'

const groupSizes = { least: 1, most: 100, otherwise: 1 }
const contexts = { least: 0, most: 5, otherwise: 0 }

/** The parameters that say how found chunks become a response (docs/documents.md). */
export function readShape(given: Given): Result<Shape, Problem> {
  const minRelevance = given.share('min_relevance')
  if (!minRelevance.ok) return minRelevance
  const groupBy = given.oneOf('group_by', ['document'])
  if (!groupBy.ok) return groupBy
  const size = given.whole('group_size', groupSizes)
  if (!size.ok) return size
  const collapse = given.oneOf('collapse', ['duplicates'])
  if (!collapse.ok) return collapse
  const diversity = given.share('diversity')
  if (!diversity.ok) return diversity
  const context = given.whole('context', contexts)
  if (!context.ok) return context
  const isSizeGiven = given.text('group_size')
  if (groupBy.value === undefined && isSizeGiven.ok && isSizeGiven.value !== undefined)
    return refuse({
      kind: 'bad-parameter',
      parameter: 'group_by',
      found: 'nothing',
      expected: 'document, with group_size',
    })
  return succeed({
    minRelevance: minRelevance.value,
    chunksOfDocument: groupBy.value === undefined ? null : size.value,
    isCollapsed: collapse.value !== undefined,
    diversity: diversity.value,
    context: context.value,
  })
}
