import fc from 'fast-check'
import { LRUCache } from 'lru-cache'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizeRequest } from '../../src/records/authorize/authorize-request.ts'
import { parseRecordRequest } from '../../src/records/parse/parse-record-request.ts'
import { findPlan } from '../../src/records/run/find-plan.ts'
import type { PreparedPlan } from '../../src/records/run/prepare-plan.ts'
import { type ConditionSeed, type Ground, naiveTables, rowsOf } from './arbitrary-records.ts'
import { arbitraryRequest, type RequestSeed, requestOf } from './arbitrary-requests.ts'
import { type Lab, type LabRequest, MAX_SHRINKS, openLab, principalOf, runs } from './record-lab.ts'

let lab: Lab
let ground: Ground
beforeAll(async () => {
  lab = await openLab()
  const { catalog } = lab
  const rows = rowsOf(
    { rows: [3, 4, 5].map((cells) => ({ child: cells, cells })), shelves: [{ child: 0, cells: 9 }] },
    catalog,
  )
  ground = { catalog, tables: naiveTables(rows, catalog), options: [...lab.options.values()] }
})
afterAll(() => lab.close())

/** The key and the statement of a request, planned without the cache; null: it is rejected. */
function planOf(requested: LabRequest): { readonly key: string; readonly text: string } | null {
  const { catalog, deps } = lab
  const principal = principalOf(['admin'])
  const request = parseRecordRequest({
    operation: requested.operation ?? 'list',
    table: requested.table,
    sysId: requested.sysId ?? null,
    parameters: new Map(Object.entries(requested.parameters ?? {})),
    body: requested.body,
    ifMatch: requested.ifMatch ?? null,
    idempotencyKey: null,
  })
  const access = deps.accessFor(catalog, principal)
  const authorized = request.ok ? authorizeRequest(request.value.request, { catalog, access, principal }) : request
  if (!authorized.ok) return null
  const plans = new LRUCache<string, PreparedPlan>({ max: 1 })
  const found = findPlan(authorized.value, { ...deps, plansFor: () => plans }, principal.roleKey)
  const [key] = plans.keys()
  return found.ok && key !== undefined ? { key, text: found.value.prepared.statement.text } : null
}

/** The same request with other values, some of which the statement depends on. */
function withOtherValues(seed: RequestSeed, by: number): RequestSeed {
  return {
    ...seed,
    query: seed.query === null ? null : conditionWithOtherValues(seed.query, by),
    record: seed.record + by,
    body: seed.body.map((write) => {
      const [first, second, third] = write.values
      return { ...write, values: [first + by, second + 2 * by, third + by] }
    }),
  }
}

function conditionWithOtherValues(seed: ConditionSeed, by: number): ConditionSeed {
  if (seed.kind !== 'comparison') return { ...seed, of: seed.of.map((member) => conditionWithOtherValues(member, by)) }
  return {
    ...seed,
    comparison: { ...seed.comparison, values: seed.comparison.values.map((value, index) => value + by * (index + 1)) },
  }
}

test('two requests with the same plan key have the same statement (issue 9, step 1)', async () => {
  const texts = new Map<string, string>()
  let same = 0
  let different = 0
  fc.assert(
    fc.property(fc.limitShrink(arbitraryRequest, MAX_SHRINKS), fc.nat(50), (seed, by) => {
      const variants = [0, 1, 2, 5].map((times) => withOtherValues(seed, times * by))
      for (const variant of variants) {
        const plan = planOf(requestOf(variant, ground, { cursor: null, etags: new Map() }))
        if (plan === null) continue
        const known = texts.get(plan.key)
        if (known === undefined) different += 1
        else same += 1
        expect(plan.text).toBe(known ?? plan.text)
        texts.set(plan.key, plan.text)
      }
    }),
    runs(400),
  )
  expect(same).toBeGreaterThan(200)
  expect(different).toBeGreaterThan(200)
}, 300_000)
