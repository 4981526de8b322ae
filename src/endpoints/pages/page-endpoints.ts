import { readdirSync, readFileSync } from 'node:fs'
import { readVersion } from '../../config/version.ts'
import type { Html } from '../../http/answer/html.ts'
import type { WholeAnswer } from '../../http/answer/send-answer.ts'
import { declare, type EndpointResponse } from '../../http/endpoint/declare.ts'
import { prefersJson, prefersPage } from '../../http/request/acceptable.ts'
import { pathOf } from '../../http/request/base-url.ts'
import { type Result, refuse, succeed } from '../../kernel/result.ts'
import { typeOfAsset } from './asset-type.ts'
import { pageDeclaration } from './page-declaration.ts'
import { docsPage, homePage, type PageFacts } from './pages.ts'

export interface PageDeps {
  /** The setting. */
  readonly baseUrl: string | undefined
  readonly isConsoleOn: boolean
}

const homeEndpoint = declare({
  ...pageDeclaration,
  id: 'home',
  path: '/',
  summary: 'The start page; where to go on for programs that want JSON',
  async handle(deps: PageDeps, _input, { headers, baseUrl }): Promise<Result<EndpointResponse, never>> {
    const facts = factsOf(deps, baseUrl)
    if (prefersJson(headers.accept)) return succeed({ data: signposts(facts) })
    if (deps.isConsoleOn && prefersPage(headers.accept))
      return succeed({ whole: redirectTo(`${facts.prefix}/console`) })
    return succeed({ whole: pageOf(homePage(facts)) })
  },
})

const docsEndpoint = declare({
  ...pageDeclaration,
  id: 'docs',
  path: '/docs',
  summary: 'The API as a page',
  handle: async (deps: PageDeps, _input, { baseUrl }) => succeed({ whole: pageOf(docsPage(factsOf(deps, baseUrl))) }),
})

/** What pages load. Nothing comes from another server. */
const assetEndpoint = declare({
  ...pageDeclaration,
  id: 'docs.asset',
  path: '/docs/{asset}',
  summary: 'Scripts and styles of the pages',
  async handle(_deps: unknown, _input, { path }) {
    const { asset = '' } = path
    const found = ASSETS.get(asset)
    if (found === undefined) return refuse({ kind: 'no-such-path', path: `/docs/${asset}` })
    return succeed({ whole: { status: 200, headers: { 'content-type': found.type }, body: found.text } })
  },
})

export const pageEndpoints = [homeEndpoint, docsEndpoint, assetEndpoint]

const VERSION = readVersion()

const factsOf = (deps: PageDeps, baseUrl: string): PageFacts => ({
  version: VERSION,
  prefix: pathOf(deps.baseUrl),
  baseUrl,
})

const signposts = ({ version, baseUrl }: PageFacts) => ({
  name: 'Docket',
  version,
  docs: `${baseUrl}/docs`,
  openapi: `${baseUrl}/openapi.json`,
  login: `${baseUrl}/v1/auth/login`,
  records: `${baseUrl}/rest/v1/table/{table}`,
  health: `${baseUrl}/health`,
  ready: `${baseUrl}/ready`,
})

interface Asset {
  readonly type: string
  readonly text: string
}

/** Read once, and served by name from memory: no name of a caller comes near the file system. */
function readAssets(): ReadonlyMap<string, Asset> {
  const folder = new URL('./assets/', import.meta.url)
  return new Map(
    readdirSync(folder).flatMap((name) => {
      const type = typeOfAsset(name)
      return type === undefined ? [] : [[name, { type, text: readFileSync(new URL(name, folder), 'utf8') }]]
    }),
  )
}

const ASSETS = readAssets()

/** Scripts and styles from here only, none inline; talks to this server only; in nobody's frame. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const redirectTo = (location: string): WholeAnswer => ({ status: 302, headers: { location, vary: 'accept' }, body: '' })

function pageOf(page: Html): WholeAnswer {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    vary: 'accept',
  }
  return { status: 200, headers, body: page.text }
}
