import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import css from './list.module.css'
import type { Parts } from './use-parts.ts'
import { cursorRows, maxRows } from './use-rows.ts'

interface PartBarProps {
  readonly parts: Parts
  /** Number of rows in the part. */
  readonly rowCount: number
  /** Cursor after the last row, if the part begins at a cursor. */
  readonly nextCursor: string | null
}

/** Displays which rows of a long list are in the grid, and moves to the others. */
export function PartBar({ parts, rowCount, nextCursor }: PartBarProps) {
  const { part, toFirst, toLast, toNext, toPrevious } = parts
  const before = part.kind === 'after' ? part.before : 0
  const isEnd = part.kind === 'last' || (part.kind === 'after' && nextCursor === null)
  return (
    <div role="group" aria-label={t('list.parts')} className={css.parts}>
      <span role="status">
        {part.kind === 'last'
          ? t('list.partLast', { count: maxRows })
          : t('list.part', { from: before + 1, to: before + rowCount })}
      </span>
      {part.kind !== 'first' && <Button onClick={toFirst}>{t('list.first')}</Button>}
      {toPrevious !== null && <Button onClick={toPrevious}>{t('list.previous')}</Button>}
      {!isEnd && <Button onClick={() => void toNext(nextCursor)}>{t('list.next', { count: cursorRows })}</Button>}
      {part.kind !== 'last' && <Button onClick={toLast}>{t('list.last')}</Button>}
    </div>
  )
}

/** Rows came twice or were left out, because others added or removed records between two blocks. */
export function ShiftedBar({ onReadAgain }: { readonly onReadAgain: () => void }) {
  return (
    <div className={css.parts}>
      <span>{t('list.shifted')}</span>
      <Button onClick={onReadAgain}>{t('list.readAgain')}</Button>
    </div>
  )
}
