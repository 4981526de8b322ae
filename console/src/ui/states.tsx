import { Aborted, AccessDenied, DocketError, InvalidValue, NotFound } from 'docket-client'
import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { Button } from './button.tsx'
import css from './ui.module.css'

/** True after a while: what loads at once shows no skeleton. */
export function useIsLate(ms: number): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isLate
}

/** Lines of the size of what comes, after 150 ms; a word and a way out after 8 s. */
export function Loading({ lines = 6, onCancel }: { readonly lines?: number; readonly onCancel?: () => void }) {
  const isLate = useIsLate(150)
  const isSlow = useIsLate(8_000)
  if (!isLate) return <div role="status" aria-label={t('state.loading')} />
  return (
    <div role="status" aria-label={t('state.loading')} className={css.empty}>
      {Array.from({ length: lines }, (_, at) => at).map((at) => (
        <div
          key={at}
          className={css.skeleton}
          style={{ height: 14, width: `${88 - ((at * 17) % 40)}%`, justifySelf: 'start' }}
        />
      ))}
      {isSlow && (
        <p className={css.row}>
          {t('state.stillWorking')} {onCancel !== undefined && <Button onClick={onCancel}>{t('action.cancel')}</Button>}
        </p>
      )}
    </div>
  )
}

/** The server's own sentence, and the number under which the log has the request. */
export function ErrorBanner({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const facts = error instanceof DocketError ? error : null
  const canRetry =
    onRetry !== undefined &&
    !(facts instanceof AccessDenied || facts instanceof NotFound || facts instanceof InvalidValue)
  return (
    <div role="alert" className={css.banner}>
      <p>
        {facts instanceof NotFound ? t('state.notFound') : messageOf(error)}{' '}
        {facts?.requestId != null && <RequestId id={facts.requestId} />}
      </p>
      {canRetry && <Button onClick={onRetry}>{t('action.retry')}</Button>}
    </div>
  )
}

export function messageOf(error: unknown): string {
  if (error instanceof Aborted) return t('state.cancelled')
  if (error instanceof DocketError && error.status === 0) return t('state.offline')
  return error instanceof Error ? error.message : String(error)
}

function RequestId({ id }: { readonly id: string }) {
  return (
    <button
      type="button"
      className={css.requestId}
      title={t('action.copy')}
      onClick={() => void navigator.clipboard.writeText(id)}
    >
      {id.slice(0, 8)}
    </button>
  )
}

/** In place of a page that cannot be shown. */
export function ErrorPage(props: { readonly error: unknown; readonly onRetry?: () => void }) {
  const title = props.error instanceof NotFound ? t('state.notFoundTitle') : t('state.error')
  return (
    <div className={css.errorPage}>
      <h1>{title}</h1>
      <ErrorBanner {...props} />
    </div>
  )
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className={css.empty}>{children}</div>
}
