import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
  redirect,
} from '@tanstack/react-router'
import { parseSearch, type SearchTexts, stringifySearch } from './address.ts'
import { consolePath } from './facts.ts'
import { Frame } from './frame/frame.tsx'
import { NotFoundPage } from './frame/not-found.tsx'
import { HomePage } from './home/home-page.tsx'
import { FilterPage, ListPage } from './list/list-page.tsx'
import { type ListSearch, readListSearch } from './list/list-state.ts'
import { loadPart } from './load-part.ts'
import { withMessages } from './messages/i18n.ts'
import { releaseKeys } from './ui/held-keys.ts'
import { ErrorPage, retryPage } from './ui/states.tsx'

const root = createRootRoute({ component: Frame, notFoundComponent: NotFoundPage })
const home = createRoute({ getParentRoute: () => root, path: '/', component: HomePage })

const list = createRoute({
  getParentRoute: () => root,
  path: '/t/$table',
  validateSearch: readListSearch,
  component: ListPage,
})

const savedFilter = createRoute({
  getParentRoute: () => root,
  path: '/f/$filter',
  validateSearch: ({ peek, filter }: SearchTexts): Pick<ListSearch, 'peek' | 'filter'> => ({ peek, filter }),
  component: FilterPage,
})

export interface FormSearch {
  readonly view?: string | undefined
  readonly tab?: string | undefined
  readonly set?: string | undefined
}

const form = createRoute({
  getParentRoute: () => root,
  path: '/t/$table/$sysId',
  validateSearch: ({ view, tab, set }: SearchTexts): FormSearch => ({ view, tab, set }),
  component: lazyRouteComponent(() => withMessages(loadPart(() => import('./form/form-page.tsx'))), 'FormPage'),
})

export interface SearchSearch {
  readonly q?: string | undefined
  /** Names of collections, separated by commas. */
  readonly c?: string | undefined
  readonly filter?: string | undefined
  readonly mode?: string | undefined
  /** The open document, the index of its passage, and its collection. */
  readonly doc?: string | undefined
  readonly chunk?: string | undefined
  readonly docc?: string | undefined
  /** `1`: the open source displays where its chunks begin and end. */
  readonly chunks?: string | undefined
  /** `doc`: passages of a document are together. */
  readonly group?: string | undefined
}

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: ({ q, c, filter, mode, doc, chunk, docc, chunks, group }: SearchTexts): SearchSearch => ({
    q,
    c,
    filter,
    mode,
    doc,
    chunk,
    docc,
    chunks,
    group,
  }),
  component: lazyRouteComponent(
    // Its conditions have groups, as those of lists.
    () => withMessages(loadPart(() => withMessages(import('./search/search-page.tsx'), 'dialogs'))),
    'SearchPage',
  ),
})

const me = createRoute({
  getParentRoute: () => root,
  path: '/me',
  component: lazyRouteComponent(() => withMessages(loadPart(() => import('./me/me-page.tsx'))), 'MePage'),
})

export interface ApiSearch {
  /** Name of a table, or of another part of the API. */
  readonly table?: string | undefined
  readonly operation?: string | undefined
}

const api = createRoute({
  getParentRoute: () => root,
  path: '/api',
  validateSearch: ({ table, operation }: SearchTexts): ApiSearch => ({ table, operation }),
  component: lazyRouteComponent(() => withMessages(loadPart(() => import('./api/api-page.tsx'))), 'ApiPage'),
})

/** As `GET /rest/v1/acl/explain` takes them. */
export interface AccessSearch {
  readonly user?: string | undefined
  readonly table?: string | undefined
  readonly operation?: string | undefined
  readonly sys_id?: string | undefined
  readonly column?: string | undefined
}

const access = createRoute({
  getParentRoute: () => root,
  path: '/admin/access',
  validateSearch: (search: SearchTexts): AccessSearch => search,
  component: lazyRouteComponent(() => withMessages(loadPart(() => import('./access/access-page.tsx'))), 'AccessPage'),
})

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  beforeLoad: () => {
    throw redirect({ to: '/' })
  },
})

const routeTree = root.addChildren([home, list, savedFilter, form, search, me, api, access, login])

export const makeRouter = (history?: RouterHistory) =>
  createRouter({
    ...(history === undefined ? {} : { history }),
    routeTree,
    basepath: consolePath,
    parseSearch,
    stringifySearch,
    scrollRestoration: false,
    defaultPreload: false,
    defaultOnCatch: releaseKeys,
    defaultErrorComponent: ({ error, reset }) => <ErrorPage error={error} onRetry={() => retryPage(error, reset)} />,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
