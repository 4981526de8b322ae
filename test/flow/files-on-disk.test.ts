import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshDatabase } from '../harness/fresh-database.ts'
import { runCommand } from '../harness/run-command.ts'
import { sendTo } from '../harness/send-request.ts'
import { type SpawnedDocket, spawnDocket, temporaryFolder } from '../harness/spawn-docket.ts'

const password = 'correct horse battery'
const as = { user: 'admin', password }

/** Paths that other accounts can use, with their modes; a link has the rights of its target. */
function openPaths(folder: string): readonly string[] {
  return [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path))]
    .map((path) => ({ path, found: lstatSync(path) }))
    .filter(({ found }) => !found.isSymbolicLink() && (found.mode & 0o077) !== 0)
    .map(({ path, found }) => `${path} ${(found.mode & 0o777).toString(8)}`)
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

/** An upload whose body has begun and does not continue. */
function beginUpload(docket: SpawnedDocket, bytes: number) {
  const { port } = new URL(docket.address)
  const socket = connect(Number(port), '127.0.0.1')
  const credentials = Buffer.from(`admin:${password}`).toString('base64')
  const head = '--b\r\nContent-Disposition: form-data; name="files[]"; filename="a.bin"\r\n\r\n'
  socket.write(
    `POST /v1/attachments/upload/user/155931135900000001 HTTP/1.1\r\nHost: docket\r\nAuthorization: Basic ${credentials}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${bytes}\r\n\r\n${head}${'x'.repeat(100_000)}`,
  )
  return socket
}

async function useIt(docket: SpawnedDocket): Promise<void> {
  const client = sendTo(docket.address)
  const form = '--b\r\nContent-Disposition: form-data; name="files[]"; filename="a.txt"\r\n\r\nsecret\r\n--b--\r\n'
  const uploaded = await client.send('POST', '/v1/attachments/upload/user/155931135900000001', {
    as,
    body: form,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  })
  const loaded = await client.send('POST', '/load_text_to_collection?collection_name=kb', {
    as,
    body: { metadata: {}, text: 'A secret text.' },
  })
  expect([uploaded.status, loaded.status]).toEqual([200, 200])
  client.close()
}

test.each([
  { database: 'external', workers: '1' },
  { database: 'embedded', workers: '2' },
])(
  'with the $database database and $workers workers nothing in the data directory is open to other accounts (issue 8, A5)',
  async ({ database, workers }) => {
    const dataDir = join(temporaryFolder(), 'data')
    mkdirSync(join(dataDir, 'files'), { recursive: true })
    for (const folder of [dataDir, join(dataDir, 'files')]) chmodSync(folder, 0o755)
    const fresh = database === 'external' ? await freshDatabase('blank') : undefined
    const environment = {
      DOCKET_DATA_DIR: dataDir,
      DOCKET_WORKERS: workers,
      DOCKET_ADMIN_PASSWORD: password,
      ...(fresh && { DOCKET_DATABASE_URL: fresh.connectionString }),
    }
    const docket = await spawnDocket(environment)
    try {
      expect(docket.log()).toContain(`other accounts could enter ${dataDir} (mode 755); its mode is 700 now`)
      await useIt(docket)
      const upload = beginUpload(docket, 1_000_000)
      await expect.poll(() => filesIn(join(dataDir, 'uploads')).length, { timeout: 30_000 }).toBeGreaterThan(0)
      expect(filesIn(join(dataDir, 'attachments')).length).toBeGreaterThan(0)
      expect(openPaths(dataDir)).toEqual([])
      upload.destroy()

      const command = { ...environment, DOCKET_URL: docket.address }
      const key = await runCommand(command, ['token', 'create', '--user', 'admin', '--name', 'export'])
      const output = join(temporaryFolder(), 'users.csv')
      const exported = await runCommand({ ...command, DOCKET_TOKEN: key.output.trim() }, [
        ...['records', 'export', '--table', 'user', '--output', output],
      ])
      expect([exported.code, (statSync(output).mode & 0o777).toString(8)]).toEqual([0, '600'])
    } finally {
      await docket.stop()
      await fresh?.drop()
    }
    expect(openPaths(dataDir)).toEqual([])
  },
)
