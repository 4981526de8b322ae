import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = new URL('../contract/now/', import.meta.url)
const text = (file: string): string => readFileSync(fileURLToPath(new URL(file, folder)), 'utf8')

/** `| row | file | part of the test |` */
const lines = text('README.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Row |'))
  .map((line) => line.slice(2, -2).split(' | '))

test('each row of the specification of /api/now has a test that exists (issue 15, section 13)', () => {
  expect(lines.length).toBeGreaterThan(100)
  const missing = lines.filter(([, file = '', part = '']) => !text(file).includes(part))
  expect(missing).toEqual([])
})
