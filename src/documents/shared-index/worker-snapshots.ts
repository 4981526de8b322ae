import type { BuildProgress } from '../../kernel/index-building.ts'
import type { IndexProgress } from '../../kernel/progress.ts'
import type { Peer } from '../../processes/serve-socket.ts'
import type { IndexView, LexicalIndex } from '../sync/lexical-index.ts'

/** What the search process reports to its workers on its own: on connection, when it changes, and every few seconds. */
export type IndexEvent =
  | {
      readonly kind: 'state'
      /** States from this sequence number on stay searchable until the worker ends the snapshot. */
      readonly position: number
      readonly snapshot: number
      readonly progress: BuildProgress | null
    }
  /** The change log requested a rebuild. */
  | { readonly kind: 'rebuild'; readonly progress: IndexProgress }

interface OpenSnapshot {
  readonly view: IndexView
  end(): void
}

/** Looks between two signs of life, without which a worker connects again. */
const looksBetweenSigns = 20
/** Looks after which a worker that took no snapshot is disconnected: a minute. */
const maxLooksUntaken = 240

/**
 * The states of the index that one worker may search. It has a snapshot before it searches, so that a search is one call: whenever the
 * index has changed it gets the next one, and it ends those that none of its searches needs any more.
 */
export class WorkerSnapshots {
  readonly #index: Pick<LexicalIndex, 'position' | 'buildProgress' | 'withSnapshot'>
  readonly #peer: Peer
  readonly #open = new Map<number, OpenSnapshot>()
  #newest = { number: 0, position: -1 }
  #taken = 0
  /** At the look before. */
  #takenBefore = 0
  #reported = ''
  #looks = 0
  #looksUntaken = 0
  #isClosed = false

  constructor(index: Pick<LexicalIndex, 'position' | 'buildProgress' | 'withSnapshot'>, peer: Peer) {
    this.#index = index
    this.#peer = peer
  }

  /** Sends the state if it changed. */
  report(isSign = false): void {
    const position = this.#index.position()
    const progress = this.#index.buildProgress()
    const state = `${position} ${progress?.percent} ${progress?.retryAfterSeconds}`
    if (this.#isClosed || (state === this.#reported && !isSign)) return
    this.#reported = state
    if (position !== this.#newest.position) this.#begin(position)
    const snapshot = this.#newest.number
    this.#peer.send({ kind: 'state', position, snapshot, progress } satisfies IndexEvent)
  }

  /**
   * Four times a second. A worker that hangs must not hold states of the index for ever. One that takes snapshots does not hang, even if
   * there is a newer one at each look.
   */
  look(): void {
    const isTaking = this.#taken === this.#newest.number || this.#taken !== this.#takenBefore
    this.#takenBefore = this.#taken
    this.#looksUntaken = isTaking ? 0 : this.#looksUntaken + 1
    if (this.#looksUntaken > maxLooksUntaken) this.#peer.disconnect()
    else this.report(++this.#looks % looksBetweenSigns === 0)
  }

  #begin(position: number): void {
    const number = this.#newest.number + 1
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    void this.#index.withSnapshot((view) => {
      this.#open.set(number, { view, end })
      return ended
    })
    this.#newest = { number, position }
  }

  take(number: number): void {
    this.#taken = number
  }

  viewOf(number: number): IndexView {
    const open = this.#open.get(number)
    if (open === undefined) throw new Error(`there is no snapshot ${number} of the index`)
    return open.view
  }

  end(number: number): void {
    this.#open.get(number)?.end()
    this.#open.delete(number)
  }

  /** The worker has ended, and so have its searches. */
  close(): void {
    this.#isClosed = true
    for (const { end } of this.#open.values()) end()
    this.#open.clear()
  }
}
