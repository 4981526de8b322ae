/**
 * npm run build:client: builds docket-client into packages/client/dist, as it is packed and published: an ES module and its types for
 * each entry, without an import of anything but Node's own modules in the entries for Node. An argument is another folder.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const client = join(root, 'packages', 'client')
const out = resolve(process.argv[2] ?? join(client, 'dist'))

interface Manifest {
  readonly exports: Readonly<Record<string, string>>
  readonly [member: string]: unknown
}
const {
  private: _,
  exports: entries,
  ...manifest
} = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8')) as Manifest

const nameOf = (entry: string): string => (entry === '.' ? 'index' : entry.slice(2))

rmSync(out, { recursive: true, force: true })
await build({
  configFile: false,
  logLevel: 'error',
  build: {
    outDir: out,
    emptyOutDir: true,
    target: 'es2023',
    minify: false,
    lib: {
      formats: ['es'],
      entry: {
        ...Object.fromEntries(Object.entries(entries).map(([entry, file]) => [nameOf(entry), join(client, file)])),
        cli: join(client, 'src/node/cli.ts'),
      },
    },
    rolldownOptions: {
      external: /^node:/,
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' },
    },
  },
})
execFileSync(process.execPath, [
  join(root, 'node_modules/typescript/bin/tsc'),
  ...['-p', join(client, 'tsconfig.build.json'), '--outDir', join(out, 'types')],
])
mkdirSync(out, { recursive: true })
const typesOf = (file: string): string => `./types/packages/client/${file.slice(2).replace(/\.ts$/, '.d.ts')}`
const exported = Object.fromEntries(
  Object.entries(entries).map(([entry, file]) => [entry, { types: typesOf(file), default: `./${nameOf(entry)}.js` }]),
)
const packed = { ...manifest, sideEffects: false, bin: { 'docket-client': './cli.js' }, exports: exported }
writeFileSync(join(out, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
cpSync(join(client, 'README.md'), join(out, 'README.md'))
cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
