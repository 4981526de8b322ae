import { Popover } from '@base-ui/react/popover'
import type { ConditionTree } from 'docket-client'
import { type ReactNode, useState } from 'react'
import { type Group, isGroup } from '../list/condition-group.ts'
import { GroupEditor } from '../list/group-editor.tsx'
import list from '../list/list.module.css'
import { termWords } from '../list/term-words.ts'
import { currentLanguage, t } from '../messages/i18n.ts'
import { Button, classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import ui from '../ui/ui.module.css'
import { ConditionForm } from './condition-form.tsx'
import { FilterText } from './filter-text.tsx'
import { KeyPicker } from './key-picker.tsx'
import { keyTitle } from './key-title.ts'
import {
  editedAs,
  type FilterFault,
  formOf,
  type KnownKey,
  printFilter,
  readFilter,
  termOf,
  unknownKey,
} from './metadata-filter.ts'
import css from './search.module.css'
import { useMetadataKeys } from './use-metadata-keys.ts'

interface FilterBuilderProps {
  readonly text: string
  /** Names of the searched collections; undefined: all. */
  readonly collections: readonly string[] | undefined
  /** The fault that the server reported in the text; null: none, or nothing was sent. */
  readonly fault: FilterFault | null
  readonly onChange: (text: string | undefined) => void
}

/** Conditions on metadata as chips. A filter that cannot be read is its text, with the fault in its place. */
export function FilterBuilder({ text, collections, fault, onChange }: FilterBuilderProps) {
  const [isText, setText] = useState(false)
  const [isAdding, setAdding] = useState(false)
  const read = readFilter(text, t('search.noOrder'))
  const change = (next: string): void => onChange(next === '' ? undefined : next)
  if (isText || !read.ok || fault !== null)
    return (
      <FilterText
        text={text}
        fault={fault}
        onChange={(next) => {
          setText(false)
          change(next)
        }}
        onClose={read.ok && fault === null ? () => setText(false) : undefined}
      />
    )
  const { terms } = read
  const set = (next: readonly ConditionTree[]): void => change(printFilter(next))
  return (
    <div className={css.conditions} role="group" aria-label={t('search.filter')}>
      {terms.map((term, at) => (
        <Chip
          // biome-ignore lint/suspicious/noArrayIndexKey: the same condition may be there twice
          key={`${at} ${printFilter([term])}`}
          term={term}
          collections={collections}
          onChange={(next) => set(terms.flatMap((each, place) => (place === at ? next : [each])))}
        />
      ))}
      <Popover.Root open={isAdding} onOpenChange={setAdding}>
        <Popover.Trigger className={classes(list.chip, list.add)}>
          <Icon name="plus" size={14} /> {t('search.addCondition')}
        </Popover.Trigger>
        <ConditionPopup>
          <ConditionEditor
            term={null}
            collections={collections}
            onSubmit={(made) => {
              setAdding(false)
              set([...terms, made])
            }}
          />
        </ConditionPopup>
      </Popover.Root>
      <Button look="quiet" onClick={() => setText(true)}>
        {t('filter.asText')}
      </Button>
    </div>
  )
}

function ConditionPopup({ children }: { readonly children: ReactNode }) {
  return (
    <Popover.Portal>
      <Popover.Positioner sideOffset={6} align="start" className={ui.layer}>
        <Popover.Popup className={classes(ui.popup, list.editor)} aria-label={t('filter.condition')}>
          {children}
        </Popover.Popup>
      </Popover.Positioner>
    </Popover.Portal>
  )
}

interface ChipProps extends Pick<FilterBuilderProps, 'collections'> {
  readonly term: ConditionTree
  /** None: the condition is removed. */
  readonly onChange: (terms: readonly ConditionTree[]) => void
}

function Chip({ term, collections, onChange }: ChipProps) {
  const [isOpen, setOpen] = useState(false)
  const title = useTitles(collections)(term)
  return (
    <span className={list.chip}>
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger className={list.chipText} title={title}>
          {title}
        </Popover.Trigger>
        <ConditionPopup>
          <ConditionEditor
            term={term}
            collections={collections}
            onSubmit={(next) => {
              setOpen(false)
              onChange([next])
            }}
          />
        </ConditionPopup>
      </Popover.Root>
      <button
        type="button"
        className={list.chipRemove}
        aria-label={t('filter.remove', { title })}
        onClick={() => onChange([])}
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  )
}

interface ConditionEditorProps extends Pick<FilterBuilderProps, 'collections'> {
  /** null: a new condition. */
  readonly term: ConditionTree | null
  readonly onSubmit: (term: ConditionTree) => void
}

/** One condition, or a group of conditions. A condition becomes a group when an alternative is added. */
function ConditionEditor({ term, collections, onSubmit }: ConditionEditorProps) {
  const [group, setGroup] = useState<Group | null>(isGroup(term) ? term : null)
  const titleOf = useTitles(collections)
  if (group === null)
    return (
      <MemberEditor
        term={term}
        collections={collections}
        onSubmit={onSubmit}
        onGroup={(first) => setGroup({ kind: 'any', of: first === null ? [] : [first] })}
      />
    )
  return (
    <GroupEditor
      group={group}
      isNew={group !== term}
      onSubmit={onSubmit}
      renderTitled={(_, children) => children(titleOf)}
      renderForm={(member, submit) => <MemberEditor term={member} collections={collections} onSubmit={submit} />}
    />
  )
}

interface MemberEditorProps extends ConditionEditorProps {
  /** Starts a group with this condition; null: with none. Absent in a group. */
  readonly onGroup?: (first: ConditionTree | null) => void
}

/** First the key, then operator and value. A condition without a form is edited as text. */
function MemberEditor({ term, collections, onSubmit, onGroup }: MemberEditorProps) {
  const keys = useMetadataKeys(collections)
  const form = term === null ? null : formOf(term)
  const [key, setKey] = useState(form?.key ?? null)
  if (term !== null && form === null)
    return (
      <FilterText
        text={printFilter([term])}
        fault={null}
        isCondition
        onChange={(text) => {
          const read = readFilter(text, t('search.noOrder'))
          if (!read.ok) return
          const [first, ...others] = read.terms
          if (first !== undefined) onSubmit(others.length === 0 ? first : { kind: 'all', of: read.terms })
        }}
      />
    )
  if (key === null)
    return (
      <>
        <KeyPicker keys={keys} onPick={setKey} />
        {onGroup !== undefined && term === null && (
          <button type="button" className={ui.item} onClick={() => onGroup(null)}>
            <Icon name="plus" size={14} /> {t('filter.startGroup')}
          </button>
        )}
      </>
    )
  // What a key is, decides about its form: it is not displayed as something else before.
  if (keys.isPending) return <p className={ui.item}>{t('state.loading')}</p>
  const known = keys.data?.keys.find((each) => each.key === key) ?? unknownKey(key)
  return (
    <ConditionForm
      key={key}
      known={known}
      form={form?.key === key ? form : null}
      onBack={() => setKey(null)}
      onSubmit={(next) => onSubmit(termOf(key, next))}
      onGroup={onGroup === undefined ? undefined : (next) => onGroup(termOf(key, next))}
    />
  )
}

const TYPES = { choice: 'string', text: 'string', number: 'decimal', boolean: 'boolean', time: 'datetime' } as const

/** Conditions in the user's language. */
function useTitles(collections: readonly string[] | undefined): (term: ConditionTree) => string {
  const { data } = useMetadataKeys(collections)
  const known = new Map<string, KnownKey>(data?.keys.map((each) => [each.key, each]))
  return (term) =>
    termWords(term, {
      translate: t,
      language: currentLanguage(),
      column: (path) => {
        const found = known.get(path) ?? unknownKey(path)
        return { title: keyTitle(path), column: { type: TYPES[editedAs(found)], target: null, choices: [] } }
      },
      recordName: () => null,
      tableTitle: (name) => name,
    })
}
