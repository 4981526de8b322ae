import { z } from 'zod'
import { DependentsAnswer } from '../../contract/dependents.ts'
import { ChangeEvent } from '../../contract/events.ts'
import { FollowAnswer, FollowBody } from '../../contract/follow.ts'
import { HistoryAnswer } from '../../contract/history.ts'
import { SecretAnswer, SentAgainAnswer } from '../../contract/webhooks.ts'
import { type JsonObject, schemaRef } from './json-schema.ts'
import { type ApiPart, inPath, inQuery, operation, sysIdInPath } from './write-openapi.ts'

const collection = inPath('name', 'Name of the collection.')

const EVENT: JsonObject = {
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: schemaRef('ChangeEvent'),
}

/** What became of records. */
export const changePart: ApiPart = {
  tags: [
    { name: 'Changes', description: 'Who changed what and when; changes as they happen.' },
    {
      name: 'Webhooks',
      description:
        'Rows of sys_webhook are told of changes by POST, as far as the user in its column run_as may read them: whoever set the address. sys_webhook_delivery tells how it went.',
    },
  ],
  schemas: {
    History: HistoryAnswer,
    Dependents: DependentsAnswer,
    ChangeEvent,
    WebhookSecret: SecretAnswer,
    SentAgain: SentAgainAnswer,
    Follow: FollowBody,
    FollowState: FollowAnswer,
  },
  paths: {
    '/rest/v1/table/{table}/{sys_id}/dependents': {
      get: operation({
        id: 'dependents',
        tag: 'Changes',
        summary: 'Show what a delete of a record would touch',
        description:
          'Records that refer to the record, by table and column, as far as the caller may read them, with what a DELETE does to them (on_delete of the column), and the error of a DELETE if it is blocked. Nothing is changed. If `blocked` is TOO_MANY_DEPENDENTS, the counts are those found until then.',
        parameters: [inPath('table', 'System name of a table, such as task.'), sysIdInPath()],
        answer: 'Dependents',
        errors: [401, 403, 404, 409, 422, 500, 503],
      }),
    },
    '/rest/v1/history/{table}/{sys_id}': {
      get: operation({
        id: 'history',
        tag: 'Changes',
        summary: 'Read the history of a record, newest change first',
        description:
          'For whoever may read sys_history: the changes of the columns that they may read. Tables whose is_audit is off have none.',
        parameters: [
          inPath('table', 'System name of a table, such as task.'),
          sysIdInPath(),
          inQuery('sysparm_limit', 'Most changes to return.', z.int().min(1).max(1_000).default(20)),
          inQuery('sysparm_page', 'Page of `sysparm_limit` changes to return, from 1.', z.int().min(1).default(1)),
          inQuery('sysparm_cursor', 'Where to go on, as X-Next-Cursor told it.', z.string()),
        ],
        answer: 'History',
        headers: ['X-Total-Count', 'Link', 'X-Next-Cursor'],
        errors: [400, 401, 403, 404, 500, 503],
      }),
    },
    '/rest/v1/events': {
      get: streamed(
        operation({
          id: 'events',
          tag: 'Changes',
          summary: 'Changes as they happen, as Server-Sent Events',
          description:
            'Events named `change`, each at least once and those of a record in order; an event `reset` says that changes since Last-Event-ID are no longer kept, or (`history-changed`) that the database lost its latest changes.',
          parameters: [
            inQuery('tables', 'Tables, with their children, with commas between them; default: all.', z.string()),
            inQuery('operations', 'create, update, delete, with commas between them; default: all.', z.string()),
            inQuery(
              'last_event_id',
              'Begin after this event; 0: with all that is kept. Default: from now on.',
              z.string(),
            ),
            {
              name: 'Last-Event-ID',
              in: 'header',
              description: 'What an EventSource sends when it comes back: it goes on there.',
              schema: { type: 'string' },
            },
          ],
          answer: {},
          errors: [400, 401, 403, 404, 500, 503],
        }),
      ),
    },
    '/collections/{name}/follow': {
      parameters: [collection],
      get: operation({
        id: 'follow.read',
        tag: 'Changes',
        summary: 'Read which table a collection follows, and how far it is',
        description: 'For administrators. 404 if the collection follows no table.',
        answer: 'FollowState',
        errors: [401, 403, 404, 500, 503],
      }),
      put: operation({
        id: 'follow.begin',
        tag: 'Changes',
        summary: 'Have a collection follow a table',
        description:
          'For administrators. The collection is bound to the table: a document is there for whoever may read its record. It is compared with the whole table once, and again when asked.',
        body: schemaRef('Follow'),
        answer: 'FollowState',
        errors: [400, 401, 403, 404, 408, 413, 415, 422, 500, 503],
      }),
      delete: operation({
        id: 'follow.end',
        tag: 'Changes',
        summary: 'End following; the documents stay',
        description: 'For administrators. The documents and the binding to the table stay.',
        answer: 'FollowState',
        errors: [401, 403, 404, 500, 503],
      }),
    },
    '/collections/{name}/follow/compare': {
      post: operation({
        id: 'follow.compare',
        tag: 'Changes',
        summary: 'Compare a followed collection with its table and mend what differs',
        description: 'For administrators. The whole table is compared with the documents in the background.',
        parameters: [collection],
        answer: 'FollowState',
        errors: [401, 403, 404, 500, 503],
      }),
    },
    '/rest/v1/webhooks/{sys_id}/secret': {
      post: operation({
        id: 'webhooks.secret',
        tag: 'Webhooks',
        summary: 'Give a webhook a new secret; it is shown once',
        description:
          'For whoever may write the webhook. Letters are signed with it from now on, as standardwebhooks.com says.',
        parameters: [inPath('sys_id', 'Identifier of the webhook.')],
        answer: 'WebhookSecret',
        errors: [401, 403, 404, 500, 503],
      }),
    },
    '/rest/v1/webhook_deliveries/{sys_id}/resend': {
      post: operation({
        id: 'webhooks.resend',
        tag: 'Webhooks',
        summary: 'Send a delivery again',
        description: 'Whether it was given up or delivered. For administrators.',
        parameters: [inPath('sys_id', 'Identifier of the row of sys_webhook_delivery.')],
        answer: 'SentAgain',
        errors: [401, 403, 404, 500, 503],
      }),
    },
  },
}

function streamed(written: JsonObject): JsonObject {
  const stream = {
    description: 'The stream; `data` of each event named `change` is a ChangeEvent.',
    content: { 'text/event-stream': { schema: EVENT } },
  }
  return { ...written, responses: { ...(written['responses'] as JsonObject), 200: stream } }
}
