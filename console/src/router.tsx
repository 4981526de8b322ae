import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { consolePath } from './facts.ts'
import { Frame } from './frame/frame.tsx'
import { NotFoundPage } from './frame/not-found.tsx'
import { HomePage } from './home/home-page.tsx'
import { ListPage } from './list/list-page.tsx'

/** Search parameters are texts, character for character as they stand in the address. */
type Texts = Readonly<Record<string, string | undefined>>

const parseSearch = (search: string): Texts => Object.fromEntries(new URLSearchParams(search))

function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search).filter(([, value]) => typeof value === 'string' && value !== '')
  const text = entries.map(([name, value]) => `${name}=${encodeValue(String(value))}`).join('&')
  return text === '' ? '' : `?${text}`
}

/** Leaves the signs of encoded queries readable, which an address may hold. */
const encodeValue = (value: string): string =>
  encodeURIComponent(value.toWellFormed()).replace(/%(5E|3D|2C|3A|40|28|29|2F)/g, (code) => decodeURIComponent(code))

const root = createRootRoute({ component: Frame, notFoundComponent: NotFoundPage })
const home = createRoute({ getParentRoute: () => root, path: '/', component: HomePage })

export interface ListSearch {
  readonly q?: string | undefined
  readonly cols?: string | undefined
  readonly peek?: string | undefined
}

const list = createRoute({
  getParentRoute: () => root,
  path: '/t/$table',
  validateSearch: ({ q, cols, peek }: Texts): ListSearch => ({ q, cols, peek }),
  component: ListPage,
})

export interface FormSearch {
  readonly view?: string | undefined
  readonly tab?: string | undefined
  readonly set?: string | undefined
}

const form = createRoute({
  getParentRoute: () => root,
  path: '/t/$table/$sysId',
  validateSearch: ({ view, tab, set }: Texts): FormSearch => ({ view, tab, set }),
  component: lazyRouteComponent(() => import('./form/form-page.tsx'), 'FormPage'),
})

export interface SearchSearch {
  readonly q?: string | undefined
  /** Collections by name, with commas between them. */
  readonly c?: string | undefined
  readonly filter?: string | undefined
  readonly mode?: string | undefined
  /** The open document, the index of its passage, and its collection. */
  readonly doc?: string | undefined
  readonly chunk?: string | undefined
  readonly docc?: string | undefined
}

const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: ({ q, c, filter, mode, doc, chunk, docc }: Texts): SearchSearch => ({
    q,
    c,
    filter,
    mode,
    doc,
    chunk,
    docc,
  }),
  component: lazyRouteComponent(() => import('./search/search-page.tsx'), 'SearchPage'),
})

const me = createRoute({
  getParentRoute: () => root,
  path: '/me',
  component: lazyRouteComponent(() => import('./me/me-page.tsx'), 'MePage'),
})

export interface ApiSearch {
  /** Name of a table, or of another part of the API. */
  readonly table?: string | undefined
  readonly operation?: string | undefined
}

const api = createRoute({
  getParentRoute: () => root,
  path: '/api',
  validateSearch: ({ table, operation }: Texts): ApiSearch => ({ table, operation }),
  component: lazyRouteComponent(() => import('./api/api-page.tsx'), 'ApiPage'),
})

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  beforeLoad: () => {
    throw redirect({ to: '/' })
  },
})

const routeTree = root.addChildren([home, list, form, search, me, api, login])

export const makeRouter = () =>
  createRouter({
    routeTree,
    basepath: consolePath,
    parseSearch,
    stringifySearch,
    scrollRestoration: false,
    defaultPreload: false,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
