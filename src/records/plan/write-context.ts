import type { Column } from '../../catalog/catalog.ts'
import type { AuthorizedRequest } from '../authorize/authorized-request.ts'
import { sentValue } from './body-values.ts'
import { columnWhere, type Rights } from './plan-row-access.ts'
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
  readonly authorized: AuthorizedRequest
  readonly rights: Rights
  readonly parts: WriteParts
}

export interface WriteRules {
  readonly allowed: Predicate
  readonly columnsAllowed: readonly { readonly column: string; readonly when: Predicate }[]
  readonly dependentChoices: readonly DependentChoice[]
  readonly builtInRules: readonly BuiltInRule[]
}

export function storedValue(column: Column, { authorized, rights }: WriteContext): StoredValue {
  return {
    column,
    sent: sentValue(column, authorized.request),
    visible: columnWhere('read', authorized.table, column, rights),
  }
}
