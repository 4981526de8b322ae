/**
 * npm run bench:flame-graph: where the main thread of a server spends its time on record requests, as a picture (SVG) for each case.
 *
 *   --checkout .              folder of the checkout whose server is looked at
 *   --name this               begins the names of the files
 *   --tasks 5000  --seconds 10
 *   --cases 'point read,list of 20,create,PATCH'
 */
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type CpuProfile, drawFlameGraph } from './measure/flame-graph.ts'
import { httpText, startLoadGenerator } from './measure/load.ts'
import { writePicture } from './measure/results.ts'
import { caseOf, startCheckout } from './records/checkout.ts'

const { values: given } = parseArgs({
  options: {
    checkout: { type: 'string', default: '.' },
    name: { type: 'string', default: 'this' },
    tasks: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '10' },
    cases: { type: 'string', default: 'point read,list of 20,create,PATCH' },
  },
})
const connections = 16
const warmUpMs = 5_000

await using started = new AsyncDisposableStack()
const { name } = given
const size = { tasks: Number(given.tasks), users: 1_000, groups: 50 }
const checkout = await startCheckout({ name, folder: resolve(given.checkout), size }, started)
const { docket } = checkout
// Opens the inspector of a running Node, at its usual port.
process.kill(docket.processId, 'SIGUSR1')
const generator = startLoadGenerator()
started.defer(generator.stop)
const profiler = await connectProfiler(9_229)
started.defer(profiler.close)

for (const each of given.cases.split(',')) {
  const { host, port } = docket
  const requests = caseOf(checkout, each).docket.map((request) => httpText(request, `${host}:${port}`))
  const send = (durationMs: number) => generator.run({ host, port, connections, requests, durationMs, count: null })
  await send(warmUpMs)
  await profiler.send('Profiler.start')
  const { requests: count } = await send(Number(given.seconds) * 1_000)
  const { profile } = await profiler.send<{ readonly profile: CpuProfile }>('Profiler.stop')
  const title = `${name}: ${each}, ${count} requests`
  writePicture(`flame-graph-${name}-${each.replaceAll(' ', '-')}`, drawFlameGraph(profile, title))
}

async function untilOpen(url: string): Promise<Response> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await fetch(url).catch(() => undefined)
    if (response !== undefined) return response
    await pause(50)
  }
  throw new Error(`no inspector responds at ${url}`)
}

interface Profiler {
  send<T>(method: string): Promise<T>
  close(): void
}

async function connectProfiler(port: number): Promise<Profiler> {
  const response = await untilOpen(`http://127.0.0.1:${port}/json`)
  const [target] = (await response.json()) as readonly { readonly webSocketDebuggerUrl: string }[]
  if (target === undefined) throw new Error('the server has no inspector')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const waiting = new Map<number, (result: unknown) => void>()
  socket.onmessage = ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  }
  await new Promise((opened) => {
    socket.onopen = opened
  })
  let last = 0
  const send = <T>(method: string): Promise<T> => {
    const id = ++last
    const responded = new Promise<T>((resolved) => waiting.set(id, (result) => resolved(result as T)))
    socket.send(JSON.stringify({ id, method }))
    return responded
  }
  await send('Profiler.enable')
  return { send, close: () => socket.close() }
}
