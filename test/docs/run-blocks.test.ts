import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (file: string): string => readFileSync(`${root}/${file}`, 'utf8')

/** The test that runs the `sh` and `console` blocks of a page. What no test can run, such as `podman build`, is a `text` block. */
const RUN_BY: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': 'test/docs/run-blocks.test.ts',
  'README.md': 'test/flow/readme.test.ts',
  'docs/access-rules.md': 'test/docs/pasted-pages.test.ts',
  'docs/adoption.md': 'test/docs/pasted-commands.test.ts',
  'docs/changes.md': 'test/docs/pasted-pages.test.ts',
  'docs/demo-desk.md': 'test/flow/readme.test.ts',
  'docs/dictionary.md': 'test/docs/pasted-pages.test.ts',
  'docs/errors.md': 'test/docs/errors-page.test.ts',
  'docs/moving-in.md': 'test/flow/moving-in.test.ts',
  'docs/servicenow.md': 'test/docs/pasted-commands.test.ts',
  'docs/simpleone.md': 'test/flow/simpleone-page.test.ts',
  'docs/troubleshooting.md': 'test/docs/pasted-commands.test.ts',
  'docs/tutorial.md': 'test/docs/tutorial.test.ts',
  'examples/generated-clients/README.md': 'test/flow/generated-clients.test.ts',
  'examples/retrievers/README.md': 'test/flow/retrievers.test.ts',
  'packages/client/README.md': 'test/flow/docket-client/readme.test.ts',
}

/** Blocks for a shell that no test would look for under another name. */
const SHELLS = /^ *(?:```|~~~)(sh|console|bash|shell|zsh|shell-session)\b/gm

const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md', 'examples/*/*.md', 'deploy/*.md', 'test/**/*.md'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
}).filter((page) => textOf(page).match(SHELLS) !== null)

test('a test runs the commands of each page (issue 9, step 10)', () => {
  expect(pages.sort()).toEqual(Object.keys(RUN_BY).sort())
})

test.each(Object.entries(RUN_BY))('%s is read by the test that runs it', (page, file) => {
  expect(textOf(file)).toContain(page.startsWith('examples/') ? dirname(page) : page)
  expect([...textOf(page).matchAll(SHELLS)].map(([, shell]) => shell)).toEqual(
    expect.not.arrayContaining(['bash', 'shell', 'zsh', 'shell-session']),
  )
})

test('CONTRIBUTING.md names scripts that exist, and .ci/run runs them', () => {
  const [, block = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(textOf('CONTRIBUTING.md')) ?? []
  const commands = block
    .trim()
    .split('\n')
    .map((line) => line.replace(/ *#.*/, ''))
  const run = textOf('.ci/run')
  expect(commands.filter((command) => !run.includes(command))).toEqual([])
  expect(commands.length).toBeGreaterThan(3)
})
