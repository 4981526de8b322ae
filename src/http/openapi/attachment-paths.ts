import { z } from 'zod'
import { AttachedAnswer } from '../../contract/attachments.ts'
import type { JsonObject } from './json-schema.ts'
import { type ApiPart, inPath, inQuery, operation } from './write-openapi.ts'

const attachment = inPath('sys_id', 'Identifier of the row of sys_attachment.')

/** Files of records. */
export const attachmentPart: ApiPart = {
  tags: [
    {
      name: 'Attachments',
      description:
        'Files of records, with the rights of the record. They are listed as rows of sys_attachment. Each address also stands under /rest.',
    },
  ],
  schemas: { Attached: AttachedAnswer },
  paths: {
    '/v1/attachments/upload/{table}/{sys_id}': {
      post: {
        ...operation({
          id: 'attachments.upload',
          tag: 'Attachments',
          summary: 'Attach files to a record',
          description: 'For whoever may write the record and create rows of sys_attachment. All of them or none.',
          parameters: [
            inPath('table', 'System name of the table, such as task.'),
            inPath('sys_id', 'Identifier of the record.'),
            inQuery(
              'migrate',
              '1: the file moves in from another system (administrators only). The fields sys_id, sys_created_at and sys_created_by before it are kept.',
              z.enum(['0', '1']),
            ),
          ],
          answer: 'Attached',
          errors: [400, 401, 403, 404, 408, 413, 415, 422, 500, 503],
        }),
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  'files[]': {
                    type: 'array',
                    items: { type: 'string', format: 'binary' },
                    description: 'The files.',
                  },
                },
              },
            },
          },
        },
      },
    },
    '/v1/attachments/{sys_id}/file': {
      get: {
        ...ranged(
          operation({
            id: 'attachments.file',
            tag: 'Attachments',
            summary: 'Read a file, or a range of its bytes',
            description: 'For whoever may read the record.',
            parameters: [
              attachment,
              {
                name: 'Range',
                in: 'header',
                description:
                  'A range of bytes, such as `bytes=1000-`. Several that lie apart are answered by the whole file.',
                schema: { type: 'string' },
              },
              {
                name: 'If-Range',
                in: 'header',
                description: 'The ETag that the range is of; when the file is another now, it comes whole.',
                schema: { type: 'string' },
              },
              {
                name: 'If-None-Match',
                in: 'header',
                description: 'ETags that the caller has the bytes of: one of them is answered with 304.',
                schema: { type: 'string' },
              },
            ],
            answer: {},
            errors: [401, 404, 412, 416, 500, 503],
          }),
        ),
      },
    },
    '/v1/attachments/{sys_id}': {
      delete: operation({
        id: 'attachments.delete',
        tag: 'Attachments',
        summary: 'Delete a file',
        description: 'For whoever may write the record and delete rows of sys_attachment.',
        parameters: [attachment],
        answer: 'Deleted',
        errors: [401, 403, 404, 500, 503],
      }),
    },
  },
}

function ranged(written: JsonObject): JsonObject {
  const content = { '*/*': { schema: { type: 'string', format: 'binary' } } }
  return {
    ...written,
    responses: {
      ...(written['responses'] as JsonObject),
      200: { description: 'The file, as an attachment.', content },
      206: { description: 'The bytes that were asked for.', content },
      304: { description: 'The caller has these bytes already.' },
    },
  }
}
