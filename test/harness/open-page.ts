import { type IncomingHttpHeaders, request } from 'node:http'
import type { Page } from 'playwright-core'
import type { Login } from './console-browser.ts'

export interface OpenedPage {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface OpenOptions {
  readonly method?: 'GET' | 'HEAD'
  readonly headers?: Readonly<Record<string, string>>
}

/** Opens an address as a browser does when the user enters it. `fetch` of Node says that a script sends the request. */
export function openPage(baseUrl: string, path: string, options: OpenOptions = {}): Promise<OpenedPage> {
  const { method = 'GET', headers = {} } = options
  const own = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' }
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}${path}`, { method, headers: { ...own, ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    sent.on('error', reject).end()
  })
}

export const isPainted = ({ text }: { readonly text: string }): boolean => text.includes('<div id="painted-list"')

/** The server does not wait long for a list: on a busy machine, pages are sent without one now and then. */
export async function openPainted(baseUrl: string, path: string, options: OpenOptions = {}): Promise<OpenedPage> {
  for (;;) {
    const page = await openPage(baseUrl, path, options)
    if (isPainted(page)) return page
  }
}

/** The pages of this tab come without their lists, as from a server that is too busy. */
export const leaveListsToBrowser = (page: Page): Promise<unknown> =>
  page.route(/\/console\/t\//, async (route) => {
    const headers = { ...route.request().headers(), 'sec-fetch-mode': 'cors' }
    await route.fulfill({ response: await route.fetch({ headers }) })
  })

/** Signs in as a page of the console does. @returns the header `cookie` */
export async function cookieOf(
  baseUrl: string,
  { user, password }: Login,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-docket-console': '1', origin: baseUrl, ...headers },
    body: JSON.stringify({ username: user, password, session: 'cookie' }),
  })
  if (!response.ok) throw new Error(await response.text())
  await response.arrayBuffer()
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}
