import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { settingNames, settingNote, settingsSchema, variableOf } from '../../src/config/settings.ts'
import { temporaryFolder } from '../harness/spawn-docket.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = [...readdirSync(join(root, 'deploy')).map((name) => `deploy/${name}`), 'docs/deployment.md']
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const allMatches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((found) => found[1] ?? found[0])

describe.each(files)('%s', (file) => {
  test('names settings that exist', () => {
    const known = new Set(settingNames.map(variableOf))
    const named = allMatches(textOf(file), /DOCKET_[A-Z0-9_]+/g)
    expect(named.filter((variable) => !known.has(variable))).toEqual([])
    for (const name of settingNames) expect(settingNote(name).meaning).not.toBe('')
  })

  test('names paths of the API that exist', () => {
    const { paths } = JSON.parse(textOf('docs/openapi.json')) as { paths: object }
    const open = ['/health', '/ready', '/metrics']
    const named = allMatches(textOf(file), /(?:location = |handle |GET |`)(\/(?:rest|v1|health|ready|metrics)[\w/]*)/g)
    expect(named.filter((path) => !(path in paths) && !open.includes(path))).toEqual([])
  })
})

test('the image copies files that exist, and everything that a start reads', () => {
  const copied = allMatches(textOf('deploy/Containerfile'), /^COPY (?!--from)(.+)$/gm).flatMap((line) =>
    line.split(' ').slice(0, -1),
  )
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(copied).toEqual(expect.arrayContaining(['package.json', 'package-lock.json', 'bin', 'src', 'migrations']))
})

test('the image runs without root, without a demo, and reports its health', () => {
  const lines = textOf('deploy/Containerfile').split('\n')
  expect(lines.filter((line) => /^USER /.test(line))).toEqual(['USER docket'])
  expect(lines.join('\n')).toMatch(/^ENV .*DOCKET_DEMO=off/m)
  const [script = ''] = allMatches(lines.join('\n'), /CMD \["node", "-e", "(.+)"\]/g)
  expect(() => new Function(script)).not.toThrow()
  expect(script).toContain('/ready')
})

test('the unit starts a program that exists, and waits longer than Docket takes to stop', () => {
  const unit = textOf('deploy/docket.service')
  const programs = allMatches(unit, /\/opt\/docket\/([\w./-]+)/g)
  expect(programs).toEqual(expect.arrayContaining(['node_modules/node/bin/node', 'bin/docket.js']))
  expect(programs.filter((path) => !existsSync(join(root, path)))).toEqual([])
  const waitsSeconds = Number(allMatches(unit, /^TimeoutStopSec=(\d+)$/gm)[0])
  // Requests, the pauses after they are cut, and a fast shutdown of PostgreSQL.
  expect(waitsSeconds).toBeGreaterThan(settingsSchema.parse({}).stopTimeoutSeconds + 7 + 60)
})

const analyzer = '/usr/bin/systemd-analyze'
test.skipIf(!existsSync(analyzer))('systemd finds no fault in the unit (issue 9, step 10)', () => {
  const file = join(temporaryFolder(), 'docket.service')
  // The unit has the paths of an installation.
  writeFileSync(file, textOf('deploy/docket.service').replaceAll('/opt/docket', root.replace(/\/$/, '')))
  const { status, stderr } = spawnSync(analyzer, ['verify', file], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('event streams are not buffered by the proxies', () => {
  expect(textOf('deploy/nginx.conf')).toMatch(/location = \/rest\/v1\/events \{[^}]*proxy_buffering off;/)
  expect(textOf('deploy/Caddyfile')).toMatch(/handle \/rest\/v1\/events \{[^}]*flush_interval -1/)
})

test('the page links to files that exist, and to each file of deploy/', () => {
  const page = 'docs/deployment.md'
  const links = allMatches(textOf(page), /\]\(([^)#]+)\)/g)
  expect(links.filter((link) => !existsSync(resolve(root, dirname(page), link)))).toEqual([])
  const samples = readdirSync(join(root, 'deploy')).map((name) => `../deploy/${name}`)
  expect(links).toEqual(expect.arrayContaining(samples))
})
