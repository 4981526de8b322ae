import type { ConditionTree } from 'docket-client'
import type { KeyboardEvent } from 'react'
import { t } from '../messages/i18n.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import { type Group, isGroup, type MemberPath, maxDepth, memberAt, movedOut, withMember } from './condition-group.ts'
import type { GroupDrag } from './group-drag.ts'
import css from './list.module.css'

/** What all rows of a group share. */
export interface Rows {
  /** Title of a condition in the user's language. */
  readonly titleOf: (term: ConditionTree) => string
  /** The outermost group. */
  readonly draft: Group
  readonly drag: GroupDrag
  /** The second argument is the row that gets the focus; null: it stays where it is. */
  readonly onChange: (next: Group, focus: MemberPath | null) => void
  readonly onEdit: (path: MemberPath) => void
  /** Moves a row one place up or down. */
  readonly onStep: (path: MemberPath, step: -1 | 1) => void
  /** Path of the row that displays buttons for moving it; null: none. */
  readonly picked: string | null
  readonly onPick: (path: string | null) => void
}

interface RowProps {
  readonly rows: Rows
  readonly path: MemberPath
}

/** The group at the path: whether all or any of its members must match, and the members. */
export function GroupRows({ rows, path }: RowProps) {
  const { draft, onChange, onEdit } = rows
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
      <legend className="off-screen">{t(group.kind === 'any' ? 'filterGroup.anyOf' : 'filterGroup.allOf')}</legend>
      <select
        className={ui.input}
        aria-label={t('filterGroup.howMany')}
        value={group.kind}
        onChange={(event) => onChange(put({ ...group, kind: event.target.value as Group['kind'] }), null)}
      >
        <option value="any">{t('filterGroup.anyOf')}</option>
        <option value="all">{t('filterGroup.allOf')}</option>
      </select>
      <ul>
        {group.of.map((member, at) => (
          // Rows have no identity of their own: two may be equal.
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what a row is
          <MemberRow key={at} rows={rows} path={[...path, at]} member={member} />
        ))}
      </ul>
      <div className={ui.row}>
        <Button look="quiet" data-add onClick={() => onEdit(end)}>
          <Icon name="plus" size={14} /> {t('filter.addToGroup')}
        </Button>
        {path.length < maxDepth - 1 && (
          <Button look="quiet" onClick={addGroup}>
            <Icon name="plus" size={14} /> {t('filterGroup.addGroup')}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

function MemberRow({ member, rows, path }: RowProps & { readonly member: ConditionTree }) {
  const { titleOf, draft, drag, onChange, onEdit } = rows
  const title = titleOf(member)
  const name = title === '' ? t('filterGroup.emptyGroup') : title
  const place = path.join('.')
  return (
    <li
      className={css.member}
      data-row={place}
      data-dragged={drag.dragged === place || undefined}
      data-drop={drag.mark?.path === place ? drag.mark.side : undefined}
    >
      <Grip rows={rows} path={path} name={name} />
      {isGroup(member) ? (
        <GroupRows rows={rows} path={path} />
      ) : (
        <button type="button" className={ui.item} data-member={place} onClick={() => onEdit(path)}>
          {title}
        </button>
      )}
      {path.length > 1 && (
        <button
          type="button"
          className={css.chipRemove}
          aria-label={t('filterGroup.moveOut', { title: name })}
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

/** Drags its row. With the focus on it, arrow keys move the row; a click offers the same as buttons. */
function Grip({ rows: { drag, onStep, picked, onPick }, path, name }: RowProps & { readonly name: string }) {
  const place = path.join('.')
  const isOpen = picked === place
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (step === 0) return
    event.preventDefault()
    onStep(path, step)
  }
  return (
    <span className={css.grips}>
      <button
        type="button"
        className={css.grip}
        data-grip={place}
        aria-label={t('filterGroup.move', { title: name })}
        aria-keyshortcuts="ArrowUp ArrowDown"
        aria-expanded={isOpen}
        title={t('filterGroup.moveHint')}
        onClick={({ detail: clicks }) => (clicks === 0 || !drag.hasEnded()) && onPick(isOpen ? null : place)}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => drag.begin(path, event)}
        onPointerMove={drag.follow}
        onPointerUp={drag.end}
        onPointerCancel={drag.cancel}
      >
        <Icon name="grip" size={14} />
      </button>
      {isOpen &&
        ([-1, 1] as const).map((step) => (
          <button
            key={step}
            type="button"
            className={css.grip}
            aria-label={t(step === -1 ? 'filterGroup.moveUp' : 'filterGroup.moveDown', { title: name })}
            onClick={() => onStep(path, step)}
          >
            <Icon name={step === -1 ? 'up' : 'down'} size={14} />
          </button>
        ))}
    </span>
  )
}
