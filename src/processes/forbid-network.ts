import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'

/**
 * Makes every network call of this process throw. Readers of files and local models need no network; a document may persuade
 * a library to fetch something. Node's permissions close addons, child processes and threads.
 */
export function forbidNetwork(): void {
  const refuse = (): never => {
    throw new Error('this process has no network access')
  }
  net.Socket.prototype.connect = refuse
  net.Server.prototype.listen = refuse
  dgram.Socket.prototype.bind = refuse
  dgram.Socket.prototype.send = refuse
  dgram.Socket.prototype.connect = refuse
  Object.assign(dns, { lookup: refuse, resolve: refuse })
  Object.assign(dns.promises, { lookup: refuse, resolve: refuse })
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest']) Reflect.deleteProperty(globalThis, name)
}
