import { type JsonObject, schemaRef } from '../../http/openapi/json-schema.ts'

const TEXT: JsonObject = { type: 'string' }
const COUNT: JsonObject = { type: 'integer', minimum: 0 }

const object = (description: string, properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  description,
  required,
  properties,
})
const result = (description: string, schema: JsonObject): JsonObject => object(description, { result: schema })
const list = (items: JsonObject): JsonObject => ({ type: 'array', items })

const GROUP_OR_ALL = {
  stats: {
    type: 'object',
    description: '`count`, and `sum`, `avg`, `min`, `max` by column; all texts.',
    additionalProperties: { anyOf: [TEXT, { type: 'object', additionalProperties: TEXT }] },
  },
} satisfies JsonObject

/** Schemas of the API for clients of ServiceNow. Which columns a table has depends on the dictionary (`/api/now/ui/meta/{table}`). */
export const NOW_SCHEMAS: JsonObject = {
  NowFailure: object('An error.', {
    error: object('What is wrong.', { message: TEXT, detail: { type: ['string', 'null'] } }),
    status: { const: 'failure' },
    request_id: { ...TEXT, description: 'Names the request in the log of the server.' },
  }),
  OauthFailure: object('An error of RFC 6749.', { error: TEXT, error_description: TEXT }),
  OauthTokenForm: object(
    'A request for tokens.',
    {
      grant_type: { enum: ['password', 'refresh_token', 'client_credentials'] },
      client_id: { ...TEXT, description: 'Also as the user name of Basic.' },
      client_secret: { ...TEXT, description: 'Also as the password of Basic.' },
      username: TEXT,
      password: TEXT,
      refresh_token: TEXT,
    },
    ['grant_type'],
  ),
  OauthRevokeForm: object('A token to be ended.', { token: TEXT }),
  NowField: {
    description: 'A text; an object for a reference with a link, and for `sysparm_display_value=all`.',
    anyOf: [TEXT, object('Value, display value and address.', { value: TEXT, display_value: TEXT, link: TEXT }, [])],
  },
  NowFields: {
    type: 'object',
    description: 'Columns of a record. One that the caller may not read has no key.',
    additionalProperties: schemaRef('NowField'),
  },
  NowRecord: result('One record.', schemaRef('NowFields')),
  NowRecords: result('Records.', list(schemaRef('NowFields'))),
  NowValues: {
    type: 'object',
    description: 'Columns and their new values; `""` and null empty a column.',
    additionalProperties: {
      anyOf: [{ type: ['string', 'number', 'boolean', 'null'] }, object('What a read gave.', { value: TEXT }, [])],
    },
  },
  NowFile: { type: 'object', description: 'A file of a record; all texts.', additionalProperties: TEXT },
  NowAttachment: result('One file.', schemaRef('NowFile')),
  NowAttachments: result('Files.', list(schemaRef('NowFile'))),
  NowUpload: object('A form.', {
    table_name: TEXT,
    table_sys_id: TEXT,
    uploadFile: { ...TEXT, format: 'binary', description: 'The file, under any name.' },
  }),
  NowGroup: object(
    'A group, or all records.',
    {
      ...GROUP_OR_ALL,
      groupby_fields: list(
        object('A field of the group.', { field: TEXT, value: TEXT, display_value: TEXT }, ['field']),
      ),
    },
    ['stats'],
  ),
  NowStats: result('Aggregates: an object, with groups an array.', {
    anyOf: [schemaRef('NowGroup'), list(schemaRef('NowGroup'))],
  }),
  NowCurrentUser: result(
    'The caller.',
    object('A user.', {
      user_sys_id: TEXT,
      user_name: TEXT,
      user_display_name: TEXT,
      user_initials: TEXT,
      user_avatar: TEXT,
    }),
  ),
  NowTables: result('Tables.', list(object('A table.', { label: TEXT, value: TEXT }))),
  NowColumns: result(
    'A table.',
    object('Its columns.', {
      columns: {
        type: 'object',
        additionalProperties: object('A column.', {
          label: TEXT,
          name: TEXT,
          type: TEXT,
          reference: TEXT,
          mandatory: { type: 'boolean' },
          read_only: { type: 'boolean' },
          max_length: { type: ['integer', 'null'] },
          choices: list(object('A choice.', { label: TEXT, value: TEXT })),
        }),
      },
    }),
  ),
  NowAddress: object('An address.', { url: { ...TEXT, description: 'Such as `incident_list.do?sysparm_query=…`.' } }),
  NowText: result('A text.', TEXT),
  NowHeader: object('A header.', { name: TEXT, value: TEXT }),
  NowBatch: object(
    'Requests.',
    {
      batch_request_id: TEXT,
      rest_requests: list(
        object(
          'A request.',
          {
            id: TEXT,
            method: TEXT,
            url: { ...TEXT, description: 'A path below /api/.' },
            headers: list(schemaRef('NowHeader')),
            body: { ...TEXT, description: 'In base64.' },
            exclude_response_headers: { type: 'boolean' },
          },
          ['id', 'method', 'url'],
        ),
      ),
    },
    [],
  ),
  NowBatchResponse: object('Responses.', {
    batch_request_id: TEXT,
    serviced_requests: list(
      object(
        'A response.',
        {
          id: TEXT,
          status_code: { type: 'integer' },
          status_text: TEXT,
          headers: list(schemaRef('NowHeader')),
          body: { ...TEXT, description: 'In base64.' },
          execution_time: { type: 'integer', description: 'Milliseconds.' },
        },
        ['id', 'status_code', 'status_text', 'headers', 'body', 'execution_time'],
      ),
    ),
    unserviced_requests: list(TEXT),
  }),
  NowUnload: object('Records as an instance exports them.', {
    records: list({ type: 'object', additionalProperties: true }),
  }),
  NowUnloaded: result(
    'What became of the records.',
    object('Counts.', {
      inserted: COUNT,
      updated: COUNT,
      skipped: COUNT,
      failed: COUNT,
      errors: list(object('An error.', { table: TEXT, line: COUNT, message: TEXT })),
      ignored_columns: list(TEXT),
      unknown_authors: list(TEXT),
    }),
  ),
}
