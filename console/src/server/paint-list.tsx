import { i18n } from '@lingui/core'
import { QueryClient } from '@tanstack/react-query'
import { createMemoryHistory } from '@tanstack/react-router'
import { DocketError, type Session } from 'docket-client'
import { renderToString } from 'react-dom/server'
import { parseSearch, stringifySearch } from '../address.ts'
import { isStaff, Screen } from '../app.tsx'
import { readListSearch } from '../list/list-state.ts'
import { readList } from '../list/read-list.ts'
import { filtersQuery } from '../list/saved-filters.ts'
import { type Language, loadLanguage } from '../messages/i18n.ts'
import { preferencesQuery } from '../preferences.ts'
import { makeRouter } from '../router.tsx'
import { tablesQuery } from '../table/use-table.ts'
import { type Look, lookOf, setLook } from '../ui/theme.ts'
import { docket, fetchOfCaller } from './docket.ts'
import { inertHtml } from './inert-html.ts'
import { StartFailed } from './start-failed.tsx'

export interface PaintedList extends Look {
  readonly html: string
  /** Displayed if the script of the console cannot be loaded. */
  readonly failure: string
  readonly language: Language
}

/**
 * The list at an address as HTML, as the caller of `send` sees it.
 *
 * @param address path and query, without a prefix
 * @returns null: the list is not complete without the browser
 */
export const paintList = (address: string, send: typeof fetch): Promise<PaintedList | null> =>
  fetchOfCaller.run(send, () => paint(new URL(address, 'http://docket')))

async function paint(address: URL): Promise<PaintedList | null> {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  // As the router writes it: for any other spelling it would render nothing and change the address.
  const search = stringifySearch({ ...readListSearch(parseSearch(address.search)) })
  const router = makeRouter(createMemoryHistory({ initialEntries: [address.pathname + search] }))
  try {
    // First, so that its `last_event_id` is older than everything that is read.
    const session = await docket.session()
    const readPreferences = client.fetchQuery(preferencesQuery(session.user.sys_id))
    const [preferences] = await Promise.all([
      readPreferences,
      readList(client, address, async (table) => (await readPreferences)[`list.${table}`]?.value),
      client.fetchQuery(tablesQuery),
      client.fetchQuery(filtersQuery(session.user.sys_id, isStaff(session))),
      router.load(),
      loadLanguage(session.language),
    ])
    const list = { address, session, client, router, look: lookOf(preferences['look']?.value) }
    const painted = render(list)
    if (painted !== null) return painted
    // The first rendering of a long list begins to load its bar, which is in this file: nothing but promises is to be waited for.
    await new Promise((resolve) => setTimeout(resolve, 0))
    return render(list)
  } catch (error) {
    // The browser gets the same error, and displays it.
    if (error instanceof DocketError) return null
    throw error
  } finally {
    client.clear()
  }
}

/** What a caller may see of a list. */
interface ReadList {
  readonly address: URL
  readonly session: Session
  readonly client: QueryClient
  readonly router: ReturnType<typeof makeRouter>
  readonly look: Look
}

/** Language and look are state of modules. They are set in the same turn in which they are used, so no other caller can change them between. */
function render({ address, session, client, router, look }: ReadList): PaintedList | null {
  const { language } = session
  i18n.activate(language)
  setLook(look)
  const html = renderToString(<Screen session={session} client={client} router={router} />)
  if (!isComplete(html)) return null
  const failure = renderToString(<StartFailed address={address.pathname + address.search} />)
  return { html: inertHtml(html), failure, language, ...look }
}

/** `<!--$?-->` and `<!--$!-->` stand for a part that waits for something or has failed. In texts, React escapes `<`. */
const isComplete = (html: string): boolean => !/<!--\$[?!]-->/.test(html) && html.includes(' data-record=""')
