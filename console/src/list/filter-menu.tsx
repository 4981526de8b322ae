import { Popover } from '@base-ui/react/popover'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, memo, Suspense, useDeferredValue, useState } from 'react'
import { endIfSignedOut, useIsStaff, useSession } from '../app.tsx'
import { t, withMessages } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { Button, classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyPart } from '../ui/part.tsx'
import { ErrorBanner } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import css from './list.module.css'
import { type ListState, stateOf } from './list-state.ts'
import {
  createFilter,
  deleteFilter,
  type FilterDraft,
  isModified,
  type ListLook,
  overwriteFilter,
  type SavedFilter,
  searchOfFilter,
  useSavedFilters,
} from './saved-filters.ts'

const FilterSentence = lazyPart(
  async () => (await withMessages(import('./filter-sentence.tsx'), 'dialogs')).FilterSentence,
)

interface FilterMenuProps {
  readonly info: TableInfo
  readonly state: ListState
  readonly widths: ListLook['widths']
  readonly onState: (next: Partial<ListState>) => void
}

/** It follows in a rendering of its own, as the rows do: no click waits until it is rendered. */
export const FilterMenu = (props: FilterMenuProps) => <DeferredMenu {...useDeferredValue(props)} />

/** The current saved filter, whether the list differs from it, and actions on filters. */
const DeferredMenu = memo(function DeferredMenu({ info, state, widths, onState }: FilterMenuProps) {
  const client = useQueryClient()
  const { user } = useSession()
  const { data: filters = [] } = useSavedFilters(user.sys_id, useIsStaff())
  const [isOpen, setOpen] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const current = filters.find(({ sysId }) => sysId === state.filter)
  const isChanged = current !== undefined && isModified(current, state)
  const draftOf = (title: string): FilterDraft => ({ title, table: info.entry.name, owner: user.sys_id, state, widths })
  const run = async (work: () => Promise<SavedFilter | null>, message: string): Promise<void> => {
    try {
      const saved = await work()
      await client.invalidateQueries({ queryKey: ['filters'] })
      onState({ filter: saved?.sysId })
      setError(null)
      setOpen(false)
      showToast(message)
    } catch (problem) {
      if (!endIfSignedOut(problem)) setError(problem)
    }
  }
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(next) => {
        setOpen(next)
        setError(null)
      }}
    >
      <Popover.Trigger
        data-command={t('filters.save')}
        className={classes(css.saved, current !== undefined && css.savedNamed)}
      >
        <Icon name="star" size={14} /> <span className={css.savedTitle}>{current?.title ?? t('filters.save')}</span>
        {isChanged && <span className={css.modified}>{t('filters.modified')}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className={ui.layer}>
          <Popover.Popup className={classes(ui.popup, css.editor)} aria-label={t('filters.title')}>
            {error !== null && <ErrorBanner error={error} />}
            {current !== undefined && (
              <CurrentFilter
                filter={current}
                isChanged={isChanged}
                isOwn={current.owner === user.sys_id}
                onSave={() =>
                  void run(() => overwriteFilter(current.sysId, draftOf(current.title)), t('filters.saved'))
                }
                onDiscard={() => {
                  onState(stateOf(searchOfFilter(current)))
                  setOpen(false)
                }}
                onDelete={() =>
                  void run(
                    async () => {
                      await deleteFilter(current.sysId)
                      return null
                    },
                    t('filters.deleted', { title: current.title }),
                  )
                }
              />
            )}
            <Suspense fallback={<p className={css.sentence}>{t('state.loading')}</p>}>
              <FilterSentence info={info} query={state.query} />
            </Suspense>
            <NewFilter onSubmit={(title) => void run(() => createFilter(draftOf(title)), t('filters.saved'))} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
})

interface CurrentFilterProps {
  readonly filter: SavedFilter
  readonly isChanged: boolean
  readonly isOwn: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
  readonly onDelete: () => void
}

function CurrentFilter({ filter, isChanged, isOwn, onSave, onDiscard, onDelete }: CurrentFilterProps) {
  return (
    <div className={css.savedActions}>
      <strong>{filter.title}</strong>
      {!isOwn && <small>{t('filters.shared')}</small>}
      {isChanged && isOwn && (
        <button type="button" className={ui.item} onClick={onSave}>
          <Icon name="check" size={14} /> {t('filters.overwrite')}
        </button>
      )}
      {isChanged && (
        <button type="button" className={ui.item} onClick={onDiscard}>
          <Icon name="back" size={14} /> {t('filters.discard')}
        </button>
      )}
      {isOwn && (
        <button type="button" className={classes(ui.item, ui.danger)} onClick={onDelete}>
          <Icon name="trash" size={14} /> {t('filters.delete')}
        </button>
      )}
    </div>
  )
}

function NewFilter({ onSubmit }: { readonly onSubmit: (title: string) => void }) {
  const [title, setTitle] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (title.trim() !== '') onSubmit(title.trim())
  }
  return (
    <form className={css.termForm} onSubmit={submit}>
      <label className={css.labelled}>
        {t('filters.saveAs')}
        <input
          className={ui.input}
          maxLength={255}
          value={title}
          autoFocus
          onChange={(event) => setTitle(event.target.value)}
        />
      </label>
      <p className={css.hint}>{t('filters.hint')}</p>
      <Button type="submit" look="primary" disabled={title.trim() === ''}>
        {t('edit.save')}
      </Button>
    </form>
  )
}
