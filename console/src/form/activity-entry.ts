import type { CellRow } from 'docket-client'
import { t } from '../messages/i18n.ts'

export interface Entry {
  readonly key: string
  readonly kind: 'approval' | 'note' | 'comment' | 'file' | 'removed' | 'change' | 'created'
  readonly who: string
  /** UTC, as the API sends it. */
  readonly at: string
  readonly title: string
  readonly text: string
  /** Address of an attached file, whose name is `text`. */
  readonly href?: string
  readonly changes: readonly { readonly title: string; readonly from: string; readonly to: string }[]
}

/** When the approval was requested, and when it was decided. */
export function approvalEntries(row: CellRow): readonly Entry[] {
  const key = String(row['sys_id']?.value)
  const approver = row['approver']?.display_value ?? t('conflict.somebody')
  const shared = { kind: 'approval', changes: [] } as const
  const requested = {
    ...shared,
    key: `requested ${key}`,
    who: row['sys_created_by']?.display_value ?? 'Docket',
    at: String(row['sys_created_at']?.value),
    title: t('approval.requestedOf', { approver }),
    text: '',
  }
  const state = row['state']?.value
  if (row['decided_at']?.value == null || (state !== 'approved' && state !== 'rejected')) return [requested]
  const text = row['comment']?.display_value ?? ''
  const decided = {
    ...shared,
    key,
    who: approver,
    at: String(row['decided_at'].value),
    title: t(`approval.did.${state}`),
    text,
  }
  return [requested, decided]
}
