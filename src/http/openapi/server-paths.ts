import { z } from 'zod'
import { KeysAnswer, MadeKeyAnswer, MakeKeyBody, RevokedKeyAnswer } from '../../contract/api-keys.ts'
import { Description, successOf } from '../../contract/envelope.ts'
import { ACTIONS, ExplainAnswer } from '../../contract/explain.ts'
import { LimitsAnswer } from '../../contract/limits.ts'
import { LoginAnswer, LoginBody, LoginForm, LogoutAnswer, SessionAnswer } from '../../contract/login.ts'
import { TablesAnswer } from '../../contract/tables.ts'
import { type JsonObject, schemaRef } from './json-schema.ts'
import { type ApiPart, inPath, inQuery, operation } from './write-openapi.ts'

/** Logging in, keys, rights, and how the server is. */
export const serverPart: ApiPart = {
  tags: [
    { name: 'Access', description: 'Logging in and out, keys. Each address also stands under /rest.' },
    { name: 'Rights', description: 'Which rule decides, and why.' },
    { name: 'Server', description: 'Whether it is up, and what it takes.' },
  ],
  schemas: {
    Login: LoginBody,
    LoginForm,
    LoginAnswer,
    LogoutAnswer,
    Session: SessionAnswer,
    Tables: TablesAnswer,
    Reset: successOf(Description.extend({ result: z.literal(true).meta({ description: 'The dictionary was read.' }) })),
    NewKey: MakeKeyBody,
    Keys: KeysAnswer,
    MadeKey: MadeKeyAnswer,
    RevokedKey: RevokedKeyAnswer,
    Explanation: ExplainAnswer,
    Limits: LimitsAnswer,
    State: successOf(
      z.object({
        state: z.string().meta({ description: 'State of the server.' }),
        warnings: z
          .array(z.string())
          .optional()
          .meta({ description: 'What the operator should know, such as servers that do not share a file store.' }),
      }),
    ),
  },
  paths: {
    '/v1/auth/login': {
      post: operation({
        id: 'login',
        tag: 'Access',
        summary: 'Get an access key for a name and a password',
        description:
          'JSON, or the same members as a form (urlencoded or multipart), in which other members are ignored.',
        body: schemaRef('Login'),
        form: schemaRef('LoginForm'),
        answer: 'LoginAnswer',
        errors: [400, 401, 408, 413, 415, 422, 429, 500, 503],
        isOpen: true,
      }),
    },
    '/v1/auth/logout': {
      post: operation({
        id: 'logout',
        tag: 'Access',
        summary: 'End the key of a login at once',
        description:
          'The key of the request is no longer accepted. An API key is revoked by DELETE /v1/auth/keys/{id} instead.',
        answer: 'LogoutAnswer',
        errors: [401, 409, 500, 503],
      }),
    },
    '/v1/auth/session': {
      get: operation({
        id: 'session',
        tag: 'Access',
        summary: 'Who the caller is',
        description: 'The user behind the credentials, with roles, groups, language and time zone.',
        answer: 'Session',
        errors: [401, 500, 503],
      }),
    },
    '/rest/v1/table': {
      get: operation({
        id: 'tables.list',
        tag: 'Rights',
        summary: 'List the tables that you may read',
        description: 'Each with its title, its parent, and what the caller may do with its records.',
        answer: 'Tables',
        errors: [401, 500, 503],
      }),
    },
    '/v1/cache/reset-cache': resetPath('cache.reset'),
    '/v1/settings/flush-cache': resetPath('settings.flush'),
    '/v1/auth/keys': {
      get: operation({
        id: 'keys.list',
        tag: 'Access',
        summary: 'List API keys',
        description: 'Your own without user_id. The keys themselves are never shown again.',
        parameters: [inQuery('user_id', 'sys_id of another user, or `*` for all; administrators only.', z.string())],
        answer: 'Keys',
        errors: [400, 401, 403, 404, 500, 503],
      }),
      post: operation({
        id: 'keys.make',
        tag: 'Access',
        summary: 'Make an API key; it is shown once',
        description: 'With all roles of the user, or narrowed to some of them.',
        body: schemaRef('NewKey'),
        answer: 'MadeKey',
        errors: [400, 401, 403, 404, 408, 409, 413, 415, 422, 500, 503],
      }),
    },
    '/v1/auth/keys/{id}': {
      delete: operation({
        id: 'keys.revoke',
        tag: 'Access',
        summary: 'Revoke an API key at once',
        description: 'Your own; administrators revoke any key.',
        parameters: [inPath('id', 'Identifier of the key, from the list.')],
        answer: 'RevokedKey',
        errors: [401, 403, 404, 500, 503],
      }),
    },
    '/rest/v1/acl/explain': {
      get: operation({
        id: 'explain',
        tag: 'Rights',
        summary: 'Which rule decides, and why',
        description: 'For the roles admin and security_admin.',
        parameters: [
          { ...inQuery('table', 'System name of the table.', z.string()), required: true },
          inQuery('operation', 'What is to be done.', z.enum(ACTIONS).default('read')),
          inQuery('sys_id', 'A record: conditions are asked of it.', z.string()),
          inQuery('column', 'A column of the table.', z.string()),
          inQuery('user', 'Whose rights: a user name; your own without it.', z.string()),
        ],
        answer: 'Explanation',
        errors: [400, 401, 403, 404, 500, 503],
      }),
    },
    '/limits': {
      get: operation({
        id: 'limits',
        tag: 'Server',
        summary: 'What a request may hold',
        description: 'Every limit with its unit, and the status of a request that exceeds it.',
        answer: 'Limits',
        errors: [401, 500, 503],
      }),
    },
    '/metrics': {
      get: asText(
        operation({
          id: 'metrics',
          tag: 'Server',
          summary: 'Counts and times of requests since the process started',
          description: 'For the roles admin and metrics, in the text format 0.0.4 of Prometheus.',
          answer: {},
          errors: [401, 403, 500, 503],
        }),
      ),
    },
    '/health': {
      get: operation({
        id: 'health',
        tag: 'Server',
        summary: 'Whether the server answers',
        description: '200 as long as the process runs. The database is not asked.',
        answer: 'State',
        errors: [414],
        isOpen: true,
      }),
    },
    '/ready': {
      get: operation({
        id: 'ready',
        tag: 'Server',
        summary: 'Whether it can answer for records',
        description: '503 until the database responds and has the schema of this version.',
        answer: 'State',
        errors: [414, 500, 503],
        isOpen: true,
      }),
    },
  },
}

/** For clients that reset caches after a change of the dictionary. */
function resetPath(id: string): JsonObject {
  const note = {
    tag: 'Server',
    summary: 'Read the dictionary again',
    description: 'For administrators. Nothing needs it: every request is answered by the current dictionary.',
    parameters: [inQuery('access-token', 'The access key, for clients that cannot send a header.', z.string())],
    answer: 'Reset',
    errors: [401, 403, 500, 503],
  }
  return { get: operation({ ...note, id: `${id}.get` }), post: operation({ ...note, id }) }
}

/** An operation that answers with plain text. */
function asText(told: JsonObject): JsonObject {
  const responses = told['responses'] as JsonObject
  const done = responses['200'] as JsonObject
  return {
    ...told,
    responses: { ...responses, 200: { ...done, content: { 'text/plain': { schema: { type: 'string' } } } } },
  }
}
