import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const integrity = `sha512-${'A'.repeat(86)}==`

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-lock-'))
  path = join(folder, 'package-lock.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const project = { name: 'docket', engines: { node: '>=20' } }
const complete = {
  lockfileVersion: 3,
  packages: {
    '': project,
    'node_modules/a': { version: '1.0.0', integrity, optionalDependencies: { b: '1.0.0' } },
    'node_modules/b': { version: '1.0.0', integrity, optional: true },
  },
}
const withPackage = (changes: object) => ({
  ...complete,
  packages: { ...complete.packages, 'node_modules/b': { ...complete.packages['node_modules/b'], ...changes } },
})
const run = (...options: readonly string[]) =>
  spawnSync(process.execPath, [join(root, 'tools', 'complete-lock.ts'), path, ...options], { encoding: 'utf8' })

test.each([
  { lock: complete, says: null },
  { lock: withPackage({ integrity: undefined }), says: 'node_modules/b has no sha512 integrity hash' },
  {
    lock: withPackage({ integrity: undefined, optional: undefined }),
    says: 'node_modules/b has no sha512 integrity hash',
  },
  { lock: withPackage({ integrity: 'sha1-AAAA' }), says: 'node_modules/b has no sha512 integrity hash' },
  {
    lock: withPackage({ resolved: 'https://example.com/b.tgz' }),
    says: 'node_modules/b names the address of a registry',
  },
  { lock: withPackage({ engines: { node: '>=22' } }), says: 'node_modules/b says which Node it wants' },
  {
    lock: { ...complete, packages: { ...complete.packages, 'node_modules/b': undefined } },
    says: 'node_modules/a wants b, which is not locked',
  },
])('check:lock reports: $says (issue 8, A10)', ({ lock, says }) => {
  writeFileSync(path, JSON.stringify(lock))
  const { status, stderr } = run('--check')
  const sentences = says === null ? '' : `package-lock.json: ${says}: run npm install and npm run lock.\n`
  expect({ status, stderr }).toEqual({ status: says === null ? 0 : 1, stderr: sentences })
})

test('npm run lock takes out what nobody verified, and the check is content (issue 8, A10)', () => {
  writeFileSync(path, JSON.stringify(withPackage({ integrity: undefined, engines: { node: '>=22' } })))
  expect(run().status).toBe(0)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    lockfileVersion: 3,
    packages: { '': project, 'node_modules/a': { version: '1.0.0', integrity } },
  })
  expect(run('--check').status).toBe(0)
})

test('a needed package without a hash stays, and npm run lock fails (issue 8, A10)', () => {
  const lock = withPackage({ integrity: undefined, optional: undefined })
  writeFileSync(path, JSON.stringify(lock))
  expect(run().status).toBe(1)
})

test('every package of this project has a hash (issue 8, A10)', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string; link?: boolean }>
  }
  // Workspaces are folders of this project; the lock file has links to them among the packages.
  const hashes = Object.entries(packages).filter(
    ([where, { link }]) => where.includes('node_modules/') && link !== true,
  )
  expect(hashes.length).toBeGreaterThan(300)
  expect(hashes.filter(([, { integrity: hash }]) => !hash?.startsWith('sha512-'))).toEqual([])
  execFileSync(process.execPath, [join(root, 'tools', 'complete-lock.ts'), '--check'])
})
