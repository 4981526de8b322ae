import type { ConditionTree } from 'docket-client'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import {
  appliedGroup,
  type Group,
  type MemberPath,
  type Move,
  memberAt,
  movedBy,
  movedTo,
  withMember,
} from './condition-group.ts'
import { useGroupDrag } from './group-drag.ts'
import { GroupRows } from './group-rows.tsx'
import css from './list.module.css'

interface GroupEditorProps {
  readonly group: Group
  /** The group has just been started: its next condition is chosen first. */
  readonly isNew: boolean
  readonly onSubmit: (term: ConditionTree) => void
  /** Renders what needs the titles of the conditions in a group. */
  readonly renderTitled: (group: Group, children: (titleOf: (term: ConditionTree) => string) => ReactNode) => ReactNode
  /** The form of one condition; null: a new one. */
  readonly renderForm: (member: ConditionTree | null, onSubmit: (member: ConditionTree) => void) => ReactNode
  /** What the group would find; null: it has no condition. */
  readonly renderCount?: (applied: ConditionTree | null) => ReactNode
}

const rowAt = (path: MemberPath): string => `[data-member="${path.join('.')}"]`
const gripAt = (path: MemberPath): string => `[data-grip="${path.join('.')}"]`

/** Edits conditions of which all or any must match, with groups within groups. */
export function GroupEditor({ group, isNew, onSubmit, renderTitled, renderForm, renderCount }: GroupEditorProps) {
  const [draft, setDraft] = useState(group)
  const [before, setBefore] = useState<readonly Group[]>([])
  const [hasMoved, setMoved] = useState(false)
  const [picked, setPicked] = useState<string | null>(null)
  const [edited, setEdited] = useState<MemberPath | null>(isNew ? [group.of.length] : null)
  const [focus, setFocus] = useState<string | null>(null)
  const rows = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (focus === null) return
    const wanted = rows.current?.querySelector<HTMLElement>(focus)
    ;(wanted ?? rows.current?.querySelector<HTMLElement>('[data-add]'))?.focus()
    setFocus(null)
  }, [focus])
  const put = (next: Group): void => {
    setBefore([...before, draft])
    setMoved(false)
    setPicked(null)
    setDraft(next)
  }
  const move = (made: Move | null): void => {
    if (made === null) return
    put(made.group)
    setMoved(true)
    setFocus(gripAt(made.path))
  }
  const undo = (): void => {
    const last = before.at(-1)
    if (last === undefined) return
    setDraft(last)
    setBefore(before.slice(0, -1))
    setMoved(false)
    setPicked(null)
    setFocus(gripAt([0]))
  }
  const drag = useGroupDrag(draft, (from, to) => move(movedTo(draft, from, to)))
  const applied = appliedGroup(draft)
  if (edited !== null) {
    const leave = (): void => {
      setEdited(null)
      setFocus(rowAt(edited))
    }
    return (
      <>
        <button type="button" className={ui.item} onClick={leave}>
          <Icon name="back" size={14} /> {t('filterGroup.backToGroup')}
        </button>
        {renderForm(memberAt(draft, edited) ?? null, (member) => {
          put(withMember(draft, edited, member))
          leave()
        })}
      </>
    )
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const isUndo = event.code === 'KeyZ' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
    if (!isUndo) return
    event.preventDefault()
    event.stopPropagation()
    undo()
  }
  return (
    <form
      ref={rows}
      className={css.termForm}
      data-row=""
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        if (applied !== null) onSubmit(applied)
      }}
    >
      {renderTitled(draft, (titleOf) => (
        <>
          <GroupRows
            path={[]}
            rows={{
              titleOf,
              draft,
              drag,
              onEdit: setEdited,
              onChange: (next, path) => {
                put(next)
                if (path !== null) setFocus(rowAt(path))
              },
              onStep: (path, step) => {
                const made = movedBy(draft, path, step)
                move(made)
                // The buttons stay beside the row that they move.
                if (made !== null && picked !== null) setPicked(made.path.join('.'))
              },
              picked,
              onPick: setPicked,
            }}
          />
          <div role="status">
            {hasMoved && applied !== null && <MoveReport title={titleOf(applied)} onUndo={undo} />}
          </div>
        </>
      ))}
      {renderCount?.(applied)}
      <Button type="submit" look="primary" disabled={applied === null}>
        {t('action.apply')}
      </Button>
    </form>
  )
}

interface MoveReportProps {
  readonly title: string
  readonly onUndo: () => void
}

/** What the conditions mean after a move. */
const MoveReport = ({ title, onUndo }: MoveReportProps) => (
  <p className={css.moved}>
    {t('filterGroup.moved', { conditions: title })}{' '}
    <button type="button" className={css.undo} onClick={onUndo}>
      {t('action.undo')}
    </button>
  </p>
)
