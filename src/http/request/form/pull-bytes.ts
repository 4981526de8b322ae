import type { IncomingMessage } from 'node:http'

/** The body of a request, read chunk by chunk: unread bytes stay with the sender. */
export interface PulledBytes {
  /**
   * One question at a time.
   *
   * @returns undefined at the end
   * @throws Error when the connection breaks before it
   */
  next(): Promise<Buffer | undefined>
  /**
   * What still comes is read and dropped. Left alone, a caller who goes away meanwhile would not be noticed, and the connection
   * would stay for the ten minutes that a request may take.
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
    failure = new Error('the body breaks off')
    notice()
  }
  request.on('data', take).on('end', end).on('error', fail).on('close', fail)
  request.pause()
  // Gone while it was found out who they are: nothing will be heard any more.
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
      // An error that comes after this one would end the process.
      request.on('error', () => undefined)
      request.resume()
    },
  }
}
