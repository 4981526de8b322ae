import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { type Session, Unauthenticated } from 'docket-client'
import { createContext, type ReactNode, Suspense, useContext, useState } from 'react'
import { UpdateNotice } from './frame/update-notice.tsx'
import { readList } from './list/read-list.ts'
import { renewEvents } from './live/event-stream.ts'
import { outdate } from './live/table-refresh.ts'
import { t } from './messages/i18n.ts'
import { rememberedPreference } from './preferences.ts'
import { makeRouter } from './router.tsx'
import { takeUpdateReport } from './server-update.ts'
import { onSignInOfOtherTab, signIn } from './session.ts'
import { tablesQuery } from './table/use-table.ts'
import { keepFocus } from './ui/keep-focus.ts'
import { lazyPart } from './ui/part.tsx'
import { showToast, Toasts } from './ui/toast.tsx'

const SignInAgain = lazyPart(async () => (await import('./sign-in/sign-in-again.tsx')).SignInAgain)

const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('nobody is signed in')
  return session
}

export const isStaff = ({ roles }: Session): boolean => roles.includes('itil') || roles.includes('admin')

/** Whether the user works on tickets of others. Other users see no tables, columns or filters of the desk. */
export const useIsStaff = (): boolean => isStaff(useSession())

/** Callers only ask and read; columns and queries are not mentioned to them. */
export const useSeesColumns = (): boolean => useSession().roles.some((role) => !callerRoles.has(role))
const callerRoles = new Set(['user', 'document_reader'])

let reportEnd: () => void = () => undefined

const waiting: (() => void)[] = []

/** Runs once, when the user has signed in again after the session has ended. */
export const onceSignedIn = (run: () => void): void => void waiting.push(run)

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

/** In milliseconds: how long the frame waits for the rows, so that both are rendered at once, and the requests are sent before. */
const maxWaitMs = 100

/** Before the first rendering: what it needs. Resolves when it should wait no longer. */
export async function prepareApp({ user }: Session): Promise<void> {
  keepFocus()
  const remembered = (table: string): unknown => rememberedPreference(user.sys_id, `list.${table}`)
  // If the table cannot be read, the page asks again and displays the error.
  const read = readList(queryClient, location, remembered).catch(() => undefined)
  const navigation = queryClient.prefetchQuery(tablesQuery)
  await Promise.race([Promise.all([read, navigation]), new Promise((resolve) => setTimeout(resolve, maxWaitMs))])
}

/** Once after the page was reloaded because the server has another version. */
export function reportUpdate(): void {
  if (takeUpdateReport()) showToast(t('state.updated'))
}

export function App({ session }: { readonly session: Session }) {
  const [router] = useState(makeRouter)
  const [hasEnded, setEnded] = useState(false)
  reportEnd = () => setEnded(true)
  const resumeSession = async (): Promise<void> => {
    setEnded(false)
    renewEvents()
    for (const run of waiting.splice(0)) run()
    await outdate(queryClient)
  }
  onSignInOfOtherTab(() => void resumeSession())
  const enter = async (_name: string, password: string): Promise<void> => {
    await signIn(session.user.user_name, password)
    await resumeSession()
  }
  return (
    <Screen session={session} client={queryClient} router={router}>
      {hasEnded && (
        <Suspense>
          <SignInAgain userName={session.user.user_name} onSubmit={enter} />
        </Suspense>
      )}
      <UpdateNotice />
      <Toasts isSignedOut={hasEnded} />
    </Screen>
  )
}

interface ScreenProps {
  readonly session: Session
  readonly client: QueryClient
  readonly router: ReturnType<typeof makeRouter>
  readonly children?: ReactNode
}

/** What the address displays. The server renders it, too, for many users (server/paint-list.tsx). */
export const Screen = ({ session, client, router, children }: ScreenProps) => (
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={client}>
      <SessionContext value={session}>
        <RouterProvider router={router} />
        {children}
      </SessionContext>
    </QueryClientProvider>
  </CSPProvider>
)
