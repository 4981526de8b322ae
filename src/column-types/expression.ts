import type { RawBuilder } from 'kysely'

/** A piece of SQL with a value. */
export type Expression = RawBuilder<unknown>
