/** Counts the product code: `npm run count`. Tests are left out. */
import { globSync, readFileSync } from 'node:fs'
import { measureFunctions } from './measure-functions.ts'

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const texts = files.map((file) => ({ file, text: readFileSync(file, 'utf8') }))
const linesOf = (text: string): number => text.split('\n').length - 1

const perModule = Map.groupBy(texts, ({ file }) => file.split('/').slice(0, 2).join('/'))
for (const [module, held] of [...perModule].sort()) {
  const lines = held.reduce((sum, { text }) => sum + linesOf(text), 0)
  console.log(`${String(lines).padStart(7)} ${String(held.length).padStart(5)} files  ${module}`)
}
const functions = texts.flatMap(({ file, text }) => measureFunctions(text).map((each) => ({ ...each, file })))
functions.sort((one, other) => one.lines - other.lines)
const at = (share: number): number => functions[Math.floor(functions.length * share)]?.lines ?? 0
console.log(`${texts.reduce((sum, { text }) => sum + linesOf(text), 0)} lines in ${files.length} files`)
console.log(`${functions.length} functions: p50 ${at(0.5)}, p90 ${at(0.9)} lines; the longest:`)
for (const { file, name, lines } of functions.slice(-10).reverse())
  console.log(`${String(lines).padStart(7)} ${name} in ${file}`)
