import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stillRunning } from './still-running.ts'

/** A converter behind HTTP that the test makes: what it does with a file decides how long a load lasts and how it ends. */
export interface ConverterStandIn {
  readonly url: string
  /** Files that it was asked for. */
  requested: number
  /** How the next are answered; by default with a page. Nothing at all: the load lasts. */
  answer: (response: ServerResponse) => void
  stop(): Promise<void>
}

/** A Word document of the format before 2007, as far as telling it is concerned: Docket has it converted. */
export function oldWord(content = ''): Buffer {
  const head = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)])
  return Buffer.concat([head, Buffer.from('WordDocument', 'utf16le'), Buffer.from(content)])
}

export const answerPage =
  (text: string) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<p>${text}</p>`)
  }

export async function startConverter(): Promise<ConverterStandIn> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      converter.requested++
      converter.answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  stillRunning.add(`converter stand-in ${port}`)
  const converter: ConverterStandIn = {
    url: `http://127.0.0.1:${port}/tika`,
    requested: 0,
    answer: answerPage('Converted.'),
    stop: () =>
      new Promise((resolve) => {
        stillRunning.delete(`converter stand-in ${port}`)
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return converter
}
