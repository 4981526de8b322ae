import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stillRunning } from './still-running.ts'

/** A file converter behind HTTP that the test controls: how long a load takes and how it ends. */
export interface ConverterStandIn {
  readonly url: string
  /** The number of files that it was sent. */
  requested: number
  /** Responds to the next files; by default with a page. If it does not respond, the load continues. */
  respond: (response: ServerResponse) => void
  stop(): Promise<void>
}

/** A file that is detected as a Word document of the format before 2007, which Docket sends to the converter. */
export function oldWord(content = ''): Buffer {
  const head = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)])
  return Buffer.concat([head, Buffer.from('WordDocument', 'utf16le'), Buffer.from(content)])
}

export const respondWithPage =
  (text: string) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<p>${text}</p>`)
  }

export async function startConverter(): Promise<ConverterStandIn> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      converter.requested++
      converter.respond(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  stillRunning.add(`converter stand-in ${port}`)
  const converter: ConverterStandIn = {
    url: `http://127.0.0.1:${port}/tika`,
    requested: 0,
    respond: respondWithPage('Converted.'),
    stop: () =>
      new Promise((resolve) => {
        stillRunning.delete(`converter stand-in ${port}`)
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return converter
}
