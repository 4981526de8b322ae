import { canBuild } from '../../config/console-build.ts'
import { readVersion } from '../../config/version.ts'
import { declare, type EndpointResponse, type Reply } from '../../http/endpoint/declare.ts'
import { pathOf } from '../../http/request/base-url.ts'
import { acceptsCoding } from '../../http/response/compress-response.ts'
import { buildFailedPage, buildingPage, htmlResponse, plainCss, unbuiltPage } from '../../http/response/plain-pages.ts'
import type { WholeResponse } from '../../http/response/send-response.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { type Asset, buildError, consoleReader } from './console-assets.ts'
import { type ConsoleFacts, consolePage } from './console-page.ts'
import { pageDeclaration } from './page-declaration.ts'
import { type PaintDeps, paintListFor } from './paint-list.ts'
import { paintedPage } from './painted-page.ts'

export interface ConsoleDeps extends PaintDeps {
  /** The settings. */
  readonly baseUrl: string | undefined
  readonly isConsoleOn: boolean
  /** Demo users who still have their published password. */
  readonly demoUsers: () => Promise<ConsoleFacts['demoUsers']>
}

const off = (path: string): Result<never, Problem> => fail({ kind: 'no-such-path', path })

/** One page for all addresses of the console. The console gets everything else from the API. */
const pageEndpoint = declare({
  ...pageDeclaration,
  id: 'console',
  path: '/console',
  alsoAt: ['/console/*'],
  summary: 'The web console',
  async handle(deps: ConsoleDeps, _input, request): Promise<Result<EndpointResponse, Problem>> {
    if (!deps.isConsoleOn) return off('/console')
    const prefix = pathOf(deps.baseUrl)
    const built = readConsole()
    if (built === null) return succeed({ whole: unbuilt(prefix) })
    const page = consolePage(built.page, { prefix, version: VERSION, demoUsers: await deps.demoUsers() })
    const painted = await paintListFor(deps, request)
    const whole = painted === null ? page : paintedPage(page, { ...painted, prefix, assets: built.assets.keys() })
    return succeed({ whole: htmlResponse(200, whole) })
  },
})

/** The name of the asset changes with its content. */
const assetEndpoint = declare({
  ...pageDeclaration,
  id: 'console.asset',
  path: '/console/assets/{asset}',
  summary: 'Scripts and styles of the console',
  async handle({ isConsoleOn }: ConsoleDeps, _input, { path, headers }): Promise<Result<EndpointResponse, Problem>> {
    const { asset = '' } = path
    const found = isConsoleOn ? readConsole()?.assets.get(asset) : undefined
    if (found === undefined) return off(`/console/assets/${asset}`)
    const wanted = String(headers['accept-encoding'] ?? '')
    return succeed({ send: async (reply) => succeed(sendAsset(reply, found, wanted)) })
  },
})

const plainCssEndpoint = declare({
  ...pageDeclaration,
  id: 'console.plain-css',
  path: '/console/plain.css',
  summary: 'The style of pages without a script',
  handle: async () =>
    succeed({ whole: { status: 200, headers: { 'content-type': 'text/css; charset=utf-8' }, body: plainCss } }),
})

export const consoleEndpoints = [pageEndpoint, assetEndpoint, plainCssEndpoint]

const VERSION = readVersion()
const readConsole = consoleReader()

function unbuilt(prefix: string): WholeResponse {
  const error = buildError()
  if (error !== null) return htmlResponse(503, buildFailedPage(prefix, error))
  return canBuild()
    ? htmlResponse(503, buildingPage(prefix), { 'retry-after': '1' })
    : htmlResponse(503, unbuiltPage(prefix))
}

function sendAsset({ raw, request }: Reply, asset: Asset, wanted: string): void {
  const [coding, bytes] = asset.packed.find(([name]) => acceptsCoding(wanted, name)) ?? [null, asset.bytes]
  raw.writeHead(200, {
    'content-type': asset.type,
    'content-length': bytes.length,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    // A shared worker has the policy of its own file.
    'content-security-policy': "default-src 'none'; connect-src 'self'",
    'x-request-id': request.id,
    vary: 'accept-encoding',
    ...(coding === null ? {} : { 'content-encoding': coding }),
  })
  raw.end(bytes)
}
