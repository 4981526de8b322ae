import { readVersion } from '../../config/version.ts'
import { declare, type EndpointResponse } from '../../http/endpoint/declare.ts'
import { prefersJson, prefersPage } from '../../http/request/acceptable.ts'
import { pathOf } from '../../http/request/base-url.ts'
import { htmlResponse } from '../../http/response/plain-pages.ts'
import type { WholeResponse } from '../../http/response/send-response.ts'
import { type Result, succeed } from '../../kernel/result.ts'
import { pageDeclaration } from './page-declaration.ts'
import { homePage, type PageFacts } from './pages.ts'

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
    return succeed({ whole: htmlResponse(200, homePage(facts)) })
  },
})

/** Shows the API in the console; without the console, sends the document itself. */
const docsEndpoint = declare({
  ...pageDeclaration,
  id: 'docs',
  path: '/docs',
  summary: 'The API as a page',
  async handle(deps: PageDeps): Promise<Result<EndpointResponse, never>> {
    const prefix = pathOf(deps.baseUrl)
    return succeed({ whole: redirectTo(deps.isConsoleOn ? `${prefix}/console/api` : `${prefix}/openapi.json`) })
  },
})

export const pageEndpoints = [homeEndpoint, docsEndpoint]

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

const redirectTo = (location: string): WholeResponse => ({
  status: 302,
  headers: { location, vary: 'accept' },
  body: '',
})
