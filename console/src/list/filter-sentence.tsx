import { parseEncodedQuery } from 'docket-client/parse'
import type { TableInfo } from '../table/table-info.ts'
import css from './list.module.css'
import { querySentence } from './query-sentence.ts'
import { useTermContext } from './term-title.ts'

interface FilterSentenceProps {
  readonly info: TableInfo
  /** Text of the encoded query. One with a fault has no sentence. */
  readonly query: string
}

/** Says in the user's language what the whole query finds. */
export function FilterSentence({ info, query }: FilterSentenceProps) {
  const read = parseEncodedQuery(query)
  const { where, orders } = read.ok ? read.value : { where: null, orders: [] }
  const context = useTermContext(
    info,
    where,
    orders.map(({ path }) => path.join('.')),
  )
  if (!read.ok) return null
  return <p className={css.sentence}>{querySentence(info.entry.title, { where, orders }, context)}</p>
}
