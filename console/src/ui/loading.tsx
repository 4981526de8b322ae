import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { Button } from './button.tsx'
import css from './ui.module.css'

/** True after a delay: what loads faster shows no skeleton. */
export function useIsLate(ms: number): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isLate
}

interface LoadingProps {
  readonly lines?: number
  readonly onCancel?: (() => void) | undefined
  /** Nothing else is on the page yet: it gets a heading. */
  readonly isPage?: boolean
}

/** After 150 ms, lines of the size of the content; after 8 s, a sentence and a way to cancel. */
export function Loading({ lines = 6, onCancel, isPage = false }: LoadingProps) {
  const isLate = useIsLate(150)
  if (!isLate) return <div role="status" aria-label={t('state.loading')} />
  return (
    <div role="status" aria-label={t('state.loading')} className={css.empty}>
      {isPage && <h1 className="off-screen">{t('state.loading')}</h1>}
      {Array.from({ length: lines }, (_, at) => at).map((at) => (
        <div
          key={at}
          className={css.skeleton}
          style={{ height: 14, width: `${88 - ((at * 17) % 40)}%`, justifySelf: 'start' }}
        />
      ))}
      <StillWorking onCancel={onCancel} />
    </div>
  )
}

/** Nothing for 8 s; then a sentence and a way to cancel. */
export function StillWorking({ onCancel }: Pick<LoadingProps, 'onCancel'>) {
  if (!useIsLate(8_000)) return null
  return (
    <p className={css.row}>
      {t('state.stillWorking')} {onCancel !== undefined && <Button onClick={onCancel}>{t('action.cancel')}</Button>}
    </p>
  )
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className={css.empty}>{children}</div>
}
