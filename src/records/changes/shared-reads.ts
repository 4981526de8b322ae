import type { RunGated } from '../../kernel/run-gated.ts'

export interface Reader {
  readonly userId: string
  /** The gate of this user. */
  readonly run: RunGated
}

/**
 * Reads that several readers need at once share one statement. It starts when the gate of any of them admits it, so that nobody
 * waits for the limit of another user. A user takes one place of the gate for a read, however many of their readers wait for it.
 */
export interface SharedReads<T> {
  read(key: string, reader: Reader, statement: () => Promise<T>): Promise<T>
}

interface SharedRead<T> {
  readonly result: PromiseWithResolvers<T>
  readonly userIds: Set<string>
  hasStarted: boolean
}

export function sharedReads<T>(): SharedReads<T> {
  const underWay = new Map<string, SharedRead<T>>()

  async function start(key: string, shared: SharedRead<T>, statement: () => Promise<T>): Promise<void> {
    if (shared.hasStarted) return
    shared.hasStarted = true
    try {
      shared.result.resolve(await statement())
    } catch (error) {
      shared.result.reject(error)
    } finally {
      underWay.delete(key)
    }
  }

  return {
    read(key, { userId, run }, statement) {
      const shared = underWay.get(key) ?? { result: Promise.withResolvers<T>(), userIds: new Set(), hasStarted: false }
      underWay.set(key, shared)
      if (!shared.hasStarted && !shared.userIds.has(userId)) {
        shared.userIds.add(userId)
        run(() => start(key, shared, statement)).catch(shared.result.reject)
      }
      return shared.result.promise
    },
  }
}
