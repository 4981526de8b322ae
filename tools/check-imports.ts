/**
 * Checks the import rules of .dependency-cruiser.cjs, that the rules themselves only point down, and that dependency-cruiser has read the files: a version that cannot read TypeScript
 * would pass without checking anything.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))

const report = z.object({
  modules: z.array(z.object({ source: z.string(), dependencies: z.array(z.unknown()) })),
  summary: z.object({
    violations: z.array(
      z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string(), severity: z.string() }) }),
    ),
  }),
})

const run = spawnSync(
  join(root, 'node_modules', '.bin', 'depcruise'),
  ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'src'],
  { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 },
)
if (run.stdout === '') throw new Error(`dependency-cruiser said nothing: ${run.stderr}`)
const { modules, summary } = report.parse(JSON.parse(run.stdout))

const onDisk = globSync('src/**/*.ts', { cwd: root })
const seen = new Set(modules.map(({ source }) => source))
const errors = [
  ...upwardRules(),
  ...summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`),
  ...onDisk.filter((file) => !seen.has(file)).map((file) => `not seen by dependency-cruiser: ${file}`),
]
const imports = modules.reduce((sum, { source, dependencies }) => sum + (seen.has(source) ? dependencies.length : 0), 0)
// Every file but the smallest imports something; far fewer imports mean that the files were listed and not read.
if (imports < onDisk.length) errors.push(`only ${imports} imports seen in ${onDisk.length} files`)

for (const error of errors) console.error(error)
console.log(`${onDisk.length} files, ${imports} imports, ${errors.length} violations of the import rules`)
if (errors.length > 0 || onDisk.length === 0) process.exitCode = 1

/** Rules of modules that may import each other, directly or through others: then neither is below the other. */
function upwardRules(): readonly string[] {
  const rules: unknown = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs'))
  const { mayImport } = z.object({ mayImport: z.record(z.string(), z.array(z.string())) }).parse(rules)
  const reached = (from: string, found = new Set<string>()): ReadonlySet<string> => {
    for (const to of mayImport[from] ?? []) if (!found.has(to)) reached(to, found.add(to))
    return found
  }
  return Object.keys(mayImport)
    .filter((name) => reached(name).has(name))
    .map((name) => `${name} may import itself through others: .dependency-cruiser.cjs`)
}
