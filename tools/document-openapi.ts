/**
 * Writes docs/openapi.json, the description of the API without tables, and docs/openapi-now.json, that of the API for clients of ServiceNow; with `--check` only reports whether it is current (exit code 1 if
 * not). A running server serves a longer one at /openapi.json, with the tables that the caller may read.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readVersion } from '../src/config/version.ts'
import { describedParts } from '../src/endpoints/described-parts.ts'
import { nowDocument } from '../src/endpoints/now/now-document.ts'
import { genericDocument } from '../src/endpoints/server/openapi-documents.ts'

const documents: Readonly<Record<string, string>> = {
  'docs/openapi.json': genericDocument(describedParts, readVersion()),
  'docs/openapi-now.json': nowDocument(readVersion()),
}

for (const [name, text] of Object.entries(documents)) {
  const path = fileURLToPath(new URL(`../${name}`, import.meta.url))
  if (!process.argv.includes('--check')) {
    writeFileSync(path, text)
  } else if (existsSync(path) && readFileSync(path, 'utf8') === text) {
    const { paths } = JSON.parse(text) as { readonly paths: object }
    console.log(`${name} is current: ${Object.keys(paths).length} paths.`)
  } else {
    console.error(`${name} is not what the source says: run npm run document.`)
    process.exitCode = 1
  }
}
