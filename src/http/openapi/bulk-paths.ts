import { z } from 'zod'
import { BulkChangeAnswer, BulkChangeBody, ImportAnswer, JsonImportAnswer } from '../../contract/bulk.ts'
import { type JsonObject, schemaRef } from './json-schema.ts'
import { type ApiPart, inPath, inQuery, operation } from './write-openapi.ts'

const table = inPath('table', 'System name of a table, such as task.')
const text: JsonObject = { type: 'string' }
const importing = [
  inQuery(
    'key',
    'Columns that tell whether a record is there already, with commas; none: every row is new.',
    z.string(),
  ),
  inQuery('on_hit', 'What becomes of a record that is there.', z.enum(['update', 'skip']).default('update')),
  inQuery(
    'migrate',
    '1: records move in from another system (administrators only). sys_id, number, authors, times, states and journals are those of the file.',
    z.enum(['0', '1']),
  ),
  inQuery(
    'mapping',
    'Names of the file: `{"columns":{"Opened":"opened_at"},"values":{"state":{"New":"0"}}}`; `"*":null` leaves out other columns.',
    z.string(),
  ),
  inQuery(
    'sysparm_input_display_value',
    '1: values are as people read them, times in the time zone of the caller.',
    z.enum(['0', '1']),
  ),
  inQuery('dry_run', '1: tell what would be, keep nothing.', z.enum(['0', '1'])),
]
const raw = inQuery(
  'raw',
  "1: CSV cells are texts as they are; else a ' stands before what a spreadsheet would run.",
  z.enum(['0', '1']),
)
const errors = [400, 401, 403, 404, 408, 413, 415, 422, 500, 503]

/** Many records at once. */
export const bulkPart: ApiPart = {
  tags: [
    {
      name: 'Bulk',
      description:
        'Files of records. Rights are asked row by row: create for new records, write for those that are there. A bad row is told and loses no other.',
    },
  ],
  schemas: {
    Imported: ImportAnswer,
    JsonImported: JsonImportAnswer,
    BulkChanged: BulkChangeAnswer,
    BulkChange: BulkChangeBody,
  },
  paths: {
    '/rest/v1/import/{table}': {
      post: withBody(
        operation({
          id: 'import',
          tag: 'Bulk',
          summary: 'Import CSV or NDJSON',
          description: 'Row by row, with the rights of the caller. Rejected rows are listed and the others are kept.',
          parameters: [
            table,
            ...importing,
            inQuery('format', 'Where Content-Type does not tell it.', z.enum(['csv', 'ndjson'])),
            raw,
            inQuery('delimiter', 'Of CSV; default: told by the first line.', z.enum(['comma', 'semicolon', 'tab'])),
          ],
          answer: 'Imported',
          errors,
        }),
        { 'text/csv': { schema: text }, 'application/x-ndjson': { schema: text } },
      ),
    },
    '/rest/v1/bulk/{table}': {
      post: operation({
        id: 'bulk',
        tag: 'Bulk',
        summary: 'Change or delete all records that a query finds',
        description:
          'All of them or none, in one transaction, with the rights and rules of single writes. An error names the record. A bound on the number ' +
          'of records is in /limits.',
        parameters: [
          table,
          inQuery(
            'sysparm_input_display_value',
            '1: values are as people read them, times in the time zone of the caller.',
            z.enum(['0', '1']),
          ),
          {
            name: 'Idempotency-Key',
            in: 'header',
            description: 'The same request sent again under it within a day gets the first answer, and writes nothing.',
            schema: text,
          },
        ],
        body: schemaRef('BulkChange'),
        answer: 'BulkChanged',
        errors: [400, 401, 403, 404, 408, 409, 413, 415, 422, 500, 503],
      }),
    },
    '/v1/import/json': {
      post: withBody(
        operation({
          id: 'import.json',
          tag: 'Bulk',
          summary: 'Import a JSON file of tables and their rows',
          description: 'Also under /rest. At most 32 MB; more goes as NDJSON.',
          parameters: [
            ...importing,
            {
              name: 'Idempotency-Key',
              in: 'header',
              description:
                'The same file sent again under it within a day: rows that are in already are not written again.',
              schema: text,
            },
          ],
          answer: 'JsonImported',
          errors,
        }),
        {
          'multipart/form-data': {
            schema: {
              type: 'object',
              required: ['file'],
              properties: {
                file: { type: 'string', format: 'binary', description: '`{"table":[{"column":"value"}]}`' },
              },
            },
          },
        },
      ),
    },
    '/rest/v1/export/{table}': {
      get: withAnswer(
        operation({
          id: 'export',
          tag: 'Bulk',
          summary: 'Export records as CSV or NDJSON',
          description: 'All records that match and that the caller may read.',
          parameters: [
            table,
            inQuery('format', 'Form of the file.', z.enum(['csv', 'ndjson']).default('csv')),
            inQuery('sysparm_query', 'Encoded query: which records, in which order.', z.string()),
            inQuery(
              'sysparm_fields',
              'Fields, with commas; default: all columns that the caller may read.',
              z.string(),
            ),
            inQuery('sysparm_display_value', '1: as people read them.', z.enum(['0', '1'])),
            inQuery(
              'journals',
              '1: each journal column holds its entries, with sys_id, author and time, as an import with migrate=1 takes them.',
              z.enum(['0', '1']),
            ),
            raw,
          ],
          answer: {},
          errors: [400, 401, 403, 404, 422, 500, 503],
        }),
      ),
    },
  },
}

function withBody(written: JsonObject, content: JsonObject): JsonObject {
  return { ...written, requestBody: { required: true, content } }
}

function withAnswer(written: JsonObject): JsonObject {
  const content = { 'text/csv': { schema: text }, 'application/x-ndjson': { schema: text } }
  return {
    ...written,
    responses: { ...(written['responses'] as JsonObject), 200: { description: 'The file, as it is read.', content } },
  }
}
