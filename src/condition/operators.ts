/**
 * The canonical operators of an encoded query (docs/spec/records.md, section 6). Spellings that mean the same (`NOT IN`, `NOTIN`)
 * are one operator here; `operator-spellings.ts` has the spellings.
 *
 * `=` with an empty value is read as ISEMPTY and `!=` with an empty value as ISNOTEMPTY, so later stages never see them.
 */
export const OPERATORS = [
  '=',
  '!=',
  '<',
  '>',
  '<=',
  '>=',
  'IN',
  'NOT IN',
  'LIKE',
  'NOT LIKE',
  'STARTSWITH',
  'NOTSTARTSWITH',
  'ENDSWITH',
  'ISEMPTY',
  'ISNOTEMPTY',
  'EMPTYSTRING',
  'ANYTHING',
  'BETWEEN',
  'SAMEAS',
  'NSAMEAS',
  'GT_FIELD',
  'LT_FIELD',
  'GT_OR_EQUALS_FIELD',
  'LT_OR_EQUALS_FIELD',
  'ON',
  'NOTON',
  'RELATIVEGT',
  'RELATIVEGE',
  'RELATIVELT',
  'RELATIVELE',
  'RELATIVEEE',
  'DATEPART',
  'HAS',
  'HASNOT',
  'DYNAMIC',
  'CONTAINS_DYNAMIC',
  'DOESNOTCONTAIN_DYNAMIC',
  'ARE',
  'INSTANCEOF',
  'MATCH_PAT',
  'MATCH_RGX',
] as const

export type Operator = (typeof OPERATORS)[number]

/** They search for a text: for a reference in its display value, for a list in those of its members. */
export const TEXT_OPERATORS: ReadonlySet<Operator> = new Set([
  'LIKE',
  'NOT LIKE',
  'STARTSWITH',
  'NOTSTARTSWITH',
  'ENDSWITH',
])

/** They search for a text or a pattern in the value; trigram indexes serve them. */
export const PATTERN_OPERATORS: ReadonlySet<Operator> = new Set(['LIKE', 'STARTSWITH', 'ENDSWITH', 'MATCH_PAT'])

/** The operator that holds where a negated one does not. */
export const POSITIVE_OPERATORS: { readonly [O in Operator]?: Operator } = {
  '!=': '=',
  'NOT IN': 'IN',
  'NOT LIKE': 'LIKE',
  NOTSTARTSWITH: 'STARTSWITH',
}
