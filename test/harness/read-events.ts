import { stillRunning } from './still-running.ts'

export interface ServerSentEvent {
  readonly id: string | null
  readonly event: string
  readonly data: unknown
}

export interface EventReader {
  readonly status: number
  /** All events so far. Those without data only change `lastId`. */
  readonly events: readonly ServerSentEvent[]
  readonly lastId: () => string | null
  /** Resolves with the events so far as soon as they satisfy `enough`; rejects if the stream ends before. */
  until(enough: (events: readonly ServerSentEvent[]) => boolean): Promise<readonly ServerSentEvent[]>
  /** Resolves when the stream ends or breaks. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Reads Server-Sent Events according to their specification. */
export async function readEvents(url: string, headers: Readonly<Record<string, string>>): Promise<EventReader> {
  const abort = new AbortController()
  const response = await fetch(url, { headers, signal: abort.signal })
  const events: ServerSentEvent[] = []
  const waiting = new Set<() => void>()
  let lastId: string | null = null
  let isOver = false
  stillRunning.add(`events ${url}`)

  const take = (block: string): void => {
    let event = 'message'
    const data: string[] = []
    for (const line of block.split('\n')) {
      const [field = '', value = ''] = [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1).replace(/^ /, '')]
      if (field === 'id') lastId = value
      if (field === 'event') event = value
      if (field === 'data') data.push(value)
    }
    if (data.length > 0) events.push({ id: lastId, event, data: JSON.parse(data.join('\n')) })
  }
  const ended = (async () => {
    let text = ''
    // A character may begin in one piece and end in the next.
    const decoder = new TextDecoder()
    try {
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece as Uint8Array, { stream: true })
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) take(block)
        for (const notify of waiting) notify()
      }
    } catch {
      // The stream broke; the events so far are valid.
    }
    isOver = true
    stillRunning.delete(`events ${url}`)
    for (const notify of waiting) notify()
  })()
  return {
    status: response.status,
    events,
    lastId: () => lastId,
    ended,
    until: (enough) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (enough(events)) resolve([...events])
          else if (isOver) reject(new Error(`the stream ended after ${JSON.stringify(events)}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
    async close() {
      abort.abort()
      await ended
    },
  }
}
