import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { endIfSignedOut, useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import type { TableInfo } from '../table/table-info.ts'
import { longerThan } from '../table/too-long.ts'
import { Button, classes } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ErrorBanner, messageOf } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import { useIsGone } from '../ui/use-is-gone.ts'
import { FilterSentence } from './filter-sentence.tsx'
import css from './list.module.css'
import { listAddress } from './list-address.ts'
import { type ListState, stateOf } from './list-state.ts'
import {
  createFilter,
  deleteFilter,
  type FilterDraft,
  filterQuery,
  type ListLook,
  overwriteFilter,
  type SavedFilter,
  searchOfFilter,
} from './saved-filters.ts'

interface FilterActionsProps {
  readonly info: TableInfo
  readonly state: ListState
  readonly widths: ListLook['widths']
  readonly onState: (next: Partial<ListState>) => void
  readonly current: SavedFilter | undefined
  /** The list differs from the current filter. */
  readonly isChanged: boolean
  readonly onClose: () => void
}

/** What can be done with the current saved filter, what the query finds, and a new filter. */
export function FilterActions({ info, state, widths, onState, current, isChanged, onClose }: FilterActionsProps) {
  const client = useQueryClient()
  const { user } = useSession()
  const [error, setError] = useState<unknown>(null)
  const draftOf = (title: string): FilterDraft => ({ title, table: info.entry.name, owner: user.sys_id, state, widths })
  const isRunning = useRef(false)
  const isGone = useIsGone()
  // The list itself stays, also if its filter is gone.
  const outdate = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['filter'], refetchType: 'none' })
    await client.invalidateQueries({ queryKey: ['filters'] })
  }
  const remember = (filter: SavedFilter): void => void client.setQueryData(filterQuery(filter.sysId).queryKey, filter)
  const run = async (
    work: () => Promise<SavedFilter | null>,
    message: string,
    failure: (reason: string) => string,
  ): Promise<void> => {
    // A second Enter would save a second filter.
    if (isRunning.current) return
    isRunning.current = true
    const address = listAddress()
    try {
      const saved = await work()
      await outdate()
      if (saved !== null) remember(saved)
      // The user may have gone on to a record or another list.
      if (listAddress() === address) onState({ filter: saved?.sysId })
      if (!isGone.current) onClose()
      showToast(message)
    } catch (problem) {
      const hasEnded = endIfSignedOut(problem)
      if (isGone.current) showToast(failure(hasEnded ? '' : messageOf(problem)))
      if (hasEnded) return
      setError(problem)
      // Another tab may have changed or deleted it.
      void outdate()
    } finally {
      isRunning.current = false
    }
  }
  const save = (title: string, work: () => Promise<SavedFilter>): void =>
    void run(work, t('savedFilter.saved'), (reason) => t('savedFilter.notSaved', { title, reason }))
  const overwrite = async (filter: SavedFilter): Promise<SavedFilter> => {
    const saved = await overwriteFilter(filter, draftOf(filter.title))
    if (saved === null) throw new Error(t('savedFilter.changed'))
    return saved
  }
  return (
    <>
      {error !== null && <ErrorBanner error={error} />}
      {current !== undefined && (
        <CurrentFilter
          filter={current}
          isChanged={isChanged}
          isOwn={current.owner === user.sys_id}
          onSave={() => save(current.title, () => overwrite(current))}
          onDiscard={() => {
            remember(current)
            onState(stateOf(searchOfFilter(current)))
            onClose()
          }}
          onDelete={() =>
            void run(
              async () => {
                await deleteFilter(current.sysId)
                return null
              },
              t('savedFilter.deleted', { title: current.title }),
              (reason) => t('savedFilter.notDeleted', { title: current.title, reason }),
            )
          }
        />
      )}
      <FilterSentence info={info} query={state.query} />
      <NewFilter onSubmit={(title) => save(title, () => createFilter(draftOf(title)))} />
    </>
  )
}

interface CurrentFilterProps {
  readonly filter: SavedFilter
  readonly isChanged: boolean
  readonly isOwn: boolean
  readonly onSave: () => void
  readonly onDiscard: () => void
  readonly onDelete: () => void
}

function CurrentFilter({ filter, isChanged, isOwn, onSave, onDiscard, onDelete }: CurrentFilterProps) {
  const [isConfirming, setConfirming] = useState(false)
  return (
    <div className={css.savedActions}>
      <strong>{filter.title}</strong>
      {!isOwn && <small>{t('savedFilter.shared')}</small>}
      {isChanged && isOwn && (
        <button type="button" className={ui.item} onClick={onSave}>
          <Icon name="check" size={14} /> {t('savedFilter.overwrite')}
        </button>
      )}
      {isChanged && (
        <button type="button" className={ui.item} onClick={onDiscard}>
          <Icon name="back" size={14} /> {t('savedFilter.discard')}
        </button>
      )}
      {isOwn && !isConfirming && (
        <button type="button" className={classes(ui.item, ui.danger)} onClick={() => setConfirming(true)}>
          <Icon name="trash" size={14} /> {t('savedFilter.delete')}
        </button>
      )}
      {isConfirming && (
        <div role="group" aria-label={t('savedFilter.delete')} className={css.deletion}>
          <p>{t('savedFilter.deleteEffect')}</p>
          <div className={ui.row}>
            <Button className={ui.danger} onClick={onDelete}>
              {t('savedFilter.delete')}
            </Button>
            <Button autoFocus onClick={() => setConfirming(false)}>
              {t('action.cancel')}
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}

const maxTitle = 255

function NewFilter({ onSubmit }: { readonly onSubmit: (title: string) => void }) {
  const [title, setTitle] = useState('')
  const fault = longerThan(maxTitle, title.trim())
  const isComplete = title.trim() !== '' && fault === undefined
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete) onSubmit(title.trim())
  }
  return (
    <form className={css.termForm} onSubmit={submit}>
      <label className={css.labelled}>
        {t('savedFilter.saveAs')}
        <input
          className={ui.input}
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={fault === undefined ? undefined : 'filter-title-fault'}
          value={title}
          autoFocus
          onChange={(event) => setTitle(event.target.value)}
        />
      </label>
      {fault !== undefined && (
        <p role="alert" id="filter-title-fault" className={css.fault}>
          {fault}
        </p>
      )}
      <p className={css.hint}>{t('savedFilter.hint')}</p>
      <Button type="submit" look="primary" disabled={!isComplete}>
        {t('edit.save')}
      </Button>
    </form>
  )
}
