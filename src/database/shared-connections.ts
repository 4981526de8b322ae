import { databaseFailureOf } from './database-failure.ts'
import type { IdleClients, PooledClient } from './idle-connections.ts'
import type { NamedStatement } from './named-statement.ts'

export interface SharingLimits {
  /** A connection takes so many statements at once, if the last ones were quick. */
  readonly maxStatements: number
  /** How long a statement may be expected to wait for those before it. */
  readonly maxWaitMs: number
  /** A statement that has waited longer for those before it is sent again on another connection. */
  readonly patienceMs: number
}

const defaultLimits: SharingLimits = { maxStatements: 4, maxWaitMs: 3, patienceMs: 50 }

interface Sent {
  readonly statement: NamedStatement
  /** Runs it on a connection of its own. */
  readonly runAlone: () => NamedStatement['rows']
  isSentAgain: boolean
}

/** A connection in use. */
interface Line {
  readonly client: PooledClient
  /** The first one runs, the others wait for it. */
  readonly sent: Sent[]
  /** Since when the first one runs. */
  sinceMs: number
  isBroken: boolean
}

/**
 * Connections that quick reads share while many are requested at once: a statement is sent before the result of the one before has
 * arrived. PostgreSQL's process then need not be woken for each, and one write carries all statements of a turn of the event loop
 * (docs/decisions/0052). One that turns out to be slow delays others by `patienceMs` at most.
 */
export class SharedClients {
  readonly #clients: IdleClients
  readonly #limits: SharingLimits
  readonly #isFull: (client: PooledClient, name: string) => boolean
  /** Those that a statement runs on. */
  readonly #lines: Line[] = []
  /** How long PostgreSQL takes for one statement at least, a moving average. */
  #paceMs = 0
  /** When the event loop last looked for what had arrived. */
  #lookedMs = 0
  #isLookPending = false
  #timer: NodeJS.Timeout | undefined
  readonly #onEnd: NamedStatement['onEnd'] = (statement, error) => this.#end(statement, error)

  /** @param isFull whether the connection holds too many statements to be used again */
  constructor(
    clients: IdleClients,
    isFull: (client: PooledClient, name: string) => boolean,
    limits: SharingLimits = defaultLimits,
  ) {
    this.#limits = limits
    this.#clients = clients
    this.#isFull = isFull
  }

  /** @param runAlone runs the statement on a connection of its own */
  run(statement: NamedStatement, runAlone: Sent['runAlone']): NamedStatement['rows'] {
    const sent = { statement, runAlone, isSentAgain: false }
    const line = this.#lineFor(statement.name)
    if (line !== undefined) {
      statement.isBehind = true
      this.#send(line, sent)
      this.#timer ??= this.#startTimer()
      return statement.rows
    }
    const taken = this.#clients.take()
    if (taken instanceof Promise)
      taken.then(
        (client) => this.#send(this.#open(client), sent),
        (error: unknown) => statement.handleError(error),
      )
    else this.#send(this.#open(taken), sent)
    return statement.rows
  }

  #lineFor(name: string): Line | undefined {
    if (this.#lines.length === 0 || this.#clients.isPressed) return undefined
    const { maxStatements, maxWaitMs } = this.#limits
    const count = Math.min(maxStatements, maxWaitMs / this.#paceMs)
    const oldestMs = this.#lookedMs - maxWaitMs
    return this.#lines.find(
      (line) =>
        line.sent.length < count &&
        line.sinceMs > oldestMs &&
        !line.isBroken &&
        !line.client.isLost &&
        mayTake(line, name),
    )
  }

  #open(client: PooledClient): Line {
    const line = { client, sent: [], sinceMs: performance.now(), isBroken: false }
    this.#lines.push(line)
    return line
  }

  #send(line: Line, sent: Sent): void {
    sent.statement.onEnd = this.#onEnd
    line.sent.push(sent)
    line.client.send(sent.statement)
    this.#recordLook()
  }

  #end(statement: NamedStatement, error: unknown): void {
    const isEnded = (each: Sent): boolean => each.statement === statement
    const line = this.#lines.find(({ sent }) => sent.some(isEnded))
    if (line === undefined) return
    this.#paceMs += (Math.max(0, this.#lookedMs - line.sinceMs) - this.#paceMs) / 16
    line.sinceMs = performance.now()
    this.#recordLook()
    line.sent.splice(line.sent.findIndex(isEnded), 1)
    line.isBroken ||= error === null ? this.#isFull(line.client, statement.name) : databaseFailureOf(error) === null
    const [next] = line.sent
    if (next !== undefined) {
      next.statement.begin()
      return
    }
    this.#lines.splice(this.#lines.indexOf(line), 1)
    this.#clients.giveBack(line.client, line.isBroken)
  }

  /**
   * What arrives while this process is busy is read late. So a statement counts as running until the event loop last looked for its
   * result, not until the result was read: waiting for this process is no reason to use more connections.
   */
  #recordLook(): void {
    if (this.#isLookPending) return
    this.#isLookPending = true
    setImmediate(() => {
      this.#isLookPending = false
      this.#lookedMs = performance.now()
    })
  }

  /** Results that have arrived are read before the statements behind are sent again. */
  #startTimer(): NodeJS.Timeout {
    return setTimeout(() => setImmediate(() => this.#sendAgain()), this.#limits.patienceMs).unref()
  }

  #sendAgain(): void {
    const oldestMs = performance.now() - this.#limits.patienceMs
    const waiting = this.#lines.filter(({ sent }) => sent.length > 1)
    this.#timer = waiting.length === 0 ? undefined : this.#startTimer()
    for (const { sent, sinceMs } of waiting) if (sinceMs <= oldestMs) for (const each of sent.slice(1)) runAgain(each)
  }
}

/** Two statements that are parsed under one name at once would be an error. */
function mayTake({ client, sent }: Line, name: string): boolean {
  return client.knows(name) || sent.every(({ statement }) => statement.name !== name)
}

/** It only reads, so it does not matter that it runs twice. */
function runAgain(sent: Sent): void {
  if (sent.isSentAgain) return
  sent.isSentAgain = true
  sent.statement.settleBy(sent.runAlone())
}
