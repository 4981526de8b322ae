import type { IncomingMessage } from 'node:http'

/** The body of a request, read chunk by chunk: unread bytes stay with the sender. */
export interface PulledBytes {
  /**
   * Only one call at a time.
   *
   * @returns undefined at the end
   * @throws Error if the connection breaks before the end
   */
  next(): Promise<Buffer | undefined>
  /**
   * The rest of the body is read and discarded. Otherwise a caller who disconnects meanwhile would not be noticed, and the connection would
   * stay for the ten minutes that a request may take.
   */
  stop(): void
}

export function pullBytes(request: IncomingMessage): PulledBytes {
  const waiting: Buffer[] = []
  let isOver = false
  let failure: Error | undefined
  let notify: (() => void) | undefined

  const notice = (): void => {
    notify?.()
    notify = undefined
  }
  const take = (piece: Buffer): void => {
    waiting.push(piece)
    request.pause()
    notice()
  }
  const end = (): void => {
    isOver = true
    notice()
  }
  const fail = (): void => {
    failure = new Error('the body ends too early')
    notice()
  }
  request.on('data', take).on('end', end).on('error', fail).on('close', fail)
  request.pause()
  // The caller disconnected during authentication: no more events will come.
  if (request.destroyed) fail()
  return {
    async next() {
      while (waiting.length === 0 && !isOver && failure === undefined) {
        const more = new Promise<void>((resolve) => {
          notify = resolve
        })
        request.resume()
        await more
      }
      const piece = waiting.shift()
      if (piece === undefined && !isOver && failure !== undefined) throw failure
      return piece
    },
    stop() {
      request.off('data', take).off('end', end).off('error', fail).off('close', fail)
      // Without a listener, a later error would end the process.
      request.on('error', () => undefined)
      request.resume()
    },
  }
}
