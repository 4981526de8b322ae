import './ui/tokens.css'
import { Unauthenticated } from 'docket-client'
import { createRoot } from 'react-dom/client'
import { consolePath, demoUsers } from './facts.ts'
import { browserLanguage, fetchMessages, loadLanguage, t } from './messages/i18n.ts'
import { languageOfLastSession, listenForSignOut, rememberSession } from './session.ts'
import { SignInPage, StartFailure } from './sign-in/sign-in-page.tsx'
import { readTableInfo } from './table/table-info.ts'
import { keepFocus } from './ui/keep-focus.ts'
import { isFailedPart, retryPage } from './ui/states.tsx'
import { applyLook } from './ui/theme.ts'

applyLook()
keepFocus()
listenForSignOut()
const loadApp = () => import('./app.tsx')
// A user who was signed in most likely still is: the application loads while the server checks the session.
const lastLanguage = languageOfLastSession()
if (lastLanguage !== null) {
  void loadApp()
  void fetchMessages(lastLanguage)
}

const root = createRoot(document.getElementById('root') as HTMLElement, {
  // The page itself reports a part that failed to load.
  onCaughtError: (error) => isFailedPart(error) || reportError(error),
})
await start()

/** The sign-in page keeps the requested address, so that a shared link works after sign-in. */
async function start(): Promise<void> {
  try {
    await openApp()
  } catch (error) {
    await loadLanguage(browserLanguage(), 'sign-in')
    document.title = `${t('signIn.title')} · Docket`
    if (error instanceof Unauthenticated) root.render(<SignInPage demoUsers={demoUsers} onSignedIn={openApp} />)
    else root.render(<StartFailure error={error} onRetry={() => retryPage(error, () => void start())} />)
  }
}

async function openApp(): Promise<void> {
  const session = await rememberSession()
  const name = tableOfList(location.pathname)
  const info = name === null ? null : readTableInfo(name)
  const [{ App, readAddress }] = await Promise.all([loadApp(), loadLanguage(session.language)])
  if (name !== null && info !== null) await readAddress(session, { name, info })
  root.render(<App session={session} />)
}

/** @returns null: the address is not that of a list */
function tableOfList(path: string): string | null {
  const [, table] = /^\/t\/([^/]+)$/.exec(path.slice(consolePath.length)) ?? []
  return table === undefined ? null : decodeURIComponent(table)
}
