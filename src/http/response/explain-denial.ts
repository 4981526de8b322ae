import type { FastifyRequest } from 'fastify'
import { EXPLANATION_PATH } from '../../contract/explain.ts'
import { isDenial } from '../../identity/denial.ts'
import type { Problem } from '../../kernel/problem.ts'
import { baseUrlOf } from '../request/base-url.ts'
import { recordOf } from './report-denial.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** DOCKET_BASE_URL; undefined: links begin with the address that the caller used. */
    readonly givenBaseUrl: string | undefined
  }
}

/** Whose request was denied, on which record. */
export interface DeniedRequest {
  readonly userName: string
  /** null: the request names no record. */
  readonly recordId: string | null
}

/** @returns the path that explains which rules decide (`GET /rest/v1/acl/explain`); null: no access rule decides */
export function explanationPath(problem: Problem, { userName, recordId }: DeniedRequest): string | null {
  if (!isDenial(problem) || !('action' in problem)) return null
  const parameters = new URLSearchParams({
    table: problem.table,
    operation: problem.action,
    user: userName,
    ...(recordId === null ? {} : { sys_id: recordId }),
    ...(problem.kind === 'column-denied' ? { column: problem.column } : {}),
  })
  return `${EXPLANATION_PATH}?${parameters}`
}

/** The same as an address, for callers who may grant what is missing to themselves. Others get no hint of rules. */
export function explanationFor(request: FastifyRequest, problem: Problem): string | null {
  const { caller, server } = request
  if (caller?.principal.roles.has('security_admin') !== true) return null
  const { userName } = caller.principal
  const path = explanationPath(problem, { userName, recordId: recordOf(request, problem) })
  return path === null ? null : `${baseUrlOf(request, { baseUrl: server.givenBaseUrl })}${path}`
}
