import { z } from 'zod'
import { HistoryAnswer } from '../../contract/history.ts'
import { type ApiPart, inPath, inQuery, operation } from './write-openapi.ts'

/** What became of records. */
export const changePart: ApiPart = {
  tags: [{ name: 'Changes', description: 'Who changed what and when.' }],
  schemas: { History: HistoryAnswer },
  paths: {
    '/rest/v1/history/{table}/{sys_id}': {
      get: operation({
        id: 'history',
        tag: 'Changes',
        summary: 'Read the history of a record, newest change first',
        description:
          'For whoever may read sys_history: the changes of the columns that they may read. Tables whose is_audit is off have none.',
        parameters: [
          inPath('table', 'System name of a table, such as task.'),
          inPath('sys_id', 'Identifier of the record: digits.', { type: 'string', pattern: '^\\d{1,18}$' }),
          inQuery('sysparm_limit', 'Most changes to return.', z.int().min(1).max(1_000).default(20)),
          inQuery('sysparm_page', 'Page of `sysparm_limit` changes to return, from 1.', z.int().min(1).default(1)),
          inQuery('sysparm_cursor', 'Where to go on, as X-Next-Cursor told it.', z.string()),
        ],
        answer: 'History',
        headers: ['X-Total-Count', 'Link', 'X-Next-Cursor'],
        errors: [400, 401, 403, 404, 500, 503],
      }),
    },
  },
}
