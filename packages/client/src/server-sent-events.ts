import { linesOf } from './lines.ts'

export interface ServerSentEvent {
  readonly id: string | undefined
  readonly name: string
  readonly data: string
}

/**
 * Reads a stream of Server-Sent Events (HTML standard, "parsing an event stream"). Comments and empty events are skipped. An id without data
 * is reported with the name '': it is not an event, but the place to continue from.
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let fields = new Map<string, string>()
  for await (const line of linesOf(body)) {
    if (line !== '') addField(fields, line)
    else {
      const data = fields.get('data')
      const id = fields.get('id')
      if (data !== undefined) yield { id, name: fields.get('event') ?? 'message', data }
      else if (id !== undefined) yield { id, name: '', data: '' }
      fields = new Map()
    }
  }
}

function addField(fields: Map<string, string>, line: string): void {
  const colon = line.indexOf(':')
  if (colon === 0) return
  const name = colon === -1 ? line : line.slice(0, colon)
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
  const before = fields.get(name)
  fields.set(name, name === 'data' && before !== undefined ? `${before}\n${value}` : value)
}
