import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeWholeFile } from './backup/whole-file.ts'
import { openServerClient } from './documents/server-client.ts'
import { mustBeReplaceable } from './output-file.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-output-'))
  mkdirSync(join(folder, 'folder'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  writeFileSync(join(folder, 'file'), 'before')
})
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['folder', 'a folder'],
  ['pipe', 'a device or a pipe'],
])('an output does not take the place of %s, and nothing is written', async (name, what) => {
  const path = join(folder, name)
  let isWritten = false
  const writing = writeWholeFile(path, async () => {
    isWritten = true
  })
  await expect(writing).rejects.toThrow(`${path} is ${what}: name a file (- is the standard output).`)
  expect([isWritten, readdirSync(folder).sort(), lstatSync(path).isFile()]).toEqual([
    false,
    ['file', 'folder', 'pipe'],
    false,
  ])
})

test('an empty name is rejected, and nothing is written', async () => {
  const writing = writeWholeFile('', () => Promise.reject(new Error('written')))
  await expect(writing).rejects.toThrow('The name of the file is empty (- is the standard output).')
})

test('a file, and a name that is free, may be written', async () => {
  await mustBeReplaceable(join(folder, 'file'))
  await mustBeReplaceable(join(folder, 'free'))
})

test('an address with a password is rejected, and no message contains the password', () => {
  const open = (): unknown => openServerClient({ server: 'https://maria:secret-word@desk.example.com' })
  expect(open).toThrow(/^The address of --server or DOCKET_URL contains a user or a password/)
  expect(open).not.toThrow(/secret-word/)
})
