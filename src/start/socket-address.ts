import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartFailure } from '../kernel/start-failure.ts'
import type { SocketAddress } from '../processes/serve-socket.ts'

/** Maximum bytes of a socket path without the closing zero: 107 on Linux, 103 on macOS; the smaller one applies. */
const maxSocketPathBytes = 103

/**
 * A new folder with mode 0700 and the path of a socket in it. It is in the temporary folder, which is on this machine: the data
 * directory may be shared with other machines, or on a file system without sockets.
 *
 * @throws StartFailure if it cannot be created there
 */
export function newSocketAddress(): SocketAddress {
  const parent = tmpdir()
  const path = join(makeFolder(parent), 'search')
  const address = { path, secret: randomBytes(32).toString('hex') }
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return address
  removeSocketFolder(address)
  throw new StartFailure(
    `The temporary folder ${parent} has too long a path for the socket of the search process (at most ${maxSocketPathBytes} bytes with the name of the socket): set TMPDIR to another folder, or DOCKET_SEARCH_PROCESS to off.`,
  )
}

function makeFolder(parent: string): string {
  try {
    return mkdtempSync(join(parent, 'docket-search-'))
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new StartFailure(
      `The temporary folder ${parent} cannot be written (${reason}), and the socket of the search process would be in it: set TMPDIR to another folder, or DOCKET_SEARCH_PROCESS to off.`,
      { cause: error },
    )
  }
}

export function removeSocketFolder({ path }: SocketAddress): void {
  rmSync(dirname(path), { recursive: true, force: true })
}
