import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { admin } from './fresh-database.ts'

/** Sessions in pages of docs/: `sh` blocks prepare the shell, `console` blocks have commands after `$ ` and their output. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const WRITTEN_ADDRESS = 'http://127.0.0.1:8080'
const END = '@@@'

/** `docket` and `npx docket` in the shell of a page: the program of this checkout. */
export const docketCommands = `docket() { "${process.execPath}" "${root}/bin/docket.js" "$@"; }
npx() { shift; docket "$@"; }`

export interface Session {
  /** The text of the heading above it. */
  readonly heading: string
  readonly commands: readonly Command[]
}

export interface Command {
  readonly command: string
  /** The output that the page displays. */
  readonly displayed: string
}

export interface Page {
  /** The `sh` blocks, in order. */
  readonly setup: readonly string[]
  readonly sessions: readonly Session[]
}

/** @param name for example `docs/errors.md` */
export function readPage(name: string): Page {
  const text = readFileSync(`${root}/${name}`, 'utf8')
  const blocks = [...text.matchAll(/^```(sh|console)\n([\s\S]*?)^```$/gm)]
  const of = (language: string) => blocks.filter(([, each]) => each === language)
  return {
    setup: of('sh').map(([, , block = '']) => block),
    sessions: of('console').map(({ 2: block = '', index }) => ({
      heading: [...text.slice(0, index).matchAll(/^#+ (.+)$/gm)].at(-1)?.[1] ?? '',
      commands: block.split(/^\$ /m).slice(1).map(readCommand),
    })),
  }
}

/** A command continues on the next line after a backslash, and inside quotation marks. */
function readCommand(text: string): Command {
  const lines = text.trim().split('\n')
  let length = 1
  while (length < lines.length && isOpen(lines.slice(0, length).join('\n'))) length += 1
  return { command: lines.slice(0, length).join('\n'), displayed: lines.slice(length).join('\n') }
}

const isOpen = (command: string): boolean =>
  command.endsWith('\\') || (command.replaceAll(/"[^"]*"/g, '').split("'").length - 1) % 2 === 1

export interface Run {
  readonly baseUrl: string
  readonly environment?: Readonly<Record<string, string>>
  readonly folder?: string
}

/** Runs setup and commands in one shell, and returns the output of each command. Fails if one of them fails. */
export async function runCommands(
  setup: readonly string[],
  commands: readonly string[],
  run: Run,
): Promise<{ readonly printed: readonly string[]; readonly stderr: string }> {
  const lines = [...setup, ...commands.map((command) => `${command}\nprintf '\\n${END}\\n'`)].join('\n')
  const { stdout, stderr } = await promisify(execFile)(
    'sh',
    ['-e', '-c', lines.replaceAll(WRITTEN_ADDRESS, run.baseUrl)],
    {
      cwd: run.folder ?? root,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: process.env['HOME'] ?? '',
        PASSWORD: admin.password,
        ...run.environment,
      },
      maxBuffer: 50_000_000,
    },
  )
  const printed = stdout.split(`${END}\n`).map((text) => text.trim())
  return { printed: printed.slice(0, commands.length), stderr }
}

/** Replaces everything that differs between servers: the address, ids of requests, sys_ids, times. */
export const withoutChance = (text: string, baseUrl: string): string =>
  text
    .replaceAll(baseUrl, WRITTEN_ADDRESS)
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"…"')
    .replaceAll(/\b1[5-9]\d{16}\b/g, '155931135900000001')
    .replaceAll(/\b20\d\d-\d\d-\d\d([ T])\d\d:\d\d:\d\d(\.\d+)?Z?/g, '2026-01-01$100:00:00')
