import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readVersion } from '../../config/version.ts'
import { sendAnswer, sendData, sendProblem } from '../answer/send-answer.ts'
import type { HttpParts } from '../http-parts.ts'
import { prefersJson } from '../request/acceptable.ts'
import { baseUrlOf } from '../request/base-url.ts'
import type { Html } from './html.ts'
import { docsPage, homePage, type PageFacts } from './pages.ts'

/** `/`, `/docs` and what they load. Nothing comes from another server. */
export function addPageRoutes(app: FastifyInstance, parts: HttpParts): void {
  const version = readVersion()
  const assets = readAssets()
  const config = { access: 'public' } as const
  const method = ['GET', 'HEAD']
  const factsOf = (request: FastifyRequest): PageFacts => ({
    version,
    prefix: pathOf(parts.settings.baseUrl),
    baseUrl: baseUrlOf(request, parts.settings),
  })

  app.route({
    method,
    url: '/',
    config,
    handler: (request, reply) => {
      const facts = factsOf(request)
      if (prefersJson(request.headers.accept)) sendData(reply, signposts(facts))
      else sendPage(reply, homePage(facts))
    },
  })
  app.route({ method, url: '/docs', config, handler: (request, reply) => sendPage(reply, docsPage(factsOf(request))) })
  app.route({
    method,
    url: '/docs/:asset',
    config,
    handler: (request, reply) => {
      const { asset } = request.params as { readonly asset: string }
      const found = assets.get(asset)
      if (found === undefined) sendProblem(reply, { kind: 'no-such-path', path: `/docs/${asset}` })
      else sendAnswer(reply, { status: 200, headers: { 'content-type': found.type }, body: found.text })
    },
  })
}

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

/** `https://example.com/desk` → `/desk`. */
function pathOf(baseUrl: string | undefined): string {
  return baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '')
}

interface Asset {
  readonly type: string
  readonly text: string
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
}

/** Read once, and served by name from memory: no name of a caller comes near the file system. */
function readAssets(): ReadonlyMap<string, Asset> {
  const folder = new URL('./assets/', import.meta.url)
  const names = readdirSync(folder).filter((name) => TYPES[extensionOf(name)] !== undefined)
  return new Map(
    names.map((name) => [
      name,
      { type: TYPES[extensionOf(name)] ?? '', text: readFileSync(new URL(name, folder), 'utf8') },
    ]),
  )
}

const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/** Scripts and styles from here only, none inline; talks to this server only; in nobody's frame. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

function sendPage(reply: FastifyReply, page: Html): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    vary: 'accept',
  }
  sendAnswer(reply, { status: 200, headers, body: page.text })
}
