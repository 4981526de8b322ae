import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { makeKeyOf } from '../../contract/documents/stage.ts'
import { consoleStage, hasChromium, loginOf } from '../../harness/console-browser.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const before = 'The printer on the second floor jams, and nobody knows why it does so every morning.'
const after = 'The old printer on the second floor jams, and nobody knows why it does so every evening.'

const configuration = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.iterator'],
    typeRoots: [join(root, 'node_modules/@types')],
    types: ['node'],
    module: 'nodenext',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  files: ['pasted.ts'],
}

describe.skipIf(!hasChromium)('copying a record, and what changed in long texts', () => {
  const stage = consoleStage()

  async function copiedFrom(path: string) {
    const page = await stage.signedIn('michael.brown', path)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    return async (format: string): Promise<string> => {
      await page.evaluate(`navigator.clipboard.writeText('')`)
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: `Copy as ${format}`, exact: true }).click()
      const text = async () => String(await page.evaluate('navigator.clipboard.readText()'))
      await expect.poll(text).not.toBe('')
      return text()
    }
  }

  test('a record is copied for a shell, for programs, and as JSON, without a key; each request runs as it was pasted', async () => {
    const subject = 'To be copied: "quoted", it\'s $HOME, ключ 🔑'
    const sysId = await stage.makeIncident(subject)
    const copied = await copiedFrom(`/t/itsm_incident/${sysId}`)
    const read = await stage.docket.request('GET', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('michael.brown'),
    })
    const { data } = read.body as { data: readonly [{ readonly subject: string }] }
    const withoutLinks = await stage.docket.request(
      'GET',
      `/rest/v1/table/itsm_incident/${sysId}?sysparm_exclude_reference_link=1`,
      { as: loginOf('michael.brown') },
    )
    const unlinked = withoutLinks.body as { data: readonly [object] }
    expect(data[0].subject).toBe(subject)
    expect([JSON.parse(await copied('JSON'))]).toEqual(data)

    const key = await makeKeyOf(stage.docket, 'michael.brown')
    const folder = mkdtempSync(join(tmpdir(), 'docket-copied-'))
    const run = async (program: string, args: readonly string[], token: string | null = key) => {
      const { DOCKET_TOKEN: _, ...environment } = process.env
      const env = { ...environment, ...(token === null ? {} : { DOCKET_TOKEN: token }) }
      return promisify(execFile)(program, args, { cwd: folder, env, encoding: 'utf8' })
    }
    try {
      const curl = await copied('curl')
      expect(JSON.parse((await run('sh', ['-c', curl])).stdout).data).toEqual(data)

      const javaScript = await copied('JavaScript')
      // As a module, as a script, and typed into the prompt of Node.
      for (const name of ['pasted.mjs', 'pasted.cjs']) {
        writeFileSync(join(folder, name), javaScript)
        expect(JSON.parse((await run(process.execPath, [name])).stdout)).toEqual(data[0])
      }
      expect(JSON.parse((await run(process.execPath, ['-e', javaScript])).stdout)).toEqual(data[0])

      // In a project that has docket-client; it compiles, too.
      mkdirSync(join(folder, 'node_modules'))
      symlinkSync(join(root, 'packages/client'), join(folder, 'node_modules/docket-client'))
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
      const typeScript = await copied('TypeScript')
      writeFileSync(join(folder, 'pasted.ts'), typeScript)
      // References are sys_ids, without links.
      expect(JSON.parse((await run(process.execPath, ['pasted.ts'])).stdout)).toEqual(unlinked.data[0])
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration))
      const compiled = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch(
        ({ stdout }: { readonly stdout: string }) => ({ stdout }),
      )
      expect(compiled.stdout).toBe('')

      const python = await copied('Python')
      writeFileSync(join(folder, 'pasted.py'), python)
      expect(JSON.parse((await run('python3', ['pasted.py'])).stdout)).toEqual(data[0])

      // A key that is none is an error of the program, not a wrong record.
      for (const [program, args] of [
        ['sh', ['-c', curl]],
        [process.execPath, ['pasted.mjs']],
        [process.execPath, ['pasted.ts']],
        ['python3', ['pasted.py']],
      ] as const)
        await expect(run(program, args, 'wrong')).rejects.toMatchObject({ code: expect.any(Number) })
      for (const text of [curl, javaScript, typeScript, python]) expect(text).not.toContain(key)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test('a long text that was changed is displayed once, with the words that are gone and new', async () => {
    const sysId = await stage.makeIncident('A long text', { description: before })
    await stage.docket.request('PATCH', `/rest/v1/table/itsm_incident/${sysId}`, {
      as: loginOf('michael.brown'),
      body: { description: after },
    })
    const page = await stage.signedIn('michael.brown', `/t/itsm_incident/${sysId}`)
    const change = page.locator('#form-activity li[data-kind=change]').first()
    await expect.poll(() => change.locator('ins').allTextContents()).toEqual(['old ', 'evening.'])
    expect(await change.locator('del').allTextContents()).toEqual(['morning.'])
    expect(await stage.findings(page)).toEqual([])
    await stage.picture(page, 'diff')
  })
})
