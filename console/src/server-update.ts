import { consolePath, startScript } from './facts.ts'
import { createListeners } from './listeners.ts'
import { hasUnsavedInput, leavePage } from './unsaved-input.ts'

/** Scripts of the versions that this tab has left by a reload, separated by spaces. */
const leftKey = 'docket.left-versions'
/** Set by a reload after an update: the page that follows says so once. */
const reportKey = 'docket.updated'

let isUpdated = false
let isChecking = false
const listeners = createListeners()

export const isServerUpdated = (): boolean => isUpdated

export const onServerUpdate = listeners.subscribe

export function reloadForUpdate(): void {
  sessionStorage.setItem(leftKey, [...leftVersions(), startScript].join(' '))
  sessionStorage.setItem(reportKey, '1')
  leavePage(() => location.reload())
}

/** Whether this page is the one after a reload for an update. True once. */
export function takeUpdateReport(): boolean {
  const isReported = sessionStorage.getItem(reportKey) !== null
  sessionStorage.removeItem(reportKey)
  return isReported
}

export function forgetLeftVersions(): void {
  sessionStorage.removeItem(leftKey)
  sessionStorage.removeItem(reportKey)
}

/**
 * Finds out whether the server has another version of the console than this page. If so, the page is reloaded, unless that would take unsaved
 * input away: then the user is offered the reload.
 */
export async function checkForUpdate(): Promise<void> {
  if (isUpdated || isChecking) return
  isChecking = true
  const served = await servedScript().finally(() => {
    isChecking = false
  })
  if (served === null || nameOf(served) === nameOf(startScript)) return
  // Servers of two versions behind one address could send the tab back and forth: each version is left without a question once.
  if (!hasUnsavedInput() && !leftVersions().includes(startScript)) return reloadForUpdate()
  isUpdated = true
  listeners.notify()
}

/** The folder of a served page is escaped as HTML. */
const nameOf = (script: string): string => script.slice(script.lastIndexOf('/') + 1)

const leftVersions = (): readonly string[] =>
  (sessionStorage.getItem(leftKey) ?? '').split(' ').filter((each) => each !== '')

/** In milliseconds. A server that has just been updated may still be building the console. */
const againMs = 2_000
const maxAttempts = 30

/** `startScript` of the page that the server has now; null: it has none. */
async function servedScript(attempts = maxAttempts): Promise<string | null> {
  const response = await fetch(consolePath, { cache: 'no-store', headers: { accept: 'text/html' } }).catch(() => null)
  if (response?.status === 503 && attempts > 1) {
    await new Promise((resolve) => setTimeout(resolve, againMs))
    return servedScript(attempts - 1)
  }
  if (response?.ok !== true) return null
  return / data-script="([^"]+)"/.exec(await response.text())?.[1] ?? null
}
