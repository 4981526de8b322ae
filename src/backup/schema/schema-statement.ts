import type { RawBuilder } from 'kysely'

/** The schemas that are Docket's. `graphile_worker` is not among them: its jobs only start work that rows describe. */
export const ownSchemas = ['docket', 'docket_documents', 'docket_system'] as const

/** A statement that makes one object. */
export interface SchemaStatement {
  readonly text: string
  /** A relation outside of these schemas that it refers to: without it, the statement is left out. */
  readonly needs?: string | undefined
  /** What is made instead on a server that cannot make it. */
  readonly fallback?: string | undefined
}

/** A query of texts, as statements in its order. */
export type ReadStatements = (query: RawBuilder<StatementRow>) => Promise<readonly SchemaStatement[]>
interface StatementRow {
  readonly text: string
  readonly needs?: string | null
  readonly fallback?: string | null
}
