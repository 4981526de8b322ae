/** PostgreSQL's report of a failed statement; other modules choose the error for the caller by it. */
export interface DatabaseFailure {
  /** SQLSTATE, five characters. */
  readonly code: string
  readonly message: string
  readonly detail: string
  readonly schema: string
  readonly table: string
  readonly column: string
  readonly constraint: string
}

/**
 * SQLSTATEs of a statement on a table that was changed since it was planned: undefined table or column, wrong type, undefined operator,
 * impossible conversion, missing privilege.
 */
export const CHANGED_TABLE: ReadonlySet<string> = new Set(['42P01', '42703', '42804', '42883', '42846', '42501'])

/** null: the error is not PostgreSQL's (a broken connection, a bug of ours). */
export function databaseFailureOf(error: unknown): DatabaseFailure | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  if (!/^[0-9A-Z]{5}$/.test(error.code)) return null
  const text = (name: string): string => {
    const value = (error as unknown as Record<string, unknown>)[name]
    return typeof value === 'string' ? value : ''
  }
  return {
    code: error.code,
    message: error.message,
    detail: text('detail'),
    schema: text('schema'),
    table: text('table'),
    column: text('column'),
    constraint: text('constraint'),
  }
}
