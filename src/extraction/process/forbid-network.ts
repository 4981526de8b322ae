import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'

/**
 * Makes every way out of this process throw. None of the readers asks for the network; this holds them to it, also where a
 * document persuades a library to fetch something. Addons, other processes and threads are closed by Node's permissions.
 */
export function forbidNetwork(): void {
  const refuse = (): never => {
    throw new Error('a process that reads documents has no network')
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
