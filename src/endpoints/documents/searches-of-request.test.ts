import { expect, test } from 'vitest'
import type { Authenticated } from '../../identity/authenticate.ts'
import { succeed } from '../../kernel/result.ts'
import { searchesOf } from './searches-of-request.ts'

function asking() {
  const steps: string[] = []
  const socket = { destroyed: false }
  const run =
    (name: string) =>
    <T>(work: () => Promise<T>): Promise<T> => {
      steps.push(name)
      return work()
    }
  let calls = 0
  const callerNow = async () => succeed({ principal: { userName: `as of ${++calls}` } } as unknown as Authenticated)
  const request = { callerNow, gated: run('gated'), gatedPatiently: run('patiently'), stream: { socket } }
  const search = searchesOf(request, async ({ userName }, { query }) => {
    steps.push(`${query} ${userName}`)
    return succeed({ hits: [], mode: 'lexical', warnings: [], corrections: [], didYouMean: null })
  })
  return { steps, socket, search: (query: string) => search({ query, k: 1, collectionNames: null, filter: '' }) }
}

test('each search has the rights as of its beginning, and only the first may be rejected for waiting', async () => {
  const { steps, search } = asking()
  for (const query of ['one', 'two', 'three']) expect(await search(query)).toMatchObject({ ok: true })
  expect(steps).toEqual(['gated', 'one as of 1', 'patiently', 'two as of 2', 'patiently', 'three as of 3'])
})

test('none begins after the client has disconnected', async () => {
  const { steps, socket, search } = asking()
  await search('one')
  socket.destroyed = true
  expect(await search('two')).toMatchObject({ ok: false })
  expect(steps).toEqual(['gated', 'one as of 1', 'patiently'])
})
