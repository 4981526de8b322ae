import type { RequestPart } from '../../kernel/problem.ts'

/** The query parameter of a part of a record request. */
export const parameterName = (parameter: string | RequestPart): string =>
  typeof parameter === 'string' ? parameter : `sysparm_${parameter.part}`
