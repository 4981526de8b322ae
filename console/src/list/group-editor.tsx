import type { ConditionTree } from 'docket-client'
import { useEffect, useRef, useState } from 'react'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import {
  appliedGroup,
  type Group,
  isGroup,
  type MemberPath,
  memberAt,
  movedOut,
  withMember,
} from './condition-group.ts'
import css from './list.module.css'
import { TermEditor } from './term-editor.tsx'
import { useTermTitle } from './term-title.ts'

/** Max. groups within each other. Deeper ones of a query that was written as text stay and can be edited. */
const maxDepth = 3

interface GroupEditorProps {
  readonly info: TableInfo
  readonly group: Group
  /** The group has just been started: its next condition is chosen first. */
  readonly isNew: boolean
  readonly onSubmit: (term: ConditionTree) => void
}

/** Edits conditions of which all or any must match, with groups within groups. */
export function GroupEditor({ info, group, isNew, onSubmit }: GroupEditorProps) {
  const [draft, setDraft] = useState(group)
  const [edited, setEdited] = useState<MemberPath | null>(isNew ? [group.of.length] : null)
  const [focus, setFocus] = useState<MemberPath | null>(null)
  const rows = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focus === null) return
    const row = rows.current?.querySelector<HTMLElement>(`[data-member="${focus.join('.')}"]`)
    ;(row ?? rows.current?.querySelector<HTMLElement>('[data-add]'))?.focus()
    setFocus(null)
  }, [focus])
  if (edited !== null) {
    return (
      <>
        <button type="button" className={ui.item} onClick={() => leave(edited)}>
          <Icon name="back" size={14} /> {t('filter.backToGroup')}
        </button>
        <TermEditor
          info={info}
          term={memberAt(draft, edited) ?? null}
          onSubmit={(member) => {
            setDraft(withMember(draft, edited, member))
            leave(edited)
          }}
        />
      </>
    )
  }
  function leave(path: MemberPath): void {
    setEdited(null)
    setFocus(path)
  }
  const change = (next: Group, path: MemberPath | null): void => {
    setDraft(next)
    setFocus(path)
  }
  const applied = appliedGroup(draft)
  return (
    <form
      className={css.termForm}
      onSubmit={(event) => {
        event.preventDefault()
        if (applied !== null) onSubmit(applied)
      }}
    >
      <div ref={rows}>
        <GroupRows info={info} draft={draft} path={[]} onChange={change} onEdit={setEdited} />
      </div>
      <Button type="submit" look="primary" disabled={applied === null}>
        {t('action.apply')}
      </Button>
    </form>
  )
}

interface RowsProps {
  readonly info: TableInfo
  /** The outermost group; `path` leads to the one of these rows. */
  readonly draft: Group
  readonly path: MemberPath
  /** The second argument is the row that gets the focus; null: it stays where it is. */
  readonly onChange: (next: Group, focus: MemberPath | null) => void
  readonly onEdit: (path: MemberPath) => void
}

function GroupRows({ info, draft, path, onChange, onEdit }: RowsProps) {
  const group = memberAt(draft, path)
  if (group === undefined || !isGroup(group)) return null
  const put = (next: Group): Group => (path.length === 0 ? next : withMember(draft, path, next))
  const end = [...path, group.of.length]
  const addGroup = (): void => {
    const inner: Group = { kind: group.kind === 'any' ? 'all' : 'any', of: [] }
    onChange(withMember(draft, end, inner), [...end, 0])
    onEdit([...end, 0])
  }
  return (
    <fieldset className={css.group}>
      <legend className="off-screen">{t(group.kind === 'any' ? 'filter.anyOf' : 'filter.allOf')}</legend>
      <select
        className={ui.input}
        aria-label={t('filter.howMany')}
        value={group.kind}
        onChange={(event) => onChange(put({ ...group, kind: event.target.value as Group['kind'] }), null)}
      >
        <option value="any">{t('filter.anyOf')}</option>
        <option value="all">{t('filter.allOf')}</option>
      </select>
      <ul>
        {group.of.map((member, at) => (
          <MemberRow
            // Rows have no identity of their own: two may be equal.
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a row is
            key={at}
            info={info}
            draft={draft}
            path={[...path, at]}
            member={member}
            onChange={onChange}
            onEdit={onEdit}
          />
        ))}
      </ul>
      <div className={ui.row}>
        <Button look="quiet" data-add onClick={() => onEdit(end)}>
          <Icon name="plus" size={14} /> {t('filter.addToGroup')}
        </Button>
        {path.length < maxDepth - 1 && (
          <Button look="quiet" onClick={addGroup}>
            <Icon name="plus" size={14} /> {t('filter.addGroup')}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

interface MemberProps extends RowsProps {
  readonly member: ConditionTree
}

function MemberRow({ member, ...rows }: MemberProps) {
  const { info, draft, path, onChange, onEdit } = rows
  const title = useTermTitle(info, member)
  const name = title === '' ? t('filter.emptyGroup') : title
  return (
    <li className={css.member}>
      {isGroup(member) ? (
        <GroupRows {...rows} />
      ) : (
        <button type="button" className={ui.item} data-member={path.join('.')} onClick={() => onEdit(path)}>
          {title}
        </button>
      )}
      {path.length > 1 && (
        <button
          type="button"
          className={css.chipRemove}
          aria-label={t('filter.moveOut', { title: name })}
          onClick={() => onChange(movedOut(draft, path), [...path.slice(0, -2), (path.at(-2) ?? 0) + 1])}
        >
          <Icon name="back" size={12} />
        </button>
      )}
      <button
        type="button"
        className={css.chipRemove}
        aria-label={t('filter.remove', { title: name })}
        onClick={() =>
          onChange(withMember(draft, path, null), [...path.slice(0, -1), Math.max(0, (path.at(-1) ?? 0) - 1)])
        }
      >
        <Icon name="close" size={12} />
      </button>
    </li>
  )
}
