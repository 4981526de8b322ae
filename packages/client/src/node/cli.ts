#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from '../connect.ts'
import { DocketError } from '../errors.ts'
import { generateTypes } from '../generate/generate-types.ts'
import { type Arguments, readArguments, USAGE, UsageError } from './read-arguments.ts'

/** `docket-client types`. Exit codes: 0, 1 (the types differ, or the server rejects the request), 2 (wrong command line). */
try {
  const given = readArguments(process.argv.slice(2), process.env)
  if (given === null) process.stdout.write(USAGE)
  else await writeTypes(given)
} catch (error) {
  process.exitCode = error instanceof UsageError ? 2 : 1
  process.stderr.write(`${describe(error)}\n`)
}

async function writeTypes({ url, token, output, check, tables, name }: Arguments): Promise<void> {
  const text = await generateTypes(connect({ url, token }), { name: name ?? undefined, tables: tables ?? undefined })
  if (check !== null) return compare(check, text)
  if (output === null) process.stdout.write(text)
  else writeFileSync(output, text)
}

function compare(file: string, text: string): void {
  if (readFileSync(file, 'utf8') === text) return
  process.exitCode = 1
  process.stderr.write(`${file} differs from the dictionary of the server: write it again with --output ${file}.\n`)
}

function describe(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`
  if (error instanceof DocketError && error.status === 401)
    return `The server rejects the key of DOCKET_TOKEN: ${error.message}`
  return error instanceof Error ? error.message : String(error)
}
