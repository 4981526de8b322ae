import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useRef, useState } from 'react'
import { useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import { useRecordName } from '../table/field-path.ts'
import { type Reference, ReferencePicker } from '../table/reference-picker.tsx'
import { useTables } from '../table/use-table.ts'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/part.tsx'
import type { EditorProps, FieldProps } from './field.tsx'
import css from './form.module.css'
import { useRecentReferences } from './recent-references.ts'
import { nameText } from './texts.ts'

const PeekDialog = lazyDialog(async () => (await import('./target-dialogs.tsx')).PeekDialog)
const CreateDialog = lazyDialog(async () => (await import('./target-dialogs.tsx')).CreateDialog)

/** A look at the record that the field refers to, and the way to it. A record that the user may not read has neither, and a dialog has none. */
export function ReferenceActions({ column: { type, target, title }, cell, text, idPrefix }: FieldProps) {
  const [isPeeking, setPeeking] = useState(false)
  const isHidden = String(cell?.value ?? '') === text && cell?.display_value == null
  if (type !== 'reference' || target === null || text === '' || isHidden || idPrefix !== undefined) return null
  return (
    <>
      <ActionButton
        label={t('reference.peek', { title })}
        icon={<Icon name="eye" size={14} />}
        onClick={() => setPeeking(true)}
      />
      <Link
        to="/t/$table/$sysId"
        params={{ table: target, sysId: text }}
        className={css.openReferenced}
        aria-label={t('form.openReferenced', { title })}
      >
        <Icon name="up" size={14} />
      </Link>
      <Suspense>{isPeeking && <PeekDialog table={target} sysId={text} onClose={() => setPeeking(false)} />}</Suspense>
    </>
  )
}

interface ActionButtonProps {
  readonly label: string
  readonly icon: ReactNode
  readonly onClick: () => void
}

const ActionButton = ({ label, icon, onClick }: ActionButtonProps) => (
  <button type="button" className={css.referenceAction} aria-label={label} title={label} onClick={onClick}>
    {icon}
  </button>
)

export function ReferenceEditor(
  props: EditorProps & { readonly target: string; readonly describedBy: string | undefined },
) {
  const { id, cell, column, text, error, onChange, target, idPrefix } = props
  const { user } = useSession()
  const [picked, setPicked] = useState<Reference | null>(null)
  const [wasOpened, setOpened] = useState(false)
  const { recent, remember } = useRecentReferences(target, wasOpened)
  const typed = useRef('')
  const stored =
    cell?.value == null ? null : { value: String(cell.value), label: cell.display_value ?? t('value.notVisible') }
  const me = { value: user.sys_id, label: user.display_name }
  const known = [picked, stored, me].find((each) => each?.value === text)
  const name = useRecordName(target, known === undefined ? text : '')
  const value = text === '' ? null : (known ?? { value: text, label: /^\d+$/.test(text) ? nameText(name) : text })
  const suggestions = target === 'user' ? [{ ...me, hint: t('filter.me') }] : []
  const choose = (next: Reference | null): void => {
    setPicked(next)
    onChange(next?.value ?? '')
    if (next !== null && next.value !== user.sys_id) remember(next.value)
  }
  return (
    <div className={css.referenceEditor}>
      <ReferencePicker
        id={id}
        table={target}
        searched={column.searched}
        value={value}
        isInvalid={error !== undefined}
        isRequired={column.isMandatory}
        describedBy={props.describedBy}
        suggestions={[...suggestions, ...recent.filter((each) => each.value !== user.sys_id || target !== 'user')]}
        onOpen={() => setOpened(true)}
        onTyped={(next) => {
          typed.current = next
        }}
        onChange={choose}
      />
      {idPrefix === undefined && text === '' && (
        <CreateTarget target={target} title={column.title} typed={() => typed.current} onCreated={choose} />
      )}
    </div>
  )
}

interface CreateTargetProps {
  readonly target: string
  readonly title: string
  readonly typed: () => string
  readonly onCreated: (created: Reference) => void
}

/** For users who may create such a record. The focus comes back to the field. */
function CreateTarget({ target, title, typed, onCreated }: CreateTargetProps) {
  const [isOpen, setOpen] = useState(false)
  const { data: tables } = useTables()
  if (tables?.find(({ name }) => name === target)?.may_create !== true) return null
  return (
    <>
      <ActionButton
        label={t('reference.create', { title })}
        icon={<Icon name="plus" />}
        onClick={() => setOpen(true)}
      />
      <Suspense>
        {isOpen && (
          <CreateDialog
            table={target}
            typed={typed().trim()}
            onCreated={(created) => {
              setOpen(false)
              onCreated(created)
            }}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </>
  )
}
