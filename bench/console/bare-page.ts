import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'

export interface BarePage {
  readonly address: string
  close(): void
}

/**
 * What a page shows now, as one HTML file without any script: the least time in which this browser on this machine can
 * receive, lay out and paint it.
 */
export async function serveBarePage(page: Page): Promise<BarePage> {
  const html = await page.evaluate<string>(`(() => {
    const rules = [...document.styleSheets, ...document.adoptedStyleSheets].flatMap((sheet) => [...sheet.cssRules])
    const bare = document.documentElement.cloneNode(true)
    for (const element of bare.querySelectorAll('script, link, style')) element.remove()
    const style = document.createElement('style')
    style.textContent = rules.map((rule) => rule.cssText).join('\\n')
    bare.querySelector('head').appendChild(style)
    return '<!doctype html>' + bare.outerHTML
  })()`)
  const body = gzipSync(html)
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' })
    response.end(body)
  })
  await listening(server)
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close().closeAllConnections(),
  }
}

const listening = (server: Server): Promise<void> => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
