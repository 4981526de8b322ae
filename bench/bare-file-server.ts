/**
 * The baseline for files: Node's HTTP server, bytes to a file and back, without callers, forms, hashes and a database. Started by the bench
 * with its folder as the only argument.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const file = join(process.argv[2] ?? '', 'bare')
const server = createServer(async (request, response) => {
  if (request.method === 'POST') {
    await pipeline(request, createWriteStream(file, { flush: true }))
    response.end()
  } else {
    response.writeHead(200, { 'content-length': (await stat(file)).size })
    await pipeline(createReadStream(file), response)
  }
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => {
  server.close()
  server.closeAllConnections()
})
