import type { Catalog } from '../../catalog/catalog.ts'
import type { ConditionComparison, Operand } from '../../condition/condition-tree.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Problem } from '../../kernel/problem.ts'
import type { Result } from '../../kernel/result.ts'
import type { TextSamples } from '../text-samples.ts'

/** Who sends a request, and when. Rules depend on nothing else. */
export interface Caller {
  readonly principal: Principal
  readonly nowMs: number
  readonly catalog: Catalog
}

/** Everything else that differs between requests that share a plan. */
export interface RequestValues {
  /** The conditions of the caller's query, in reading order. */
  readonly comparisons: readonly ConditionComparison[]
  /** The numbers with which counts of rows of other tables are compared, in reading order. */
  readonly counts: readonly number[]
  readonly writes: ReadonlyMap<string, unknown>
  readonly sysId: string | null
  readonly limit: number
  readonly offset: number
  /** Sort keys of the cursor's row, as texts; empty without a cursor. */
  readonly after: readonly (string | null)[]
  readonly tags: readonly string[]
  /** Maximum length of texts, in characters; 0: no limit. */
  readonly maxText: number
  /** The values of sysparm_having, in its order. */
  readonly having: readonly Operand[]
  readonly samples: Pick<TextSamples, 'of'>
  readonly identityEpoch: string
  readonly baseUrl: string
}

type Values = Result<readonly unknown[], Problem>

/** Computes the values of one or more parameters that belong together, or returns the error in the caller's input. */
export type ValueSource =
  /** The only kind in conditions of rules: these are part of statements, too, that no record request fills. */
  | { readonly of: 'caller'; readonly read: (caller: Caller) => Values }
  /** Sources with the same key give the same values. */
  | { readonly of: 'request'; readonly read: (request: RequestValues, caller: Caller) => Values; readonly key?: string }

export const ofCaller = (read: (caller: Caller) => Values): ValueSource => ({ of: 'caller', read })

export const ofRequest = (read: (request: RequestValues, caller: Caller) => Values, key?: string): ValueSource => ({
  of: 'request',
  read,
  ...(key === undefined ? {} : { key }),
})

export function isSameSource(one: ValueSource, other: ValueSource): boolean {
  if (one === other) return true
  return one.of === 'request' && other.of === 'request' && one.key !== undefined && one.key === other.key
}

export function readSource(source: ValueSource, caller: Caller, request: RequestValues): Values {
  return source.of === 'caller' ? source.read(caller) : source.read(request, caller)
}

/** A class, so that `instanceof` can tell a parameter from a value of any shape. */
export class Param {
  readonly source: ValueSource
  readonly index: number
  constructor(source: ValueSource, index: number) {
    this.source = source
    this.index = index
  }
}
