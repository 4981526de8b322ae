import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DocumentStage, setDocumentStage } from './stage.ts'

/** Files that a browser displays (issue 13, 1). */

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
})
afterAll(() => stage.close())

const sandbox = "sandbox; default-src 'none'"
const html = '<!doctype html><html><body><h1>Guide</h1><script>alert(1)</script><p>Reset it.</p></body></html>'

test.each([
  [
    'guide.txt',
    Buffer.from('Plain text, Ёлка.'),
    { type: 'text/plain; charset=utf-8', kind: 'inline', policy: sandbox },
  ],
  // The ending of the name does not matter, and markup is displayed as plain text.
  ['page.txt', Buffer.from(html), { type: 'text/plain; charset=utf-8', kind: 'inline', policy: sandbox }],
  ['page.pdf', Buffer.from(html), { type: 'text/plain; charset=utf-8', kind: 'inline', policy: sandbox }],
  [
    'manual.pdf',
    readFileSync(new URL('../../fixtures/documents/manual.pdf', import.meta.url)),
    { type: 'application/pdf', kind: 'inline', policy: undefined },
  ],
])('inline=1 of %s', async (name, bytes, { type, kind, policy }) => {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), name)
  const loaded = await fetch(`${stage.docket.baseUrl}/load_document_to_collection?collection_name=shown`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${stage.keys.writer}` },
  })
  const { data } = (await loaded.json()) as { data: { doc_id: string } }
  expect(loaded.status).toBe(200)
  const path = `GET /get_document_file?collection_name=shown&id_value=${encodeURIComponent(data.doc_id)}`
  const displayed = await stage.send('reader', `${path}&inline=1`)
  expect([displayed.status, displayed.headers['content-type'], displayed.headers['content-security-policy']]).toEqual([
    200,
    type,
    policy,
  ])
  expect(displayed.headers['content-disposition']).toBe(`${kind}; filename="${name}"; filename*=UTF-8''${name}`)
  expect(displayed.headers['x-content-type-options']).toBe('nosniff')
  expect(displayed.headers['content-length']).toBe(String(bytes.length))
  const kept = await stage.send('reader', path)
  expect(kept.headers['content-disposition']).toMatch(/^attachment; /)
  expect(kept.headers['content-security-policy']).toBe(sandbox)
})

test('a text that was loaded as text is plain text, and another value is 400', async () => {
  await stage.send('writer', 'POST /load_text_to_collection?collection_name=shown', {
    text: 'Words.',
    metadata: { doc_id: 'words' },
  })
  const displayed = await stage.send('reader', 'GET /get_document_file?collection_name=shown&id_value=words&inline=1')
  expect([displayed.headers['content-type'], displayed.text]).toEqual(['text/plain; charset=utf-8', 'Words.'])
  expect(
    (await stage.send('reader', 'GET /get_document_file?collection_name=shown&id_value=words&inline=yes')).status,
  ).toBe(400)
})
