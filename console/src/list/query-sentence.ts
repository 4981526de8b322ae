import type { EncodedQuery } from 'docket-client'
import { isolated } from '../messages/isolate.ts'
import { type TermContext, termWords } from './term-words.ts'

/**
 * A query in one sentence, or two: which records it finds, and in which order.
 *
 * @param table title of the table
 */
export function querySentence(table: string, { where, orders }: EncodedQuery, context: TermContext): string {
  const { translate } = context
  const found =
    where === null
      ? translate('sentence.all', { table })
      : translate('sentence.some', { table, conditions: termWords(where, context) })
  if (orders.length === 0) return found
  const columns = orders.map(({ path, direction }) => {
    const column = isolated(context.column(path.join('.'))?.title ?? translate('filter.unreadable'))
    return direction === 'descending' ? translate('sentence.descending', { column }) : column
  })
  return `${found} ${translate('sentence.order', { columns: columns.join(', ') })}`
}
