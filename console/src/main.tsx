import './ui/tokens.css'
import { Unauthenticated } from 'docket-client'
import { createRoot } from 'react-dom/client'
import { demoUsers } from './facts.ts'
import { loadPart, MissingPart } from './load-part.ts'
import { browserLanguage, fetchMessages, loadLanguage, t } from './messages/i18n.ts'
import { hasUnsentEntry, languageOfLastSession, listenForSignOut, rememberSession, signOut } from './session.ts'
import { SignInPage, StartFailure } from './sign-in/sign-in-page.tsx'
import { retryPage } from './ui/states.tsx'
import { applyLook } from './ui/theme.ts'
import { confirmClosing, followInput } from './unsaved-input.ts'

applyLook()
listenForSignOut((error) => {
  document.title = 'Docket'
  root.render(
    <StartFailure title="signIn.notOut" error={error} onRetry={() => void signOut(true)}>
      {t('signIn.notOutHint')}
    </StartFailure>,
  )
})
followInput()
confirmClosing(hasUnsentEntry, true)
const loadApp = () => loadPart(() => import('./app.tsx'))
// A user who was signed in most likely still is: the application loads while the server checks the session.
const lastLanguage = languageOfLastSession()
if (lastLanguage !== null) {
  void loadApp()
  // If they cannot be loaded, the error is reported when they are needed.
  fetchMessages(lastLanguage).catch(() => undefined)
}

const root = createRoot(document.getElementById('root') as HTMLElement, {
  // The page itself reports a part that failed to load.
  onCaughtError: (error) => error instanceof MissingPart || reportError(error),
})
// Without `await`: parts that are loaded later import this file, and would wait until it has ended.
void start()

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
  const [{ App, prepareApp, reportUpdate }] = await Promise.all([loadApp(), loadLanguage(session.language)])
  await prepareApp(session)
  root.render(<App session={session} />)
  reportUpdate()
}
