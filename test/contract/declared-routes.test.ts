import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildApp } from '../../src/app.ts'
import { readSettings } from '../../src/config/settings.ts'
import { allEndpoints } from '../../src/endpoints/all-endpoints.ts'
import { nowErrors } from '../../src/endpoints/now/now-errors.ts'
import { routesOf } from '../../src/http/endpoint/add-endpoints.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { observeNothing } from '../../src/telemetry/observation.ts'
import { admin } from '../harness/fresh-database.ts'
import { type RunningDocket, startDocket } from '../harness/start-docket.ts'

let docket: RunningDocket
beforeAll(async () => {
  docket = await startDocket()
})
afterAll(() => docket.close())

/** The methods of all declarations, by address. */
function declaredRoutes(): ReadonlyMap<string, ReadonlySet<string>> {
  const routes = new Map<string, Set<string>>()
  for (const { method, url } of allEndpoints.flatMap((endpoint) => routesOf(endpoint)))
    routes.set(url, new Set([...(routes.get(url) ?? []), ...method]))
  return routes
}

test('every route of the server comes from a declaration (issue 9, step 6)', async () => {
  const { app } = await buildApp({
    settings: readSettings({ DOCKET_DATA_DIR: docket.dataDir }),
    database: docket.database,
    observe: observeNothing,
    metrics: createMetrics(),
    clock: systemClock,
  })
  await app.close()
  expect(declaredRoutes().size).toBeGreaterThan(40)
  expect(app.knownRoutes).toEqual(declaredRoutes())
})

test('only declarations add routes (issue 9, step 6)', () => {
  const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
  expect(files.length).toBeGreaterThan(300)
  const adding = files.filter((file) =>
    /\bapp\.(route|get|post|put|patch|delete|all)\(/.test(readFileSync(file, 'utf8')),
  )
  expect(adding).toEqual(['src/http/endpoint/add-endpoints.ts'])
})

test('no operation has the id or the address of another (issue 9, step 6)', () => {
  const ids = allEndpoints.map(({ id }) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  const routes = allEndpoints
    .flatMap((each) => routesOf(each))
    .flatMap(({ method, url }) => method.map((m) => `${m} ${url}`))
  expect(routes.filter((route, at) => routes.indexOf(route) !== at)).toEqual([])
})

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The methods of all declarations that match a path: `/rest/v1/table/1/query` is also a record with the sys_id `query`. */
function methodsAt(path: string): ReadonlySet<string> {
  const fitting = [...declaredRoutes()].filter(([url]) =>
    new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}$`).test(path),
  )
  return new Set(fitting.flatMap(([, methods]) => [...methods]))
}

test('a method that no declaration of an address has is 405, with those that it has (issue 9, step 6)', async () => {
  let rejected = 0
  for (const path of [...declaredRoutes().keys()].map((url) => url.replaceAll(/:\w+/g, '1'))) {
    const declared = methodsAt(path)
    const method = METHODS.find((each) => !declared.has(each))
    if (method === undefined) continue
    const response = await docket.request(method, path, { as: admin })
    const allowed = String(response.headers['allow']).split(', ')
    expect([path, response.status, new Set(allowed)]).toEqual([path, 405, new Set([...declared, 'OPTIONS'])])
    rejected += 1
  }
  expect(rejected).toBeGreaterThan(40)
})

test('http/ knows no operation: it names no address of one (issue 9, step 6)', () => {
  const files = globSync('src/http/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
  expect(files.length).toBeGreaterThan(40)
  const addresses = /['"`]\/?(v1|collections|get_|load_|delete_|limits|metrics|ready|openapi\.json)\b|\/rest\/v1\/\w/
  const naming = files.filter((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .some((line) => addresses.test(line) && !/^\s*(\/\/|\*|\/\*)/.test(line)),
  )
  // Messages that name the address to use instead.
  expect(naming.toSorted()).toEqual([
    'src/http/response/error-messages.ts',
    'src/http/response/russian-error-messages.ts',
    'src/http/response/russian/doctor-details.ts',
  ])
})

test('operations below /api/now declare errors of ServiceNow, and no others do (issue 9, 1)', () => {
  const formatsBelow = (root: string) => {
    const below = allEndpoints.filter(({ path, alsoAt = [] }) =>
      [path, ...alsoAt].some((each) => each.startsWith(root)),
    )
    return { operations: below.length > 3, formats: new Set(below.map(({ errorFormat }) => errorFormat)) }
  }
  expect(formatsBelow('/rest/v1/')).toEqual({ operations: true, formats: new Set([undefined]) })
  expect(formatsBelow('/api/now/')).toEqual({ operations: true, formats: new Set([nowErrors]) })
})

test('the address of a request decides the format of an error only where no operation is (issue 9, 1)', () => {
  const files = globSync('src/{http,endpoints}/**/*.ts', { exclude: (name) => name.endsWith('.test.ts') })
  const sniffing = files.filter((file) => /startsWith\(['"`]\/(rest|v1|api|coll)/.test(readFileSync(file, 'utf8')))
  expect([files.length > 80, sniffing]).toEqual([true, []])
})
