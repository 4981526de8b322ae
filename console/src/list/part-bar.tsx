import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import css from './list.module.css'
import type { Part } from './use-rows.ts'

interface PartBarProps {
  readonly part: Part
  /** Number of rows that were read. */
  readonly reached: number
  /** All rows of the list were read. */
  readonly isWhole: boolean
  readonly onPart: (part: Part) => void
  readonly onMore: () => void
}

/** Displays which rows of a long list were read, reads more of them, and leads to its beginning and its end. */
export function PartBar({ part, reached, isWhole, onPart, onMore }: PartBarProps) {
  return (
    <div role="group" aria-label={t('list.parts')} className={css.parts}>
      <span role="status">
        {reached === 0
          ? ''
          : part === 'last'
            ? t('list.partLast', { count: reached })
            : t('list.part', { from: 1, to: reached })}
      </span>
      <Button onClick={() => onPart('first')}>{t('list.first')}</Button>
      {!isWhole && <Button onClick={onMore}>{t('list.more')}</Button>}
      <Button onClick={() => onPart('last')}>{t('list.last')}</Button>
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
