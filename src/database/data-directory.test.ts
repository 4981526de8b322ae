import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Observation } from '../telemetry/observation.ts'
import { openDataDirectory } from './data-directory.ts'

let folder: string
let seen: Observation[]
const observe = (observation: Observation): void => void seen.push(observation)
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8)

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'docket-data-directory-')))
  seen = []
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a new data directory is closed to other accounts (issue 8, A5)', () => {
  expect(openDataDirectory(join(folder, 'deep', 'data'), observe)).toBe(join(folder, 'deep', 'data'))
  expect([modeOf(join(folder, 'deep', 'data')), seen]).toEqual(['700', []])
})

test.each([0o755, 0o750, 0o770, 0o1777, 0o2775])(
  'one that other accounts can enter (mode %o) is closed, with its folders (issue 8, A5)',
  (mode) => {
    mkdirSync(join(folder, 'files'))
    mkdirSync(join(folder, 'lost+found'))
    chmodSync(join(folder, 'files'), 0o755)
    chmodSync(folder, mode)
    openDataDirectory(folder, observe)
    expect([modeOf(folder), modeOf(join(folder, 'files'))]).toEqual(['700', '700'])
    expect(seen).toEqual([
      { kind: 'data-directory-closed', directory: folder, mode: mode.toString(8) },
      { kind: 'data-directory-closed', directory: join(folder, 'files'), mode: '755' },
    ])
  },
)

test('one that holds files of somebody else is rejected, and its mode stays (issue 8, A5)', () => {
  writeFileSync(join(folder, 'letter.txt'), '')
  chmodSync(folder, 0o755)
  expect(() => openDataDirectory(folder, observe)).toThrow(
    `Other accounts can enter the data directory ${folder} (mode 755), and it holds other files than Docket's (letter.txt): set DOCKET_DATA_DIR to a folder of its own, or close it with: chmod 700 ${folder}`,
  )
  expect([modeOf(folder), seen]).toEqual(['755', []])
  chmodSync(folder, 0o700)
  expect(openDataDirectory(folder, observe)).toBe(folder)
})
