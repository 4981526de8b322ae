import type { RequestPart } from '../../kernel/problem.ts'

/** What a part of a record request is called in a query string. */
export const parameterName = (parameter: string | RequestPart): string =>
  typeof parameter === 'string' ? parameter : `sysparm_${parameter.part}`
