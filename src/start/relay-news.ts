import type { Worker } from 'node:cluster'
import type { UserNews } from '../kernel/recent-writes.ts'

/** Messages of a worker about what its users know. */
export type NewsFromWorker =
  | { readonly kind: 'news'; readonly number: number; readonly news: readonly UserNews[] }
  | { readonly kind: 'news-received'; readonly sender: number; readonly number: number }

/** Messages to a worker. `news-known`: all others have received the news with this number. */
export type NewsToWorker =
  | { readonly kind: 'news'; readonly sender: number; readonly number: number; readonly news: readonly UserNews[] }
  | { readonly kind: 'news-known'; readonly number: number }
  | { readonly kind: 'worker-ended'; readonly worker: number }

interface Unconfirmed {
  readonly sender: Worker
  readonly number: number
  readonly receivers: Set<Worker>
}

/** Runs in the first process: workers have connections to it only, so it passes on what they say to each other. */
export class NewsRelay {
  readonly #send: (worker: Worker, message: NewsToWorker) => void
  readonly #workers = new Set<Worker>()
  readonly #unconfirmed = new Map<string, Unconfirmed>()

  constructor(send: (worker: Worker, message: NewsToWorker) => void) {
    this.#send = send
  }

  add(worker: Worker): void {
    this.#workers.add(worker)
    worker.on('message', (message: NewsFromWorker | { readonly kind: 'other' }) => {
      if (message.kind === 'news') this.#passOn(worker, message)
      if (message.kind === 'news-received') this.#confirm(worker, `${message.sender} ${message.number}`)
    })
    worker.once('exit', () => this.#remove(worker))
  }

  #passOn(sender: Worker, { number, news }: { readonly number: number; readonly news: readonly UserNews[] }): void {
    const receivers = new Set([...this.#workers].filter((each) => each !== sender))
    this.#unconfirmed.set(`${sender.id} ${number}`, { sender, number, receivers })
    for (const receiver of receivers) this.#send(receiver, { kind: 'news', sender: sender.id, number, news })
    this.#endIfReceived(`${sender.id} ${number}`)
  }

  #confirm(receiver: Worker, key: string): void {
    this.#unconfirmed.get(key)?.receivers.delete(receiver)
    this.#endIfReceived(key)
  }

  #endIfReceived(key: string): void {
    const unconfirmed = this.#unconfirmed.get(key)
    if (unconfirmed === undefined || unconfirmed.receivers.size > 0) return
    this.#unconfirmed.delete(key)
    const { sender, number } = unconfirmed
    if (this.#workers.has(sender)) this.#send(sender, { kind: 'news-known', number })
  }

  #remove(worker: Worker): void {
    this.#workers.delete(worker)
    for (const key of [...this.#unconfirmed.keys()]) this.#confirm(worker, key)
    for (const other of this.#workers) this.#send(other, { kind: 'worker-ended', worker: worker.id })
  }
}
