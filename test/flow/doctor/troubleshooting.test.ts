import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { faults } from '../../../src/doctor/faults.ts'

const page = readFileSync(fileURLToPath(new URL('../../../docs/troubleshooting.md', import.meta.url)), 'utf8')
const sections = page
  .split(/^### /m)
  .slice(1)
  .map((section) => section.split('\n').filter((line) => line !== ''))

test('docs/troubleshooting.md has a section for each fault, and no other (issue 8, C2)', () => {
  expect(sections.map(([name]) => name).sort()).toEqual(Object.keys(faults).sort())
})

test.each(sections)('%s has a symptom, a meaning and a cure', (_name, ...lines) => {
  const words = lines.filter((line) => !line.startsWith('## ')).map((line) => line.match(/^- (\w+): \S/)?.[1])
  expect(words).toEqual(['Symptom', 'Meaning', 'Cure'])
})
