import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DocumentStage, rejected, setDocumentStage } from './stage.ts'

let stage: DocumentStage
beforeAll(async () => {
  stage = await setDocumentStage()
  await stage.send('writer', 'POST /load_text_to_collection?collection_name=kb', { text: 'A document.' })
})
afterAll(() => stage.close())

/** Errors are those of the record service, in the language of the caller too (docs/spec/documents.md, section 1). */
test.each([
  [
    'an unknown collection',
    'POST /get_relevant_documents?query=x',
    { collection_names: ['kn'] },
    404,
    rejected('NOT_FOUND', 'Не найдено (коллекция): kn.'),
  ],
  [
    'a wrong number',
    'POST /get_relevant_documents?query=x&k=0',
    undefined,
    400,
    rejected('BAD_PARAMETER', 'Неверное значение параметра k. Ожидается: целое число от 1 до 1000. Получено: 0.', {
      field: 'k',
    }),
  ],
  [
    'a misspelt parameter',
    'POST /get_relevant_documents?query=x&colection_names=kb',
    undefined,
    400,
    rejected('BAD_PARAMETER', 'Параметра colection_names здесь нет. Возможно, имелось в виду: collection_names.', {
      field: 'colection_names',
    }),
  ],
  [
    'a filter with an order',
    'POST /get_content_by_tag?collection_name=kb',
    { tag_info: 'ORDERBYstatus' },
    400,
    rejected('BAD_QUERY', 'Ошибка в запросе, позиция 0: в фильтре нет сортировки.', { position: 0 }),
  ],
  [
    'metadata of the wrong type',
    'POST /load_text_to_collection?collection_name=kb',
    { text: 'x', metadata: { priority: 'high' } },
    422,
    rejected('INVALID_VALUE', 'Недопустимое значение metadata.priority: нужно целое число.', {
      field: 'metadata.priority',
    }),
  ],
  [
    'a text without words',
    'POST /load_text_to_collection?collection_name=kb',
    { text: '…' },
    422,
    rejected(
      'UNREADABLE_DOCUMENT',
      'Из документа не удалось извлечь текст: в нём нет ни букв, ни цифр (no-text, этап extract).',
    ),
  ],
  [
    'a missing right',
    'PUT /collections/kb',
    { chunk_units: 500 },
    403,
    rejected('ACCESS_DENIED', 'Для этого действия нужна роль admin: настройка коллекции.'),
  ],
])('%s is reported in Russian to users whose language is Russian', async (_what, line, body, status, response) => {
  const sent = await stage.send('pisatel', line, body)
  expect({ status: sent.status, body: sent.body }).toEqual({ status, body: response })
})

test('a file of another format is reported in Russian, with the formats that can be read', async () => {
  const old = Buffer.from('d0cf11e0a1b11ae1', 'hex')
  const sent = await stage.sendFile('pisatel', 'collection_name=kb', {
    name: 'a.doc',
    bytes: Buffer.concat([old, Buffer.alloc(600)]),
  })
  expect([sent.status, sent.body]).toEqual([
    415,
    rejected(
      'UNSUPPORTED_MEDIA_TYPE',
      'Неверный тип тела запроса. Ожидается: простой текст, Markdown, HTML, PDF, DOCX, PPTX, XLSX, ODT, ODP, ODS, RTF, EPUB, EML, CSV, TSV, JSON, JSONL, XML, исходный код. Получено: составной файл OLE.',
    ),
  ])
})

test('others read English', async () => {
  const sent = await stage.send('writer', 'POST /get_relevant_documents?query=x', { collection_names: ['kn'] })
  expect(sent.body).toEqual(rejected('NOT_FOUND', 'There is no collection kn.'))
})
