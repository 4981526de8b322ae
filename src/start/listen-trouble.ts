import { createServer } from 'node:net'
import type { Settings } from '../config/settings.ts'
import { StartFailure } from '../kernel/start-failure.ts'

/**
 * Finds out before anything is started: a database that was made, filled and stopped again for a port in use is time lost.
 *
 * @throws StartFailure when the address cannot be listened on
 */
export async function refuseUnusableAddress({ host, port }: Settings): Promise<void> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject).listen({ host, port, exclusive: true }, resolve)
    })
  } catch (error) {
    throw explainListenError(error, { host, port })
  } finally {
    if (probe.listening) await new Promise((resolve) => probe.close(resolve))
  }
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
      return `${host} is no address of this machine: set DOCKET_HOST to 127.0.0.1 or to 0.0.0.0.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The host name ${host} is unknown on this machine: set DOCKET_HOST to 127.0.0.1 or to 0.0.0.0.`
    default:
      return undefined
  }
}
