import { expect, test } from 'vitest'
import { nameOf, VisibleSets } from './visible-sets.ts'
import { type IndexEvent, WorkerSnapshots } from './worker-snapshots.ts'

type SentState = Extract<IndexEvent, { readonly kind: 'state' }>

/** An index at a sequence number, and a worker that receives events. */
function startWorker() {
  const states: SentState[] = []
  const running = new Set<Promise<unknown>>()
  let position = 1
  let isConnected = true
  const index = {
    position: () => position,
    buildProgress: () => null,
    withSnapshot: async <T>(work: (view: never) => Promise<T>): Promise<T> => {
      const worked = work(null as never)
      running.add(worked)
      return worked.finally(() => running.delete(worked))
    },
  }
  const snapshots = new WorkerSnapshots(index, {
    send: (event) => states.push(event as SentState),
    disconnect: () => {
      isConnected = false
    },
  })
  return {
    snapshots,
    states,
    running,
    isConnected: () => isConnected,
    moveTo(next: number) {
      position = next
      snapshots.look()
    },
    /** A search of the worker waited for this state. */
    reach(next: number) {
      position = next
      snapshots.report()
    },
  }
}

test('a worker gets a snapshot whenever the index has changed, and each is held until the worker ends it', async () => {
  const { snapshots, states, running, moveTo } = startWorker()
  snapshots.report()
  moveTo(1)
  moveTo(5)
  expect(states.map(({ snapshot, position }) => [snapshot, position])).toEqual([
    [1, 1],
    [2, 5],
  ])
  expect(running.size).toBe(2)
  snapshots.end(1)
  await expect.poll(() => running.size).toBe(1)
  expect(() => snapshots.viewOf(1)).toThrow('there is no snapshot 1')
  snapshots.close()
  await expect.poll(() => running.size).toBe(0)
  moveTo(9)
  expect(running.size).toBe(0)
})

test('without changes a worker gets a sign of life at every twentieth look, with the same snapshot', () => {
  const { snapshots, states } = startWorker()
  snapshots.report()
  snapshots.take(1)
  for (let looks = 0; looks < 40; looks++) snapshots.look()
  expect(states.map(({ snapshot }) => snapshot)).toEqual([1, 1, 1])
})

test('a worker that takes no snapshot for a minute is disconnected, and one that does is not', () => {
  const hanging = startWorker()
  const living = startWorker()
  for (const { snapshots } of [hanging, living]) snapshots.report()
  living.snapshots.take(1)
  for (let looks = 0; looks < 241; looks++) {
    expect(hanging.isConnected()).toBe(true)
    for (const { snapshots } of [hanging, living]) snapshots.look()
  }
  expect(hanging.isConnected()).toBe(false)
  expect(living.isConnected()).toBe(true)
})

test('a worker is not disconnected because the index changes faster than it takes snapshots', () => {
  const { snapshots, reach, isConnected } = startWorker()
  for (let looks = 1; looks < 300; looks++) {
    reach(looks)
    snapshots.take(looks - 1)
    snapshots.look()
  }
  expect(isConnected()).toBe(true)
})

test('visible documents are sent once for all callers who see the same ones, and again after they were removed from memory', () => {
  const sets = new VisibleSets(10)
  const named = (ids: readonly number[], isSent: boolean) => {
    const documentIds = Float64Array.from(ids)
    const name = nameOf({ collectionIds: [1], documentIds })
    return { collectionIds: [1], name, documentIds: isSent ? documentIds : null }
  }
  expect(sets.idsOf(named([3, 4], false))).toBeUndefined()
  expect([...(sets.idsOf(named([3, 4], true))?.documentIds ?? [])]).toEqual([3, 4])
  const known = sets.idsOf(named([3, 4], false))
  expect([...(known?.documentIds ?? [])]).toEqual([3, 4])
  expect(known?.documentIds.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(sets.idsOf(named([3, 5], false))).toBeUndefined()
  sets.idsOf(named([1, 2, 3, 4, 5, 6, 7, 8], true))
  expect(sets.idsOf(named([3, 4], false))).toBeUndefined()
  // More than fits is searched all the same.
  expect(
    sets.idsOf(
      named(
        Array.from({ length: 20 }, (_, id) => id),
        true,
      ),
    )?.documentIds,
  ).toHaveLength(20)
})
