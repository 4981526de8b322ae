import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpShell, startHttpShell } from '../harness/http-shell.ts'
import { openSocket, splitResponses } from '../harness/raw-request.ts'

let shell: HttpShell
beforeAll(async () => {
  shell = await startHttpShell()
})
afterAll(() => shell.end())

const line = fc.oneof(
  fc.constantFrom(
    'GET /rest/v1/table/task HTTP/1.1',
    'POST /rest/v1/table/task HTTP/1.1',
    'PUT //rest/v1/table/task/1/?a=%zz HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'GET http://h/health HTTP/1.0',
    'DELETE /пц?ж=%D0 HTTP/1.1',
    'Host: h',
    'Authorization: Bearer good',
    'Content-Length: 3',
    'Content-Length: 100000',
    'Transfer-Encoding: chunked',
    'Expect: 100-continue',
    'Connection: close',
    'Connection: keep-alive',
    'Upgrade: websocket',
    'Content-Type: application/json',
    '{"a":1}',
    '3',
    '0',
    '',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
const bytes = fc.array(line, { maxLength: 14 }).map((lines) => Buffer.from(lines.join('\r\n')))

test('whatever bytes come, every response is whole and in the envelope, and the server keeps running', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      const socket = openSocket(shell.baseUrl)
      socket.write(sent)
      socket.finish()
      const text = await socket.end()
      const responded = text.replaceAll('HTTP/1.1 100 Continue\r\n\r\n', '')
      const responses = splitResponses(responded)
      expect(responses.map(({ head, body }) => `${head}\r\n\r\n${body}`).join('')).toBe(responded)
      for (const { status, body } of responses) {
        if (status === 204) continue
        const shape = status === 200 ? {} : { status: 'ERROR', error_type: 'SERVER', message: expect.any(String) }
        expect(JSON.parse(body)).toMatchObject(shape)
      }
    }),
    { numRuns: 150 },
  )
  expect((await shell.send('GET', '/health')).status).toBe(200)
  expect(shell.observations.filter(({ kind }) => kind === 'request-failed')).toEqual([])
})
