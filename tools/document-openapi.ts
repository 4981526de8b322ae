/**
 * Writes docs/openapi.json, the description of the API without tables; with `--check` only reports whether it is current (exit code 1 if
 * not). A running server serves a longer one at /openapi.json, with the tables that the caller may read.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readVersion } from '../src/config/version.ts'
import { describedParts } from '../src/endpoints/all-endpoints.ts'
import { genericDocument } from '../src/endpoints/server/openapi-endpoint.ts'

const path = fileURLToPath(new URL('../docs/openapi.json', import.meta.url))
const text = genericDocument(describedParts, readVersion())

if (!process.argv.includes('--check')) {
  writeFileSync(path, text)
} else if (readFileSync(path, 'utf8') === text) {
  const { paths } = JSON.parse(text) as { readonly paths: object }
  console.log(`docs/openapi.json is current: ${Object.keys(paths).length} paths.`)
} else {
  console.error('docs/openapi.json is not what the source says: run npm run document.')
  process.exitCode = 1
}
