import { LRUCache } from 'lru-cache'

/** What a user did, or was sent, after which their reads may not get an earlier state. */
export interface UserNews {
  readonly userId: string
  /** `begun`: a write of the user is in progress. `ended`: none is any more. `reported`: changes were reported to the user. */
  readonly kind: 'begun' | 'ended' | 'reported'
}

/** Sends news to the other processes of this server, in order. Resolves when they have received them; never rejects. */
export type ShareNews = (news: readonly UserNews[]) => Promise<void>

export interface BegunWrite {
  /** Resolves when the other processes of this server know of the write; null: there are none. */
  readonly isKnown: Promise<void> | null
  /** To be called when the response of the write was sent, or its connection is closed. */
  readonly end: () => void
}

/**
 * What users know: their own writes, and the changes that were reported to them. Their reads wait for no replica, and get no state before
 * that.
 */
export interface RecentWrites {
  begin(userId: string): BegunWrite
  /**
   * The changes until now are about to be reported to the user, who may then read the records.
   *
   * @returns as `isKnown`
   */
  report(userId: string): Promise<void> | null
  /** @param sender number of another process of this server */
  receive(sender: number, news: readonly UserNews[]): void
  /** The other process has ended, and with it its writes. */
  forget(sender: number): void
  /** When the last write ended or the last change was reported, by `performance.now()`; infinite while a write is in progress. */
  lastMs(userId: string): number
}

/** @param share null: no other process serves the same users */
export function recentWrites(share: ShareNews | null = null): RecentWrites {
  const underWay = new Map<string, number>()
  /** The processes with writes in progress, by user. */
  const remote = new Map<string, Set<number>>()
  // Longer than the maximum lag that can be configured.
  const ended = new LRUCache<string, number>({ max: 100_000, ttl: 120_000 })
  const send = share === null ? null : together(share)

  const leave = (userId: string, sender: number): void => {
    const senders = remote.get(userId)
    if (senders?.delete(sender) === true && senders.size === 0) remote.delete(userId)
  }
  const receiveOne = (sender: number, { userId, kind }: UserNews): void => {
    if (kind === 'begun') {
      remote.set(userId, (remote.get(userId) ?? new Set()).add(sender))
      return
    }
    // Later than the change, because the message came after it.
    ended.set(userId, performance.now())
    if (kind === 'ended') leave(userId, sender)
  }

  return {
    begin(userId) {
      underWay.set(userId, (underWay.get(userId) ?? 0) + 1)
      const isKnown = send?.({ userId, kind: 'begun' }) ?? null
      const end = (): void => {
        ended.set(userId, performance.now())
        const left = (underWay.get(userId) ?? 1) - 1
        if (left > 0) underWay.set(userId, left)
        else underWay.delete(userId)
        if (left <= 0) void send?.({ userId, kind: 'ended' })
      }
      return { isKnown, end }
    },
    report(userId) {
      ended.set(userId, performance.now())
      return send?.({ userId, kind: 'reported' }) ?? null
    },
    receive(sender, news) {
      for (const each of news) receiveOne(sender, each)
    },
    forget(sender) {
      const users = [...remote].flatMap(([userId, senders]) => (senders.has(sender) ? [userId] : []))
      for (const userId of users) receiveOne(sender, { userId, kind: 'ended' })
    },
    lastMs(userId) {
      const isUnderWay = underWay.has(userId) || remote.has(userId)
      return isUnderWay ? Number.POSITIVE_INFINITY : (ended.get(userId) ?? 0)
    },
  }
}

/** All news of one turn of the event loop are one message: a change is reported to the readers of many streams at once. */
function together(share: ShareNews): (news: UserNews) => Promise<void> {
  let waiting: UserNews[] = []
  let sending: Promise<void> | null = null
  const sendAll = (): Promise<void> => {
    const news = waiting
    waiting = []
    sending = null
    return share(news)
  }
  return (news) => {
    waiting.push(news)
    sending ??= new Promise<void>((resolve) => setImmediate(() => sendAll().then(resolve)))
    return sending
  }
}
