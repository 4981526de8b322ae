import { type Session, Unauthenticated } from 'docket-client'
import { docket, pageUser, setPageUser } from './docket.ts'
import { consolePath } from './facts.ts'
import type { Language } from './messages/i18n.ts'
import { forgetLeftVersions } from './server-update.ts'
import { forgetLook } from './ui/theme.ts'
import { leavePage } from './unsaved-input.ts'

/** The user's language: only a hint for the next start of the page, not a credential. */
const hintKey = 'docket.signed-in'
/** Key of the user's preferences in this browser (preferences.ts). */
export const copyKey = 'docket.preferences'
/** Of the keys of drafts. Each draft belongs to one user: another one may sign in at the same tab. */
export const draftPrefix = (userId: string): string => `docket.draft.${userId}.`

/** Of the keys of notes that are not sent. */
export const entryPrefix = 'note.'

/** Whether this tab keeps a note that its user has not sent, also of a record that has been left. */
export const hasUnsentEntry = (): boolean =>
  Object.keys(sessionStorage).some((key) => key.startsWith(`${draftPrefix(pageUser() ?? '')}${entryPrefix}`))

/** @returns null: nobody was signed in */
export function languageOfLastSession(): Language | null {
  const language = localStorage.getItem(hintKey)
  return language === null ? null : language === 'ru' ? 'ru' : 'en'
}

export async function signIn(username: string, password: string): Promise<Session> {
  await docket.request({ method: 'POST', path: '/v1/auth/login', body: { username, password, session: 'cookie' } })
  const session = await rememberSession(Date.now())
  announce('signed-in')
  return session
}

/** @param atMs nothing that the page displays was read before. A page may contain responses: these are younger than its request */
export async function rememberSession(atMs = performance.timeOrigin): Promise<Session> {
  const session = await docket.session()
  localStorage.setItem(hintKey, session.language)
  setPageUser(session, atMs)
  // A session that has ended leaves its drafts in the tab, and so does a tab that the browser had unloaded when its user signed out.
  forgetDrafts(session.user.sys_id)
  return session
}

/** What the pages of a browser tell each other. */
interface SessionNews {
  /** `signing-out`: the server has not ended the session yet. */
  readonly what: 'signed-in' | 'signed-out' | 'signing-out'
  /** sys_id of the user of the page that says it. */
  readonly user: string | null
}

const channel = new BroadcastChannel('docket')

const announce = (what: SessionNews['what']): void =>
  channel.postMessage({ what, user: pageUser() } satisfies SessionNews)

/**
 * Ends the session and clears the data of all tabs of this browser: memory by reloading the page, and drafts. If the server does not end the
 * session, every tab says so in place of what it displayed, and tries again. A session that has ended already has nothing to end.
 *
 * @param isKnown the other tabs are signing out, too
 */
export async function signOut(isKnown = false): Promise<void> {
  try {
    await docket.request({ method: 'POST', path: '/v1/auth/logout' })
  } catch (error) {
    if (!(error instanceof Unauthenticated)) {
      if (!isKnown) announce('signing-out')
      leavePage(() => reportUnended(error))
      return forgetStored()
    }
  }
  announce('signed-out')
  forget()
}

let reportUnended: (error: unknown) => void = () => undefined

let reportSignIn: () => void = () => undefined

/** The user of this page has signed in again in another page. */
export function onSignInOfOtherTab(listener: () => void): void {
  reportSignIn = listener
}

/**
 * A page whose user has signed out, or is another one than the user who signed in elsewhere, keeps nothing.
 *
 * @param onUnended removes from the page what it displays, and says that the session goes on
 */
export function listenForSignOut(onUnended: (error: unknown) => void): void {
  reportUnended = onUnended
  channel.addEventListener('message', ({ data: { what, user } }: MessageEvent<SessionNews>) => {
    const own = pageUser()
    if (what === 'signed-in') {
      if (own === user) return reportSignIn()
      if (own === null) return
      forgetDrafts()
      return leavePage(() => location.reload())
    }
    // Another user has signed in since: that session goes on.
    if (own !== null && own !== user) return
    if (what === 'signed-out') forget()
    else void signOut(true)
  })
}

function forget(): void {
  forgetStored()
  leavePage(() => location.replace(`${consolePath}/login`))
}

function forgetStored(): void {
  localStorage.removeItem(hintKey)
  localStorage.removeItem(copyKey)
  forgetLook()
  forgetDrafts()
  forgetLeftVersions()
}

/** @param userId whose drafts stay; default: nobody's */
function forgetDrafts(userId = ''): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith('docket.draft.') && !key.startsWith(draftPrefix(userId))) sessionStorage.removeItem(key)
}
