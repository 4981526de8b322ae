import { CSPProvider } from '@base-ui/react/csp-provider'
import { Dialog } from '@base-ui/react/dialog'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type Session, Unauthenticated } from 'docket-client'
import { createContext, useContext, useState } from 'react'
import { UpdateNotice } from './frame/update-notice.tsx'
import { readFirstList } from './list/read-first-list.ts'
import { renewEvents } from './live/event-stream.ts'
import { t } from './messages/i18n.ts'
import { makeRouter } from './router.tsx'
import { takeUpdateReport } from './server-update.ts'
import { onSignInOfOtherTab, signIn } from './session.ts'
import { SignInForm } from './sign-in/sign-in-page.tsx'
import { keepFocus } from './ui/keep-focus.ts'
import { showToast, Toasts } from './ui/toast.tsx'
import ui from './ui/ui.module.css'

const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('nobody is signed in')
  return session
}

/** Whether the user works on tickets of others. Other users see no tables, columns or filters of the desk. */
export function useIsStaff(): boolean {
  const { roles } = useSession()
  return roles.includes('itil') || roles.includes('admin')
}

/** Callers only ask and read; columns and queries are not mentioned to them. */
export const useSeesColumns = (): boolean => useSession().roles.some((role) => !callerRoles.has(role))
const callerRoles = new Set(['user', 'document_reader'])

let reportEnd: () => void = () => undefined

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => endIfSignedOut(error) }),
  defaultOptions: {
    queries: {
      retry: false,
      staleTime: 15_000,
      refetchOnWindowFocus: false,
      // A server in the same network may respond although the browser believes to be offline; an error says more than waiting.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
  },
})

/** A 401 response means that the session has ended: a dialog asks to sign in again, and the page stays as it is. */
export function endIfSignedOut(error: unknown): boolean {
  const hasEnded = error instanceof Unauthenticated
  if (hasEnded) reportEnd()
  return hasEnded
}

const router = makeRouter()

keepFocus()

/** In milliseconds: how long the frame waits for the table of the list, so that the rows are requested before the frame is rendered. */
const maxWaitMs = 100

/** What the list in the address needs. Resolves when its rows are requested, or when the page should wait no longer. */
export async function readAddress(session: Session): Promise<void> {
  // If the table cannot be read, the page asks again and displays the error.
  const read = readFirstList(queryClient, session).catch(() => undefined)
  await Promise.race([read, new Promise((resolve) => setTimeout(resolve, maxWaitMs))])
}

/** Once after the page was reloaded because the server has another version. */
export function reportUpdate(): void {
  if (takeUpdateReport()) showToast(t('state.updated'))
}

export function App({ session }: { readonly session: Session }) {
  const [hasEnded, setEnded] = useState(false)
  reportEnd = () => setEnded(true)
  const resumeSession = async (): Promise<void> => {
    setEnded(false)
    renewEvents()
    await queryClient.invalidateQueries()
  }
  onSignInOfOtherTab(() => void resumeSession())
  const enter = async (_name: string, password: string): Promise<void> => {
    await signIn(session.user.user_name, password)
    await resumeSession()
  }
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <SessionContext value={session}>
          <RouterProvider router={router} />
          <Dialog.Root open={hasEnded}>
            <Dialog.Portal>
              <Dialog.Backdrop className={ui.backdrop} />
              <Dialog.Popup className={ui.dialog}>
                <Dialog.Title render={<h2 />}>{t('signIn.again')}</Dialog.Title>
                <Dialog.Description>{t('signIn.againHint')}</Dialog.Description>
                <SignInForm userName={session.user.user_name} onSubmit={enter} />
              </Dialog.Popup>
            </Dialog.Portal>
          </Dialog.Root>
          <UpdateNotice />
          <Toasts />
        </SessionContext>
      </QueryClientProvider>
    </CSPProvider>
  )
}
