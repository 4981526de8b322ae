import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CuttingProxy {
  readonly baseUrl: string
  close(): Promise<void>
}

/**
 * Forwards POST requests to a server. `isCut` is called with the number of each, from 1, when the server has responded: with true,
 * the client gets no response.
 */
export async function startCuttingProxy(target: string, isCut: (request: number) => boolean): Promise<CuttingProxy> {
  let posts = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const isPost = request.method === 'POST'
    if (isPost) posts += 1
    const number = posts
    const names = ['authorization', 'content-type', 'idempotency-key'] as const
    const headers = names.flatMap((name): [string, string][] => {
      const value = request.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    })
    const forwarded = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(isPost ? { body: Buffer.concat(chunks) } : {}),
    })
    const body = Buffer.from(await forwarded.arrayBuffer())
    if (isPost && isCut(number)) return
    response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? '' })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
