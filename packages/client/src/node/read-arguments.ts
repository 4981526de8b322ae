import { parseArgs } from 'node:util'

export const USAGE = `Usage: docket-client types --url <address> [options]

Writes TypeScript types of the tables that the key may read.

  --url <address>    address of the server; default: DOCKET_URL
  --output <file>    default: standard output
  --check <file>     writes nothing; exit code 1 when the file differs from the dictionary
  --tables <a,b>     only these tables
  --name <name>      name of the type of all tables; default: Desk

DOCKET_TOKEN holds the key. (Everybody on the machine could read an argument.)
`

export interface Arguments {
  readonly url: string
  readonly token: string
  readonly output: string | null
  readonly check: string | null
  readonly tables: readonly string[] | null
  readonly name: string | null
}

/** A wrong command line. */
export class UsageError extends Error {}

/** @returns null when help is requested */
export function readArguments(
  given: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Arguments | null {
  const { values, positionals } = parse(given)
  if (values.help === true) return null
  if (positionals.length !== 1 || positionals[0] !== 'types')
    throw new UsageError(`The command is "types", found "${positionals.join(' ')}".`)
  const url = values.url ?? environment['DOCKET_URL']
  if (url === undefined) throw new UsageError('--url is missing: write --url https://desk.example.com.')
  const token = environment['DOCKET_TOKEN']
  if (token === undefined || token === '')
    throw new UsageError('DOCKET_TOKEN is not set: put an API key into it, as docket token create prints it.')
  if (values.check !== undefined && values.output !== undefined)
    throw new UsageError('--check and --output exclude each other: --check writes nothing.')
  return {
    url,
    token,
    output: values.output ?? null,
    check: values.check ?? null,
    tables: values.tables?.split(',').map((name) => name.trim()) ?? null,
    name: values.name ?? null,
  }
}

function parse(given: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...given],
      allowPositionals: true,
      options: {
        url: text,
        output: text,
        check: text,
        tables: text,
        name: text,
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
