import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Settings } from '../config/settings.ts'
import { StartFailure } from '../kernel/start-failure.ts'

/** Time for a Docket that is ending, as in a restart, to release the port, in milliseconds. */
const patienceMs = 2_000
const retryMs = 100

/**
 * Checks the address before anything is started: creating, filling and stopping a database for a port in use would waste time.
 *
 * @throws StartFailure if the address cannot be listened on
 */
export async function rejectUnusableAddress({ host, port }: Settings): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    const error = await tryToListen(host, port)
    if (error === undefined) return
    const isInUse = 'code' in error && error.code === 'EADDRINUSE'
    if (!isInUse || waitedMs >= patienceMs) throw explainListenError(error, { host, port })
    await delay(retryMs)
  }
}

function tryToListen(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
}

export function explainListenError(error: unknown, { host, port }: Pick<Settings, 'host' | 'port'>): unknown {
  const sentence = sentenceFor(error instanceof Error && 'code' in error ? error.code : undefined, host, port)
  return sentence === undefined ? error : new StartFailure(sentence, { cause: error })
}

function sentenceFor(code: unknown, host: string, port: number): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is already in use: stop the program that listens there, or set DOCKET_PORT to another (0 takes any free one).`
    case 'EACCES':
      return `This account may not listen on port ${port}: set DOCKET_PORT to one above 1023.`
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine: set DOCKET_HOST to 127.0.0.1 or to 0.0.0.0.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name ${host} is unknown on this machine: set DOCKET_HOST to 127.0.0.1 or to 0.0.0.0.`
    default:
      return undefined
  }
}
