import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocumentStage, setDocumentStage } from '../../contract/documents/stage.ts'
import { type CommandOutcome, runCommand, startCommand } from '../../harness/run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'docket-commands-'))
let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(async () => {
  await stage.close()
  rmSync(folder, { recursive: true })
})

const environment = () => ({ DOCKET_URL: stage.docket.baseUrl, DOCKET_TOKEN: stage.keys.writer })
const run = (args: readonly string[], input = ''): Promise<CommandOutcome> =>
  runCommand(environment(), ['documents', ...args], input)

function write(path: string, content: string | Buffer): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

interface Details {
  readonly doc_id: string
  readonly version: number
  readonly metadata: Readonly<Record<string, unknown>>
  readonly file_name: string | null
}

async function detailsOf(collection: string): Promise<readonly Details[]> {
  const line = `GET /get_list_of_documents_names?details=1&collection_name=${encodeURIComponent(collection)}`
  return ((await stage.send('reader', line)).body as { data: Details[] }).data
}

/** Loads that the server received since the last call. */
let seenBefore = 0
function loadsSince(): number {
  const all = stage.docket.observations
  const loads = all
    .slice(seenBefore)
    .filter((seen) => seen.kind === 'request-finished' && /^\/load_/.test(seen.route)).length
  seenBefore = all.length
  return loads
}

describe('docket documents load', () => {
  const files = join(folder, 'handbook')
  beforeAll(() => {
    write('handbook/README.md', '# Handbook\n\nHow we work.')
    write('handbook/guides/vpn.html', '<h1>VPN</h1><p>Restart the client.</p>')
    write('handbook/guides/отпуск.txt', 'Заявление на отпуск подают за две недели.')
    write('handbook/guides/vpn.html.metadata.json', '{"priority": 1, "tags": ["vpn"]}')
    write('handbook/.git/config', 'not for anybody')
    write('handbook/.hidden.md', 'neither')
    write('handbook/logo.png', Buffer.from('89504e470d0a1a0a0000000d', 'hex'))
  })
  const load = ['load', files, '--collection', 'handbook', '--metadata', 'status=published', '--metadata', 'level=2']

  test('loads every file of a folder, and says what it could not load', async () => {
    loadsSince()
    const { code, output, errors } = await run(load)
    expect({ code, output }).toEqual({ code: 1, output: 'handbook: 3 created, 1 refused\n' })
    expect(errors).toMatch(/^refused {2}\S+logo\.png: .*found a PNG picture\.$/m)
    expect(errors).toMatch(/^4 of 4 documents$/m)
    expect(
      (await detailsOf('handbook')).map(({ doc_id, metadata, file_name }) => ({ doc_id, metadata, file_name })),
    ).toEqual([
      { doc_id: 'README.md', metadata: { doc_id: 'README.md', status: 'published', level: 2 }, file_name: 'README.md' },
      {
        doc_id: 'guides/vpn.html',
        metadata: { doc_id: 'guides/vpn.html', status: 'published', level: 2, priority: 1, tags: ['vpn'] },
        file_name: 'vpn.html',
      },
      {
        doc_id: 'guides/отпуск.txt',
        metadata: { doc_id: 'guides/отпуск.txt', status: 'published', level: 2 },
        file_name: 'отпуск.txt',
      },
    ])
  })

  test('run again, it sends nothing of what is there, and only what has changed', async () => {
    loadsSince()
    const again = await run([...load, '--skip-unsupported'])
    expect({ code: again.code, output: again.output }).toEqual({
      code: 0,
      output: 'handbook: 0 created, 3 unchanged, 1 skipped\n',
    })
    // The picture, which is missing.
    expect(loadsSince()).toBe(1)
    write('handbook/README.md', '# Handbook\n\nHow we work now.')
    write('handbook/guides/vpn.html.metadata.json', '{"priority": 2}')
    const changed = await run([...load, '--skip-unsupported'])
    expect(changed.output).toBe('handbook: 0 created, 2 replaced, 1 unchanged, 1 skipped\n')
    expect((await detailsOf('handbook')).map(({ version }) => version)).toEqual([2, 2, 1])
  })

  test('loads texts of NDJSON, from a file and from standard input', async () => {
    const lines = [
      '{"id":"a","title":"A","text":"first"}',
      '',
      '{"id":"b"}',
      '{"text":"third","priority":"high"}',
      '{"id":"c","text":"last"}',
    ]
    const file = write('texts.ndjson', lines.join('\r\n'))
    const loaded = await run(['load', file, '--collection', 'lines', '--metadata', '{"status":"new"}'])
    expect({ code: loaded.code, output: loaded.output }).toEqual({ code: 1, output: 'lines: 2 created, 2 refused\n' })
    expect(loaded.errors).toContain(`refused  ${file}, line 3: it has no member text that is a string\n`)
    expect(loaded.errors).toMatch(/line 4: .*metadata\.priority.*integer/)
    expect((await detailsOf('lines')).map(({ metadata }) => metadata)).toEqual([
      { doc_id: 'a', title: 'A', status: 'new' },
      { doc_id: 'c', status: 'new' },
    ])
    const piped = await run(
      ['load', '-', '--collection', 'lines'],
      '{"id":"a","text":"changed"}\n{"id":"d","text":"x"}',
    )
    expect(piped).toMatchObject({ code: 0, output: 'lines: 1 created, 1 replaced\n' })
  })

  test('a large file is queued and followed to its end', async () => {
    const file = write('large/large.html', `<!doctype html><h1>Large</h1><p>gigantic</p><!--${'x'.repeat(8.5e6)}-->`)
    const large = ['load', file, '--collection', 'large']
    expect(await run(large)).toEqual({ code: 0, output: 'large: 1 created\n', errors: '1 of 1 documents\n' })
    expect(await run(large)).toMatchObject({
      code: 0,
      output: 'large: 1 unchanged\n'.replace('1 unch', '0 created, 1 unch'),
    })
    const broken = write('large/broken.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(9e6)]))
    const rejected = await run(['load', broken, '--collection', 'large'])
    expect({ code: rejected.code, output: rejected.output }).toEqual({
      code: 1,
      output: 'large: 0 created, 1 refused\n',
    })
    expect(rejected.errors).toMatch(/broken\.pdf: No text can be read/)
  })

  test('after it was killed, a second run loads what is missing and nothing twice', async () => {
    const lines = Array.from({ length: 200 }, (_, n) => JSON.stringify({ id: `doc-${n}`, text: `text number ${n}` }))
    const file = write('many.ndjson', lines.join('\n'))
    const many = ['documents', 'load', file, '--collection', 'killed', '--parallel', '2']
    const first = startCommand(environment(), many)
    await first.hasPrinted('40 of 200 documents')
    first.child.kill('SIGKILL')
    expect((await first.outcome).code).toBeNull()
    const second = await runCommand(environment(), many)
    const [, created, unchanged] = /^killed: (\d+) created, (\d+) unchanged\n$/.exec(second.output) ?? []
    expect(Number(created) + Number(unchanged)).toBe(200)
    expect(Number(unchanged)).toBeGreaterThanOrEqual(40)
    const details = await detailsOf('killed')
    expect(details.length).toBe(200)
    expect(details.every(({ version }) => version === 1)).toBe(true)
  })

  test('interrupted from the terminal, it ends what it has begun and says how to go on', async () => {
    const lines = Array.from({ length: 2_000 }, (_, n) => JSON.stringify({ id: `doc-${n}`, text: `text number ${n}` }))
    const file = write('long.ndjson', lines.join('\n'))
    const long = startCommand(environment(), [
      'documents',
      'load',
      file,
      '--collection',
      'interrupted',
      '--parallel',
      '1',
    ])
    await long.hasPrinted('200 of 2000 documents')
    long.child.kill('SIGINT')
    const { code, output, errors } = await long.outcome
    expect(code).toBe(130)
    expect(errors).toContain('Interrupted: run the same command again to go on.\n')
    const created = Number(/^interrupted: (\d+) created\n$/.exec(output)?.[1])
    expect((await detailsOf('interrupted')).length).toBe(created)
  })
})

describe('docket documents export', () => {
  beforeAll(async () => {
    for (let n = 0; n < 25; n++)
      await stage.send('writer', 'POST /load_text_to_collection?collection_name=source', {
        metadata: { doc_id: `doc/${String(n).padStart(2, '0')}`, status: n % 2 === 0 ? 'even' : 'odd' },
        text: `Text number ${n}.\nПривет, "мир".`,
      })
  })

  test('writes texts that load takes, and the copy is the same', async () => {
    const file = join(folder, 'out', 'source.ndjson')
    mkdirSync(dirname(file))
    const exported = await run(['export', '--collection', 'source', '--output', file])
    expect(exported).toMatchObject({ code: 0, output: '', errors: expect.stringMatching(/^source: 25 written$/m) })
    expect(readdirSync(dirname(file))).toEqual(['source.ndjson'])
    expect(await run(['load', file, '--collection', 'copy'])).toMatchObject({ code: 0, output: 'copy: 25 created\n' })
    const [source, copy] = await Promise.all(
      ['source', 'copy'].map(
        async (name) =>
          (await runCommand(environment(), ['documents', 'export', '--collection', name, '--output', '-'])).output,
      ),
    )
    expect(copy?.replaceAll('"copy"', '"source"')).toBe(source)
    expect(source).toBe(readFileSync(file, 'utf8'))
  })

  test('a filter selects', async () => {
    const { output } = await run(['export', '--collection', 'source', '--output', '-', '--filter', 'status=odd'])
    expect(output.trim().split('\n').length).toBe(12)
  })

  test('after it was killed, it goes on after the last page that it had written', async () => {
    const file = join(folder, 'resumed.ndjson')
    await run(['export', '--collection', 'source', '--output', file])
    const whole = readFileSync(file, 'utf8')
    const first = await stage.send('reader', 'GET /get_content_by_tag?collection_name=source&limit=10')
    const { next_cursor: cursor } = first.body as { next_cursor: string }
    const firstPage = `${whole.split('\n').slice(0, 10).join('\n')}\n`
    // The state after the process is killed while it writes the second page.
    writeFileSync(`${file}.part`, whole)
    truncateSync(`${file}.part`, Buffer.byteLength(firstPage) + 50)
    const bookmark = { collection: 'source', filter: '', cursor, bytes: Buffer.byteLength(firstPage), documents: 10 }
    writeFileSync(`${file}.part.json`, JSON.stringify(bookmark))
    writeFileSync(file, 'the export before')
    const resumed = await run(['export', '--collection', 'source', '--output', file])
    expect(resumed.errors).toMatch(/^source: 15 written, 10 were there$/m)
    expect(readFileSync(file, 'utf8')).toBe(whole)
  })

  test('writes files as they were loaded, with their metadata; a second time only what has changed', async () => {
    const bytes = '<title>A</title><p>one'
    for (const doc_id of ['a/b.html', '../c.html'])
      await stage.sendFile('writer', 'collection_name=originals', { name: 'x.html', bytes }, { doc_id, level: 3 })
    const out = join(folder, 'originals')
    const command = ['export', '--collection', 'originals', '--files', out]
    expect((await run(command)).errors).toMatch(/^originals: 2 written$/m)
    expect(readdirSync(out).sort()).toEqual([
      '%2E.%2Fc.html',
      '%2E.%2Fc.html.metadata.json',
      'a%2Fb.html',
      'a%2Fb.html.metadata.json',
    ])
    expect(readFileSync(join(out, 'a%2Fb.html'), 'utf8')).toBe(bytes)
    expect(JSON.parse(readFileSync(join(out, 'a%2Fb.html.metadata.json'), 'utf8'))).toEqual({
      doc_id: 'a/b.html',
      level: 3,
    })
    const before = statSync(join(out, 'a%2Fb.html')).mtimeMs
    writeFileSync(join(out, '%2E.%2Fc.html'), 'damaged')
    expect((await run(command)).errors).toMatch(/^originals: 1 written, 1 were there$/m)
    expect(statSync(join(out, 'a%2Fb.html')).mtimeMs).toBe(before)
    const loaded = await run(['load', out, '--collection', 'originals again'])
    expect(loaded).toMatchObject({ code: 0, output: 'originals again: 2 created\n' })
    expect((await detailsOf('originals again')).map(({ doc_id }) => doc_id)).toEqual(['../c.html', 'a/b.html'])
  })
})

describe('docket documents evaluate', () => {
  test('loads a test collection, sends its queries and measures the results', async () => {
    const corpus = ['apple', 'pear', 'plum'].map((fruit) =>
      JSON.stringify({ id: fruit, title: '', text: `The ${fruit} is ripe.` }),
    )
    write('task/corpus.jsonl', corpus.join('\n'))
    write(
      'task/queries.jsonl',
      ['{"id":"q1","text":"ripe apple"}', '{"id":"q2","text":"a plum"}', '{"id":"q3","text":"not judged"}'].join('\n'),
    )
    write('task/qrels.tsv', 'q1\tapple\t1\nq2\tplum\t2\nq2\tcherry\t1\n')
    const report = join(folder, 'report.json')
    const outcome = await run(['evaluate', join(folder, 'task'), '--collection', 'task', '--load', '--report', report])
    const half = (1 / (1 + 0.5 / Math.log2(3))).toFixed(4)
    expect(outcome.code).toBe(0)
    expect(outcome.output).toBe(
      `questions   2\nmode        lexical\nnDCG@10     ${((1 + Number(half)) / 2).toFixed(4)}\nMAP         0.7500\nrecall@10   0.7500\nrecall@100  0.7500\n`,
    )
    const written = JSON.parse(readFileSync(report, 'utf8'))
    expect(written).toMatchObject({
      collection: 'task',
      queries: 2,
      map: 0.75,
      questions: [
        { id: 'q1', map: 1, missed: [] },
        { id: 'q2', text: 'a plum', map: 0.5, first: ['plum'], missed: ['cherry'] },
      ],
    })
    const apart = await run([
      'evaluate',
      '--collection',
      'task',
      '--queries',
      join(folder, 'task/queries.jsonl'),
      '--qrels',
      join(folder, 'task/qrels.tsv'),
    ])
    expect(apart.output).toBe(outcome.output)
  })
})

describe('what cannot be done is one sentence with the cure', () => {
  const file = () => write('one.txt', 'one')
  const at = (DOCKET_URL: string, DOCKET_TOKEN = stage.keys.writer) => ({ DOCKET_URL, DOCKET_TOKEN })

  test.each([
    ['no key', 2, () => ({ DOCKET_URL: stage.docket.baseUrl }), /^DOCKET_TOKEN is not set: put an API key into it/],
    [
      'a wrong key',
      1,
      () => at(stage.docket.baseUrl, 'x'.repeat(64)),
      /does not let the key of DOCKET_TOKEN in: .* Make one with docket token create\.\n$/,
    ],
    [
      'a key that may not load',
      1,
      () => at(stage.docket.baseUrl, stage.keys.reader),
      /rejects the request: You need the role document_writer/,
    ],
    [
      'nobody at the address',
      1,
      () => at('http://127.0.0.1:3'),
      /^No Docket responds at http:\/\/127\.0\.0\.1:3 \(ECONNREFUSED\): start it, or name another by --server or DOCKET_URL\.\n$/,
    ],
    ['no address', 2, () => at('desk.example.com'), /^DOCKET_URL is "desk\.example\.com": it must be an address/],
  ] as const)('%s', async (_, code, of, says) => {
    const outcome = await runCommand(of(), ['documents', 'load', file(), '--collection', 'refused'])
    expect(outcome).toEqual({ code, output: '', errors: expect.stringMatching(says) })
  })

  test('another server', async () => {
    const other = createServer((_, response) => void response.end('<html>Welcome</html>'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const outcome = await run(['load', file(), '--collection', 'x', '--server', address])
    other.closeAllConnections()
    other.close()
    expect(outcome).toEqual({
      code: 1,
      output: '',
      errors: `The server at ${address} is not Docket (status 200): give the address of Docket with --server or DOCKET_URL.\n`,
    })
  })

  test.each([
    [
      ['load', '/no/such/file', '--collection', 'x'],
      2,
      '/no/such/file is not there: name files and folders that this account can read.\n',
    ],
    [['export', '--collection', 'source'], 2, 'Name either --output, for texts, or --files, for files.\n'],
    [['evaluate', '--collection', 'x'], 2, 'Name a folder with queries.jsonl, or the file by --queries.\n'],
    [
      ['evaluate', '/no/such', '--collection', 'x'],
      2,
      '/no/such/qrels.tsv cannot be read (ENOENT): name a file that is there.\n',
    ],
  ])('%j', async (args, code, errors) => {
    expect(await run(args)).toEqual({ code, output: '', errors })
  })

  test('an absent collection', async () => {
    const outcome = await run(['export', '--collection', 'absent', '--output', '-'])
    expect(outcome).toEqual({
      code: 1,
      output: '',
      errors: `${stage.docket.baseUrl} rejects the request: There is no collection absent.\n`,
    })
  })

  test('two files that would be one document', async () => {
    const [one, other] = [write('one/a.txt', '1'), write('two/a.txt', '2')]
    const outcome = await run(['load', one, other, '--collection', 'x'])
    expect(outcome.errors).toBe(
      `${one} and ${other} would both be the document a.txt: load them apart, one with --prefix.\n`,
    )
    const apart = await run(['load', one, '--collection', 'apart', '--prefix', 'one/'])
    expect(apart.output).toBe('apart: 1 created\n')
    expect((await detailsOf('apart')).map(({ doc_id }) => doc_id)).toEqual(['one/a.txt'])
  })
})

test('the hash of a document is that of its file', async () => {
  const line = 'GET /get_list_of_documents_names?details=1&collection_name=apart'
  const [details] = ((await stage.send('reader', line)).body as { data: { sha256: string }[] }).data
  expect(details?.sha256).toBe(createHash('sha256').update('1').digest('hex'))
})
