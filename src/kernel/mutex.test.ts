import { expect, test } from 'vitest'
import { createMutex } from './mutex.ts'

test('works run one after the other, and a failure ends only its own', async () => {
  const mutex = createMutex()
  const seen: string[] = []
  const work = (name: string, error?: Error) => async () => {
    seen.push(`${name} begins`)
    await Promise.resolve()
    seen.push(`${name} ends`)
    if (error !== undefined) throw error
    return name
  }
  const results = await Promise.allSettled([
    mutex.run(work('a')),
    mutex.run(work('b', new Error('b failed'))),
    mutex.run(work('c')),
  ])
  await mutex.idle()
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  expect(results).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'rejected', reason: new Error('b failed') },
    { status: 'fulfilled', value: 'c' },
  ])
})
