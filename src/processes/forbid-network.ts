import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'

/**
 * Makes every network call of this process throw. Readers of files and local models need no network; a document may persuade
 * a library to fetch something. Node's permissions close addons, child processes and threads.
 */
export function forbidNetwork(): void {
  const fail = (): never => {
    throw new Error('this process has no network access')
  }
  net.Socket.prototype.connect = fail
  net.Server.prototype.listen = fail
  dgram.Socket.prototype.bind = fail
  dgram.Socket.prototype.send = fail
  dgram.Socket.prototype.connect = fail
  Object.assign(dns, { lookup: fail, resolve: fail })
  Object.assign(dns.promises, { lookup: fail, resolve: fail })
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, name)
}
