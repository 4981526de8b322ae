import type { Column } from '../../catalog/catalog.ts'
import type { PermittedRequest } from '../authorize/permitted-request.ts'
import { sentValue } from './body-values.ts'
import { columnWhere, type Rights } from './grant-predicates.ts'
import type {
  Assignment,
  BuiltInRule,
  DependentChoice,
  JournalWrite,
  StoredValue,
  WriteCheck,
} from './planned-change.ts'
import type { Predicate } from './planned-predicate.ts'

/** What a write does. Each column of the body adds its part. */
export interface WriteParts {
  readonly assignments: Assignment[]
  readonly checks: WriteCheck[]
  readonly journals: JournalWrite[]
}

export interface WriteContext {
  readonly permitted: PermittedRequest
  readonly rights: Rights
  readonly parts: WriteParts
}

export interface WriteRules {
  readonly allowed: Predicate
  readonly columnsAllowed: readonly { readonly column: string; readonly when: Predicate }[]
  readonly dependentChoices: readonly DependentChoice[]
  readonly builtInRules: readonly BuiltInRule[]
}

export function storedValue(column: Column, { permitted, rights }: WriteContext): StoredValue {
  return {
    column,
    sent: sentValue(column, permitted.request),
    visible: columnWhere('read', permitted.table, column, rights),
  }
}
