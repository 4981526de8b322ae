import { z } from 'zod'
import { ANONYMOUS } from '../../http/endpoint/access.ts'
import { declare, type Endpoint, type EndpointResponse } from '../../http/endpoint/declare.ts'
import type { EndpointRequest } from '../../http/endpoint/endpoint-request.ts'
import { type Grant, type GrantFailure, grantTokens, type OauthDeps, revokeToken } from '../../identity/oauth-tokens.ts'
import { readCredentials } from '../../identity/read-credentials.ts'
import type { Problem } from '../../kernel/problem.ts'
import { fail, type Result, succeed } from '../../kernel/result.ts'
import { oauthErrors } from './oauth-errors.ts'

/** Dependencies of the OAuth endpoints. */
export interface OauthEndpointDeps {
  readonly oauth: OauthDeps
}

const text = (description: string) => z.string().max(4_000).optional().meta({ description })

const TokenForm = z.looseObject({
  grant_type: text('`password`, `refresh_token` or `client_credentials`.'),
  client_id: text('Of the client; also as the user name of Basic.'),
  client_secret: text('Of the client; also as the password of Basic.'),
  username: text('With `password`: the user.'),
  password: text('With `password`: their password.'),
  refresh_token: text('With `refresh_token`.'),
})

const OauthTokens = z
  .object({
    access_token: z.string().meta({ description: 'For `Authorization: Bearer`.' }),
    refresh_token: z
      .string()
      .optional()
      .meta({ description: 'For the next access token; not with client credentials.' }),
    scope: z.literal('useraccount').meta({ description: 'All that the user may do.' }),
    token_type: z.literal('Bearer').meta({ description: 'How the access token is sent.' }),
    expires_in: z.int().meta({ description: 'Seconds until the access token ends.' }),
  })
  .meta({ id: 'OauthTokens', description: 'Tokens; only their hashes are stored.' })

const tokenEndpoint = declare({
  id: 'oauthToken',
  path: '/oauth_token.do',
  methods: ['POST'],
  tag: 'ServiceNow',
  summary: 'Get OAuth tokens',
  description:
    'The token endpoint of OAuth 2.0 (RFC 6749) for clients of `oauth_entity`: passwords, refresh tokens, client credentials.',
  access: ANONYMOUS,
  input: {},
  otherNames: 'ignored',
  receives: 'small-json-or-form',
  form: TokenForm,
  output: OauthTokens,
  errors: [400, 401, 429, 503],
  errorFormat: oauthErrors,
  isUndescribed: true,
  isGated: false,
  handle: async ({ oauth }: OauthEndpointDeps, _input, request) => respondToTokenRequest(oauth, request),
})

async function respondToTokenRequest(
  oauth: OauthDeps,
  request: EndpointRequest,
): Promise<Result<EndpointResponse, Problem>> {
  const form = membersOf(request.body)
  const grant = readGrant(form)
  if (!grant.ok) return succeed(oauthError(400, grant.error.error, grant.error.detail))
  const client = readClientPair(form, request.headers.authorization)
  if (client === null)
    return succeed(
      oauthError(400, 'invalid_request', 'client_id and client_secret are needed, in the form or as Basic.'),
    )
  const issued = await grantTokens(oauth, { ...client, address: request.address }, grant.value)
  if (!issued.ok) return mapDatabaseError(issued.error)
  const { accessToken, refreshToken, expiresInSeconds } = issued.value
  return succeed(
    whole(200, {
      access_token: accessToken,
      ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
      scope: 'useraccount',
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
    }),
  )
}

type Form = Readonly<Record<string, string>>

/** Members that are not texts are ignored. */
const membersOf = (body: unknown): Form =>
  Object.fromEntries(
    Object.entries(typeof body === 'object' && body !== null ? body : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  )

interface OauthFailure {
  readonly error: string
  readonly detail: string
}

const SUPPORTED = 'password, refresh_token and client_credentials'

function readGrant(form: Form): Result<Grant, OauthFailure> {
  const { grant_type: kind, username, password, refresh_token: refreshToken } = form
  switch (kind) {
    case undefined:
      return invalid(`grant_type is needed: one of ${SUPPORTED}.`)
    case 'password':
      return username === undefined || password === undefined
        ? invalid('username and password are needed with grant_type=password.')
        : succeed({ kind, userName: username, password })
    case 'refresh_token':
      return refreshToken === undefined
        ? invalid('refresh_token is needed with grant_type=refresh_token.')
        : succeed({ kind, refreshToken })
    case 'client_credentials':
      return succeed({ kind })
    default:
      return fail({
        error: 'unsupported_grant_type',
        detail: `This server issues tokens for ${SUPPORTED}; it has no login page for authorization codes.`,
      })
  }
}

const invalid = (detail: string): Result<never, OauthFailure> => fail({ error: 'invalid_request', detail })

function readClientPair(
  form: Form,
  authorization: string | undefined,
): { readonly clientId: string; readonly clientSecret: string } | null {
  const { client_id: clientId, client_secret: clientSecret } = form
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret }
  const basic = readCredentials({ authorization, apiKey: undefined })
  if (!basic.ok || basic.value.kind !== 'password') return null
  return { clientId: basic.value.userName, clientSecret: basic.value.password }
}

/** A wrong client and a wrong password give the same response. */
function mapDatabaseError(failure: GrantFailure): Result<EndpointResponse, Problem> {
  switch (failure.kind) {
    case 'grant':
      return succeed(oauthError(400, 'invalid_grant', failure.detail))
    case 'unauthenticated':
      return succeed(
        oauthError(401, 'access_denied', 'The client or the user, or the secret of one of them, is wrong.'),
      )
    case 'too-many-attempts':
      return succeed(
        oauthError(429, 'temporarily_unavailable', 'Too many wrong attempts.', {
          'retry-after': String(failure.retryAfterSeconds),
        }),
      )
    default:
      return fail(failure)
  }
}

const oauthError = (
  status: number,
  error: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): EndpointResponse => whole(status, { error, error_description: detail }, headers)

const whole = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): EndpointResponse => ({
  whole: {
    status,
    headers: { 'cache-control': 'no-store', pragma: 'no-cache', ...headers },
    body: JSON.stringify(body),
  },
})

const RevokeForm = z.looseObject({ token: text('The token.') })

const revokeEndpoint = declare({
  id: 'oauthRevoke',
  path: '/oauth_revoke.do',
  methods: ['POST'],
  tag: 'ServiceNow',
  summary: 'End an OAuth token at once',
  description:
    'An access token, or a refresh token with all access tokens that it gave. Who has the token may end it. 200 for an unknown token, too (RFC 7009).',
  access: ANONYMOUS,
  input: { token: z.string().max(4_000).optional().meta({ description: 'The token; also in the form.' }) },
  otherNames: 'ignored',
  receives: 'small-json-or-form',
  form: RevokeForm,
  output: z.object({}).meta({ id: 'OauthRevoked', description: 'Nothing.' }),
  errors: [400],
  errorFormat: oauthErrors,
  isUndescribed: true,
  isGated: false,
  async handle({ oauth }: OauthEndpointDeps, { token }, { body }) {
    const named = token ?? membersOf(body)['token']
    if (named === undefined || named === '') return succeed(oauthError(400, 'invalid_request', 'token is needed.'))
    await revokeToken(oauth, named)
    return succeed(whole(200, {}))
  },
})

/** Tokens for clients that were written for ServiceNow. */
export const oauthEndpoints: readonly Endpoint<OauthEndpointDeps>[] = [tokenEndpoint, revokeEndpoint]
