import type { ConditionTree } from 'docket-client'
import { useState } from 'react'
import type { TableInfo } from '../table/table-info.ts'
import { type Group, isGroup } from './condition-group.ts'
import { GroupEditor } from './group-editor.tsx'
import { TermEditor } from './term-editor.tsx'

interface ConditionEditorProps {
  readonly info: TableInfo
  /** null: a new condition. */
  readonly term: ConditionTree | null
  readonly onSubmit: (term: ConditionTree) => void
  /** The query of the list with this condition. */
  readonly queryWith: (term: ConditionTree) => string
}

/** One condition as a form, or a group of conditions. A form becomes a group when an alternative is added. */
export function ConditionEditor({ info, term, onSubmit, queryWith }: ConditionEditorProps) {
  const [group, setGroup] = useState<Group | null>(isGroup(term) ? term : null)
  if (group !== null)
    return <GroupEditor info={info} group={group} isNew={group !== term} onSubmit={onSubmit} queryWith={queryWith} />
  const startGroup = (first: ConditionTree | null): void => setGroup({ kind: 'any', of: first === null ? [] : [first] })
  return <TermEditor info={info} term={term} onSubmit={onSubmit} onGroup={startGroup} queryWith={queryWith} />
}
