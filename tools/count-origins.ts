/**
 * Says how many lines of the product belong to features of an earlier commit: `npm run count:origins [-- COMMIT]`. Needs the whole history
 * and some minutes.
 *
 * `git blame` names the commit of each line. It looks past the commits of `.git-blame-ignore-revs`, which only changed structure, names and
 * comments, and follows lines that moved. What it cannot look past is new in such a commit: these lines are divided among the features of
 * their file, as its other lines are.
 */
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { promisify } from 'node:util'

const IGNORED = '.git-blame-ignore-revs'
/** The commit before issues 8 to 15. */
const [, , start = '1f325a6'] = process.argv

const run = promisify(execFile)

async function git(...options: readonly string[]): Promise<string> {
  return (await run('git', options, { maxBuffer: 1 << 28 })).stdout
}

type Origin = 'start' | 'structure' | 'later'
type Lines = Record<Origin, number>

const structure = new Set((await git('grep', '-hE', '^[0-9a-f]{40}$', '--', IGNORED)).trim().split('\n'))

async function linesOf(file: string): Promise<Lines> {
  const blame = await git(
    'blame',
    '-w',
    '-M',
    '-C',
    '--ignore-revs-file',
    IGNORED,
    '--porcelain',
    `${start}..HEAD`,
    '--',
    file,
  )
  const lines: Lines = { start: 0, structure: 0, later: 0 }
  const atStart = new Set(
    [...blame.matchAll(/^([0-9a-f]{40}) \d+ \d+ \d+\n(?:(?!\t).*\n)*?boundary$/gm)].map(([, commit]) => commit),
  )
  for (const [, commit = ''] of blame.matchAll(/^([0-9a-f]{40}) \d+ \d+/gm))
    lines[atStart.has(commit) ? 'start' : structure.has(commit) ? 'structure' : 'later'] += 1
  return lines
}

const total: Lines = { start: 0, structure: 0, later: 0 }
let divided = 0
for (const file of globSync('src/**/*.ts').filter((each) => !each.endsWith('.test.ts'))) {
  const lines = await linesOf(file)
  for (const origin of ['start', 'structure', 'later'] as const) total[origin] += lines[origin]
  const known = lines.start + lines.later
  divided += lines.start + lines.structure * (known === 0 ? 1 : lines.start / known)
}
console.log(
  `${total.start} lines are of ${start}, ${total.later} of later features, ${total.structure} of the structure`,
)
console.log(`${Math.round(divided)} lines for the features of ${start}, with their share of the structure`)
