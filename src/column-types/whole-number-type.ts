import { sql } from '../kernel/sql.ts'
import type { Aggregation, ColumnType, TextContext } from './column-type.ts'
import { parseDisplayedNumber } from './displayed-number.ts'
import type { Expression } from './expression.ts'
import { readWhole } from './given-value.ts'
import { bare, type JsonPiece, plain, plainText } from './json-piece.ts'

const LIMITS = {
  smallint: [-32_768n, 32_767n],
  integer: [-2_147_483_648n, 2_147_483_647n],
  bigint: [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n],
} as const

interface WholeNumbers {
  readonly title: string
  readonly storage: keyof typeof LIMITS
  /** Both ends inclusive. Absent: the range of the PostgreSQL type. */
  readonly range?: readonly [min: bigint, max: bigint]
}

/** A type whose values are integers. A JSON number cannot represent every PostgreSQL bigint, so these are texts. */
export function wholeNumberType({ title, storage, range }: WholeNumbers): ColumnType {
  const [min, max] = range ?? LIMITS[storage]
  const isText = storage === 'bigint'
  const pattern = `^${min < 0n ? '[+-]?' : ''}[0-9]{1,${String(max).length}}$`
  return {
    title,
    storage: { type: storage, index: 'btree' },
    compare: 'whole',
    read: isText ? plainText : bare,
    asText: plainText,
    write: {
      value: readWhole(min, max),
      // A percentage may decrease by ten, although it may not be minus ten.
      ...(range === undefined
        ? {}
        : { increment: { value: readWhole(...LIMITS.integer), min: Number(min), max: Number(max) } }),
      ...(isText ? { readsAsText: true as const } : {}),
    },
    display: { write: plainText, asText: displayWhole, parse: parseDisplayedNumber },
    convert: { group: 'whole', pattern, range: [String(min), String(max)] },
    aggregate: isText ? LARGE : SMALL,
    schema: { stored: () => (isText ? { type: 'string', pattern: '^-?\\d+$' } : { type: 'integer' }) },
  }
}

/** In APIs whose values are all texts, people read groups of thousands. */
const displayWhole = (value: Expression, { language }: Pick<TextContext, 'language'>): JsonPiece =>
  plain(sql`case when ${value} between -999 and 999 then ${value}::text
    else docket_system.show_exact(${value}::numeric, ${language}) end`)

/** Sums of small integers may exceed their range; means have at most four decimals. */
const SMALL: Aggregation = {
  sum: { write: (value) => sql`sum(${value})`, as: 'integer' },
  avg: { write: (value) => sql`round(avg(${value}), 4)::double precision`, as: 'float' },
  hasExtremes: true,
}

const LARGE: Aggregation = {
  sum: { write: (value) => sql`sum(${value})` },
  avg: { write: (value) => sql`round(avg(${value}))` },
  hasExtremes: true,
}
