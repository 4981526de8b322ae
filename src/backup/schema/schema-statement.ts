import type { Sql } from '../../kernel/sql.ts'

/** Docket's schemas. `graphile_worker` is not one of them: its jobs only start work that rows describe. */
export const ownSchemas = ['docket', 'docket_documents', 'docket_system'] as const

/** A statement that creates one object. */
export interface SchemaStatement {
  readonly text: string
  /** A relation outside of these schemas that it refers to: if it is missing, the statement is left out. */
  readonly needs?: string | undefined
  /** The alternative for a server that cannot create it. */
  readonly fallback?: string | undefined
}

/** Runs a query that returns texts, and returns them as statements in its order. */
export type ReadStatements = (query: Sql<StatementRow>) => Promise<readonly SchemaStatement[]>
interface StatementRow {
  readonly text: string
  readonly needs?: string | null
  readonly fallback?: string | null
}
