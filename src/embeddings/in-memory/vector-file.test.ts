import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { VectorFile } from './vector-file.ts'

let keepsNames = false
vi.mock(import('node:fs'), async (original) => {
  const fs = await original()
  const rmSync: typeof fs.rmSync = (path, options) => {
    if (keepsNames) throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
    fs.rmSync(path, options)
  }
  return { ...fs, default: { ...fs.default, rmSync }, rmSync }
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'docket-vector-file-'))
})
afterEach(() => {
  keepsNames = false
  rmSync(folder, { recursive: true, force: true })
})

test('where a file cannot lose its name, one attempt is made, and nothing stays open (issue 14, vectors)', () => {
  keepsNames = true
  const errors: unknown[] = []
  const file = new VectorFile(folder, (error) => errors.push(error))
  for (let block = 0; block < 5; block++) expect(file.allocate(1_000)).toBeNull()
  expect(errors.map(String)).toEqual([expect.stringContaining('cannot be removed')])
  expect(readdirSync(folder)).toHaveLength(1)
  expect(openedIn(folder)).toEqual([])
})

test('what processes left that were killed before they removed the name is removed, and nothing else (issue 14, vectors)', () => {
  writeFileSync(join(folder, 'vectors-0a1b2c3d-0000-4000-8000-0123456789ab'), '')
  writeFileSync(join(folder, 'vectors-of-mine'), '')
  const file = new VectorFile(folder, (error) => expect(error).toBeUndefined())
  expect(file.allocate(1_000)).toEqual({ position: 0 })
  expect(readdirSync(folder)).toEqual(['vectors-of-mine'])
  file.close()
})

/** Files of this process below a folder. */
function openedIn(below: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`)
      return path.startsWith(below) ? [path] : []
    } catch {
      // The one that lists them is closed.
      return []
    }
  })
}
