import { Aborted, AccessDenied, DocketError, InvalidValue, NotFound } from 'docket-client'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { consolePath } from '../facts.ts'
import { loadPart, MissingPart } from '../load-part.ts'
import { t, withMessages } from '../messages/i18n.ts'
import { isServerUpdated, onServerUpdate, reloadForUpdate } from '../server-update.ts'
import { Button } from './button.tsx'
import css from './ui.module.css'

const Granters = lazy(async () => ({
  default: (await loadPart(() => withMessages(import('./granters.tsx')))).Granters,
}))

interface ErrorBannerProps {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  /** The request writes: only the user sends it again, and typed text is kept. */
  readonly isWrite?: boolean
  /** What else to say, such as how old the displayed data are. */
  readonly children?: ReactNode
}

/** The server's own message, what to do, and the request id under which the log has the request. */
export function ErrorBanner({ error, onRetry, isWrite = false, children }: ErrorBannerProps) {
  const facts = error instanceof DocketError ? error : null
  // What is known of a missing part changes its message.
  useSyncExternalStore(onServerUpdate, isServerUpdated)
  const canRetry =
    onRetry !== undefined &&
    !(facts instanceof AccessDenied || facts instanceof NotFound || facts instanceof InvalidValue)
  return (
    <div role="alert" className={css.banner}>
      <p>
        {facts instanceof NotFound ? t('state.notFound') : messageOf(error)}
        {facts instanceof AccessDenied && (
          <Suspense>
            <Granters error={facts} />
          </Suspense>
        )}
        {isWrite && isPassing(error) && ` ${t('state.kept')}`} {children}{' '}
        {facts?.requestId != null && <RequestId id={facts.requestId} />}
      </p>
      {canRetry && <RetryButton error={error} isAutomatic={!isWrite} onRetry={onRetry} />}
    </div>
  )
}

/** In milliseconds. A read is repeated after this time unless the server names another. */
const againMs = 10_000

/** Whether a later attempt may succeed without any change by the user. */
const isPassing = (error: unknown): error is DocketError =>
  error instanceof DocketError &&
  !(error instanceof Aborted && error.code === 'ABORTED') &&
  (error.status === 0 || error.status === 429 || error.status >= 500)

interface RetryButtonProps {
  readonly error: unknown
  /** Retries without a click when the time has passed. */
  readonly isAutomatic: boolean
  readonly onRetry: () => void
  /** Accessible name of the button, for users who cannot see its context. */
  readonly label?: string
}

/** Counts down to the time that the server names. Then a read is sent; a write waits for the user. */
export function RetryButton({ error, isAutomatic, onRetry, label }: RetryButtonProps) {
  const named = error instanceof DocketError ? error.retryAfterMs : null
  const waitMs = named ?? (isAutomatic && isPassing(error) ? againMs : 0)
  const left = useCountdown(error, waitMs)
  const [sent, setSent] = useState<unknown>(null)
  const retry = (): void => {
    setSent(error)
    onRetry()
  }
  const latest = useRef(retry)
  latest.current = retry
  const isDue = isAutomatic && waitMs > 0 && left === 0
  useEffect(() => {
    if (isDue) latest.current()
  }, [isDue])
  const isWaiting = named !== null && left > 0
  // Not `disabled`, so that the focus stays on the button.
  return (
    <Button
      aria-label={label}
      aria-disabled={isWaiting || sent === error}
      onClick={() => !isWaiting && sent !== error && retry()}
    >
      {sent === error
        ? t('state.retrying')
        : left > 0
          ? t('state.retryIn', { time: timeText(left) })
          : t('action.retry')}
    </Button>
  )
}

/** `40 sec`, `15 min`, in the language of the page. */
function timeText(seconds: number): string {
  const [count, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return new Intl.NumberFormat(document.documentElement.lang, { style: 'unit', unit, unitDisplay: 'short' }).format(
    count,
  )
}

/** Seconds left, counted from the moment of this error. */
function useCountdown(error: unknown, ms: number): number {
  const [now, setNow] = useState(() => ({ error, left: Math.ceil(ms / 1_000) }))
  useEffect(() => {
    const endsAt = Date.now() + ms
    const secondsLeft = (): number => Math.max(0, Math.ceil((endsAt - Date.now()) / 1_000))
    setNow({ error, left: secondsLeft() })
    if (ms === 0) return undefined
    const timer = setInterval(() => {
      setNow({ error, left: secondsLeft() })
      if (secondsLeft() === 0) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [error, ms])
  return now.error === error ? now.left : Math.ceil(ms / 1_000)
}

export function messageOf(error: unknown): string {
  if (error instanceof MissingPart) return t(isServerUpdated() ? 'state.updated' : 'state.partMissing')
  if (error instanceof Aborted) return t(error.code === 'TIMEOUT' ? 'state.timeout' : 'state.cancelled')
  if (error instanceof DocketError && error.status === 0) return t('state.offline')
  // The response of a proxy between browser and server has no message of Docket.
  if (error instanceof DocketError && error.code === 'UNKNOWN') return messageOfStatus(error.status)
  return error instanceof Error ? error.message : String(error)
}

export function messageOfStatus(status: number): string {
  if (status === 413) return t('state.tooLarge')
  if (status === 429) return t('state.busy')
  return status >= 500 ? t('state.unavailable', { status }) : t('state.status', { status })
}

function RequestId({ id }: { readonly id: string }) {
  const [isWhole, setWhole] = useState(false)
  // What copies may be missing: then the user can at least read all of it.
  const copy = (): Promise<void> =>
    loadPart(() => withMessages(import('./copy-text.ts'))).then(
      ({ copyText }) => copyText(id),
      () => setWhole(true),
    )
  return (
    <button type="button" className={css.requestId} title={t('action.copy')} onClick={() => void copy()}>
      {isWhole ? id : id.slice(0, 8)}
    </button>
  )
}

/** A reload of the page loads the failed part; drafts of forms survive it. */
export const retryPage = (error: unknown, retry: () => void): void =>
  error instanceof DocketError ? retry() : isServerUpdated() ? reloadForUpdate() : location.reload()

/** Replaces a page that cannot be displayed. */
export function ErrorPage(props: ErrorBannerProps) {
  const isMissing = props.error instanceof NotFound
  return (
    <div className={css.errorPage}>
      <h1>{t(isMissing ? 'state.notFoundTitle' : 'state.error')}</h1>
      <ErrorBanner {...props} />
      {isMissing && <a href={`${consolePath}/`}>{t('nav.home')}</a>}
    </div>
  )
}
