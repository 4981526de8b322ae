import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const program = `
import { forbidNetwork } from ${JSON.stringify(fileURLToPath(new URL('./forbid-network.ts', import.meta.url)))}
import dgram from 'node:dgram'
import dns from 'node:dns'
import http from 'node:http'
import net from 'node:net'
import tls from 'node:tls'
forbidNetwork()
const tries = {
  net: () => net.connect(9, '127.0.0.1'),
  tls: () => tls.connect(9, '127.0.0.1'),
  http: () => http.get('http://127.0.0.1:9/'),
  listen: () => net.createServer().listen(0),
  udp: () => dgram.createSocket('udp4').send('x', 9, '127.0.0.1'),
  lookup: () => dns.lookup('localhost', () => undefined),
  fetch: () => fetch('http://127.0.0.1:9/'),
}
const outcomes = {}
for (const [name, attempt] of Object.entries(tries)) {
  try {
    await attempt()
    outcomes[name] = 'open'
  } catch (error) {
    outcomes[name] = error.message
  }
}
console.log(JSON.stringify(outcomes))
process.exit()
`

test('every way to the network throws', () => {
  const stated = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
  const closed = 'this process has no network access'
  expect(JSON.parse(stated)).toEqual({
    net: closed,
    tls: closed,
    http: closed,
    listen: closed,
    udp: closed,
    lookup: closed,
    fetch: 'fetch is not defined',
  })
})
