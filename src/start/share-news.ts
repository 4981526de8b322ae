import { type RecentWrites, recentWrites } from '../kernel/recent-writes.ts'
import { unreachable } from '../kernel/unreachable.ts'
import type { NewsFromWorker, NewsToWorker } from './relay-news.ts'

/** A worker that does not respond for so long holds up no writes of the others; its reads may be of an earlier state then. */
const maxWaitMs = 1_000

export interface SharedWrites {
  readonly writes: RecentWrites
  receive(message: NewsToWorker): void
}

/** Recent writes of the users of all workers of this server, through the first process (relay-news.ts). */
export function sharedWrites(send: (message: NewsFromWorker) => void): SharedWrites {
  let sent = 0
  const waiting = new Map<number, () => void>()
  const resolve = (number: number): void => {
    waiting.get(number)?.()
    waiting.delete(number)
  }
  const writes = recentWrites((news) => {
    sent += 1
    const number = sent
    const { promise, resolve: known } = Promise.withResolvers<void>()
    const timer = setTimeout(() => resolve(number), maxWaitMs).unref()
    waiting.set(number, () => {
      clearTimeout(timer)
      known()
    })
    send({ kind: 'news', number, news })
    return promise
  })
  return {
    writes,
    receive(message) {
      switch (message.kind) {
        case 'news': {
          const { sender, number, news } = message
          writes.receive(sender, news)
          return send({ kind: 'news-received', sender, number })
        }
        case 'news-known':
          return resolve(message.number)
        case 'worker-ended':
          return writes.forget(message.worker)
        default:
          return unreachable(message)
      }
    },
  }
}
