import { AccessDenied, DocketError, NotFound, randomKey } from 'docket-client'
import { useEffect, useState } from 'react'
import { endIfSignedOut } from '../app.tsx'
import { docket } from '../docket.ts'

/** Another user who has the record open. */
export interface Viewer {
  readonly user: { readonly value: string; readonly display_value: string | null }
  /** UTC. */
  readonly since: string
}

interface Viewers {
  /** false: an administrator has turned it off since the page was loaded. */
  readonly enabled: boolean
  readonly viewers: readonly Viewer[]
  readonly refresh_seconds: number
}

const nobody: readonly Viewer[] = []
const firstWaitSeconds = 5

/**
 * Reports that this page displays the record, and reads who else does. A tab in the background does not count. An error is not displayed:
 * while it is not known who is there, nobody is.
 */
export function useViewers(table: string, sysId: string): readonly Viewer[] {
  const [viewers, setViewers] = useState(nobody)
  useEffect(() => {
    // Each opened record has an id of its own: a late report about the one before cannot be taken for this one.
    const page = randomKey()
    const path = `/v1/viewers/${encodeURIComponent(table)}/${encodeURIComponent(sysId)}/${page}`
    let waitSeconds = firstWaitSeconds
    let timer: ReturnType<typeof setTimeout> | undefined
    /** The report on its way; null: there is none. */
    let sent: Promise<void> | null = null
    let isGone = false
    let isOver = false
    const report = async (): Promise<void> => {
      try {
        const found = await docket.request<Viewers>({ method: 'PUT', path, headers: inBackground })
        waitSeconds = found.refresh_seconds
        isOver = !found.enabled
        if (!isGone) setViewers((before) => (areEqual(before, found.viewers) ? before : found.viewers))
      } catch (problem) {
        endIfSignedOut(problem)
        isOver = problem instanceof AccessDenied || problem instanceof NotFound
        if (problem instanceof DocketError && !isGone) setViewers(nobody)
      }
    }
    const next = (): void => {
      clearTimeout(timer)
      if (isGone || isOver || sent !== null) return
      sent = report().finally(() => {
        sent = null
        if (!isGone && !isOver) timer = setTimeout(next, waitSeconds * 1_000)
      })
    }
    const leave = (): void => {
      clearTimeout(timer)
      isGone = true
      void sendLeave(page)
      // A report on its way may arrive after this.
      void sent?.then(() => isGone && sendLeave(page))
    }
    const follow = (): void => {
      isGone = document.visibilityState === 'hidden'
      if (isGone) leave()
      else next()
    }
    document.addEventListener('visibilitychange', follow)
    addEventListener('pagehide', leave)
    addEventListener('pageshow', follow)
    follow()
    return () => {
      document.removeEventListener('visibilitychange', follow)
      removeEventListener('pagehide', leave)
      removeEventListener('pageshow', follow)
      leave()
    }
  }, [table, sysId])
  return viewers
}

/** The page sends it by itself: it does not prolong the session. */
const inBackground = { 'x-docket-console': 'background' }

/** Also while the page is closed. If it is lost, the server forgets the page some seconds later. */
const sendLeave = (page: string): Promise<unknown> =>
  docket
    .request({
      method: 'DELETE',
      path: `/v1/viewers/${page}`,
      headers: inBackground,
      fetch: (input, init) => fetch(input, { ...init, keepalive: true }),
    })
    .catch(() => undefined)

const areEqual = (some: readonly Viewer[], others: readonly Viewer[]): boolean =>
  JSON.stringify(some) === JSON.stringify(others)
