import type { RawBuilder } from 'kysely'

/** An SQL expression. */
export type Expression = RawBuilder<unknown>
