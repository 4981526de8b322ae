import type { FastifyRequest } from 'fastify'
import type { Problem } from '../../kernel/problem.ts'
import type { ErrorAnswer } from './error-messages.ts'

/** How errors look below a path, for clients of another API. */
export interface ProblemForm {
  /** A path without a slash at its end. */
  readonly under: string
  readonly problem: (problem: Problem, about: AboutRequest) => ErrorAnswer
  /** Our own fault. */
  readonly internal: (about: AboutRequest) => ErrorAnswer
}

export interface AboutRequest {
  readonly requestId: string
  /** Of the caller; English where nobody is known. */
  readonly language: 'en' | 'ru'
}

/** null: the form of the native API. */
export function problemFormOf({ raw, server }: FastifyRequest): ProblemForm | null {
  const [path = ''] = (raw.url ?? '').split('?', 1)
  return server.problemForms.find(({ under }) => path === under || path.startsWith(`${under}/`)) ?? null
}

export const aboutRequest = ({ id, caller }: FastifyRequest): AboutRequest => ({
  requestId: id,
  language: caller?.principal.language ?? 'en',
})
