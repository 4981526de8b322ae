import type { ConditionTree } from 'docket-client'
import { type ReactNode, useState } from 'react'
import type { TableInfo } from '../table/table-info.ts'
import { type Group, isGroup } from './condition-group.ts'
import { GroupEditor } from './group-editor.tsx'
import { MatchCount } from './match-count.tsx'
import { TermEditor } from './term-editor.tsx'
import { useTitlesWithin } from './term-title.ts'

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
    return (
      <GroupEditor
        group={group}
        isNew={group !== term}
        onSubmit={onSubmit}
        renderTitled={(draft, children) => (
          <Titled info={info} group={draft}>
            {children}
          </Titled>
        )}
        renderForm={(member, submit) => <TermEditor info={info} term={member} onSubmit={submit} />}
        renderCount={(applied) => <MatchCount info={info} query={applied === null ? null : queryWith(applied)} />}
      />
    )
  const startGroup = (first: ConditionTree | null): void => setGroup({ kind: 'any', of: first === null ? [] : [first] })
  return <TermEditor info={info} term={term} onSubmit={onSubmit} onGroup={startGroup} queryWith={queryWith} />
}

interface TitledProps {
  readonly info: TableInfo
  readonly group: Group
  readonly children: (titleOf: (term: ConditionTree) => string) => ReactNode
}

const Titled = ({ info, group, children }: TitledProps) => children(useTitlesWithin(info, group))
