import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { admin } from '../harness/fresh-database.ts'
import { sendTo } from '../harness/send-request.ts'
import { spawnDocket, temporaryClone, temporaryFolder } from '../harness/spawn-docket.ts'

// The image works without the files that deploy/Containerfile removes: it starts, reads a file, and passes its own health check.

const containerfile = readFileSync(fileURLToPath(new URL('../../deploy/Containerfile', import.meta.url)), 'utf8')
const removed = /^RUN rm -rf (.+)$/m.exec(containerfile)?.[1]?.split(' ') ?? []
const healthCheck = /CMD \["node", "-e", "(.+)"\]/.exec(containerfile)?.[1] ?? ''

test('the tree of the image starts, reads a document and is healthy (issue 9, step 10)', async () => {
  const clone = temporaryClone(0o755)
  // As after `npm ci --omit=dev`, without a network.
  execFileSync('npm', ['prune', '--omit=dev', '--offline', '--ignore-scripts', '--no-audit'], { cwd: clone.folder })
  expect(existsSync(join(clone.folder, 'node_modules', 'vitest'))).toBe(false)
  expect(removed.length).toBeGreaterThan(2)
  for (const path of removed) rmSync(join(clone.folder, path), { recursive: true })

  const environment = {
    DOCKET_DATA_DIR: temporaryFolder(),
    DOCKET_ADMIN_PASSWORD: admin.password,
    NODE_ENV: 'production',
  }
  const docket = await spawnDocket(environment, clone)
  const client = sendTo(docket.address)
  const loaded = await client.send('POST', '/load_text_to_collection?collection_name=notes', {
    as: admin,
    body: { text: '# A note\n\nThe gateway answers.', metadata: {} },
  })
  client.close()
  const health = () =>
    execFileSync(clone.node, ['-e', healthCheck], { env: { DOCKET_PORT: new URL(docket.address).port } })
  expect(health).not.toThrow()
  expect(loaded).toMatchObject({ status: 200, body: { status: 'OK', data: { state: 'ready', chunks: 1 } } })
  await docket.stop()
  expect(health).toThrow()
})
