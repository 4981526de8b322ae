import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { DocketError } from 'docket-client'
import { type DragEvent, useEffect, useRef } from 'react'
import { useIsStaff, useSession } from '../app.tsx'
import { t } from '../messages/i18n.ts'
import { isolated } from '../messages/isolate.ts'
import type { Column, RelatedList, TableInfo } from '../table/table-info.ts'
import { tableQuery, useMayReadHistory, useTable } from '../table/use-table.ts'
import { AsOf } from '../ui/as-of.tsx'
import { Button, classes } from '../ui/button.tsx'
import { copyText } from '../ui/copy-text.ts'
import { cancelledRead } from '../ui/first-read.tsx'
import { releaseKeys } from '../ui/held-keys.ts'
import { Icon } from '../ui/icon.tsx'
import { hadFocus } from '../ui/keep-focus.ts'
import { Loading, useIsLate } from '../ui/loading.tsx'
import { ErrorBanner, ErrorPage } from '../ui/states.tsx'
import { showToast } from '../ui/toast.tsx'
import ui from '../ui/ui.module.css'
import { useIsGone } from '../ui/use-is-gone.ts'
import { useMedia } from '../ui/use-media.ts'
import { Activity } from './activity.tsx'
import { ApprovalBar } from './approvals.tsx'
import { Attachments, usePastedFiles, useUploads } from './attachments.tsx'
import { ConflictDialog, type TypedOther } from './conflict-dialog.tsx'
import { isEditable } from './editable.ts'
import css from './form.module.css'
import { FormHead } from './form-head.tsx'
import { AllFields, FormSections, firstOf, withoutBlanks } from './form-section.tsx'
import { formAt, LeaveDialog } from './leave-dialog.tsx'
import type { Texts } from './merge.ts'
import { defaultsOf, fillableOf, ownTicketOf, presetOf, sectionsOf, sectionsOfNew } from './new-record.ts'
import { RecordMenu } from './record-menu.tsx'
import { recordKey, useRecordQuery, type Version } from './record-query.ts'
import { RelatedLists } from './related-lists.tsx'
import { RequiredDialog } from './required-dialog.tsx'
import { SuggestedArticles } from './suggested-articles.tsx'
import { listValues } from './texts.ts'
import { useDiscard } from './use-discard.ts'
import { useFormKeys, useSaveKey } from './use-form-keys.ts'
import { type RecordEdits, useRecordEdits } from './use-record.ts'
import { useRecordEvents, useRecordPolling } from './use-record-events.ts'
import { useRights } from './use-rights.ts'

const firstField = '#form-fields :is(input, select, textarea):not(:disabled, [readonly], [hidden] *)'

export function FormPage() {
  const { table, sysId } = useParams({ from: '/t/$table/$sysId' })
  const { set = '' } = useSearch({ from: '/t/$table/$sysId' })
  const client = useQueryClient()
  const described = useTable(table)
  const record = useRecordQuery(table, sysId)
  const { data: info } = described
  const reads = sysId === 'new' ? [described] : [described, record]
  const failed = reads.find(({ error }) => error !== null)
  const retry = (): void => void failed?.refetch()
  if (failed !== undefined && (info === undefined || record.data === undefined))
    return <ErrorPage error={failed.error} onRetry={retry} />
  if (info === undefined || (sysId !== 'new' && record.data === undefined)) {
    const cancelled = reads.filter(({ isPending, fetchStatus }) => isPending && fetchStatus === 'idle')
    const cancel = (): void => {
      for (const queryKey of [tableQuery(table).queryKey, recordKey(table, sysId)])
        void client.cancelQueries({ queryKey, exact: true })
    }
    if (cancelled.length === 0) return <Loading lines={10} isPage onCancel={cancel} />
    return <ErrorPage error={cancelledRead} onRetry={() => cancelled.forEach((each) => void each.refetch())} />
  }
  return (
    <Form
      key={formAt(`${table}/${sysId}`, set)}
      info={info}
      sysId={sysId}
      version={record.data ?? null}
      isCached={!record.isFetchedAfterMount}
      outdated={record.error === null ? null : { error: record.error, readAtMs: record.dataUpdatedAt, onRetry: retry }}
    />
  )
}

interface FormProps {
  readonly info: TableInfo
  readonly sysId: string
  readonly version: Version | null
  /** The version was read earlier, and is being read again. */
  readonly isCached: boolean
  /** The record cannot be read again; null: it can. */
  readonly outdated: { readonly error: unknown; readonly readAtMs: number; readonly onRetry: () => void } | null
}

function Form({ info, sysId, version, isCached, outdated }: FormProps) {
  const { set, view: viewTitle } = useSearch({ from: '/t/$table/$sysId' })
  const navigate = useNavigate()
  const { user } = useSession()
  const isStaff = useIsStaff()
  const ofAddress = presetOf(info, set)
  const preset = { ...(isStaff ? {} : ownTicketOf(info, user.sys_id)), ...ofAddress }
  const edits = useRecordEdits(info, sysId, { version, isCached }, { preset, defaults: defaultsOf(info, user.sys_id) })
  const hasHistory = useMayReadHistory()
  const { name } = info.entry
  const isNew = sysId === 'new'
  const notice = useRecordEvents(info, { sysId, opened: edits.opened, newest: version, isSaving: edits.isSaving })
  const isOffline = useRecordPolling(name, sysId)
  const uploads = useUploads(name, sysId)
  const typedOthers = useRef<Readonly<Record<string, TypedOther>>>({})
  const isGone = useIsGone()
  const row = edits.opened?.row
  const title = isNew
    ? isStaff || name !== 'itsm_incident'
      ? t('nav.newOf', { table: info.entry.title })
      : t('home.ask')
    : (row?.[info.displayColumn]?.display_value ?? sysId)
  useEffect(() => {
    document.title = `${isolated(title)} · Docket`
  }, [title])
  // The button that led here may have gone with the page before. A page that has just been loaded begins without a frame around it.
  useEffect(() => {
    const first = isNew ? document.querySelector<HTMLElement>(firstField) : null
    if (first !== null) first.focus({ preventScroll: true })
    else if (isNew) releaseKeys()
    else if (hadFocus() && document.activeElement === document.body)
      document.getElementById('page')?.focus({ preventScroll: true })
  }, [isNew])
  const save = async (more: Texts = {}): Promise<void> => {
    const saved = await edits.save(more)
    // If the user has left the form, they stay where they are.
    if (saved === null || !isNew || isGone.current) return
    const created = String(saved.row['sys_id']?.value)
    uploads.passOn(created)
    const params = { table: name, sysId: created }
    void navigate({ to: '/t/$table/$sysId', params, replace: true, ignoreBlocker: true })
  }
  const discard = useDiscard(edits)
  useSaveKey(() => edits.isDirty && void save())
  useFormKeys()
  // A record that has just been created is displayed until its own form opens.
  const rights = useRights(name, sysId, isNew ? null : edits.opened)
  // A right can end while something is typed. The field stays with its text until it is discarded: a save sends it, and says why it is rejected.
  const mayWriteNow = ({ name: column }: Column): boolean =>
    (rights?.write.includes(column) ?? false) || column in edits.edits
  const mayWriteColumn = (column: Column): boolean =>
    isEditable(column) && (isNew ? column.rights.create !== 'never' : mayWriteNow(column))
  const mayWrite = isNew ? info.entry.may_create : (rights?.write.length ?? 0) > 0
  const addFiles = mayWrite ? uploads.add : null
  usePastedFiles(addFiles)
  const ofView = isNew ? sectionsOfNew(info, viewTitle) : sectionsOf(info, viewTitle)
  const ofNew = isStaff ? ofView : firstOf(info, ofView)
  const sections = isNew ? ofNew : withoutBlanks(info, ofView, { edits, mayWrite: mayWriteColumn })
  const isNarrow = useIsNarrow()
  const suggested = isNew && info.columns.has('subject') && <SuggestedArticles subject={edits.edits['subject'] ?? ''} />
  // Callers on a phone read what the desk says, and write to it.
  const isTalkFirst = isNarrow && !isStaff
  const fields = (
    <form
      key="form"
      id="form-fields"
      tabIndex={-1}
      className={css.sections}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <FormSections
        info={info}
        sections={sections}
        edits={edits}
        mayWrite={mayWriteColumn}
        belowSubject={isNarrow && suggested}
      />
      {isNew && <Attachments table={info.entry.name} sysId={sysId} uploads={uploads} mayWrite={mayWrite} />}
      <AllFields
        info={info}
        {...(isNew
          ? {
              prefilled: Object.keys(ofAddress),
              preset,
              available: isStaff
                ? fillableOf(info)
                : [...ofView.flatMap(({ columns }) => columns), ...Object.keys(ofAddress)],
            }
          : {})}
        sections={sections}
        edits={edits}
        mayWrite={mayWriteColumn}
      />
      <button type="submit" hidden />
    </form>
  )
  // Lists have forms of their own, so they are beside that of the record.
  const body = isNew ? (
    fields
  ) : (
    <div key="fields" className={css.fieldsAndLists}>
      {fields}
      <RelatedLists info={info} configured={configuredListsOf(info, viewTitle)} sysId={sysId} />
    </div>
  )
  const activity = !isNew && (
    <Activity
      key="activity"
      info={info}
      sysId={sysId}
      title={title}
      writable={rights?.write ?? []}
      hasHistory={hasHistory}
    >
      <Attachments table={info.entry.name} sysId={sysId} uploads={uploads} mayWrite={mayWrite} />
    </Activity>
  )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a button chooses files, too
    <div
      className={css.page}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        addFiles?.([...event.dataTransfer.files])
      }}
    >
      <FormHead
        info={info}
        sysId={sysId}
        edits={edits}
        rights={rights}
        mayWrite={mayWrite}
        title={title}
        actions={
          <>
            {!isNew && (
              <Button
                look="quiet"
                aria-label={t('form.copyLink')}
                data-command={t('form.copyLink')}
                onClick={() => void copyText(location.href, t('form.copied'))}
              >
                <Icon name="link" /> <span className={css.wideOnly}>{t('form.copyLink')}</span>
              </Button>
            )}
            {!isNew && (
              <RecordMenu
                info={info}
                sysId={sysId}
                title={title}
                rights={rights}
                followers={followersOf(info, edits)}
                hasHistory={hasHistory}
                onFollow={(isFollowing) => void edits.follow(user.sys_id, isFollowing)}
                onDeleted={() => {
                  edits.discard()
                  showToast(t('delete.done', { title }))
                  // If the user has left the form, they stay where they are.
                  if (isGone.current) return
                  void navigate({ to: '/t/$table', params: { table: name }, ignoreBlocker: true })
                }}
              />
            )}
            {(mayWrite || (!isNew && edits.isDirty)) && (
              <div className={css.save} data-floats={isNew || edits.isDirty}>
                {edits.isDirty && !isNew && (
                  <Button look="quiet" onClick={discard}>
                    {t('form.discard')}
                  </Button>
                )}
                <Button
                  look="primary"
                  title="Ctrl + S"
                  disabled={edits.isSaving || (!edits.isDirty && !isNew)}
                  onClick={() => void save()}
                >
                  {t(isNew ? 'form.create' : 'edit.save')}
                </Button>
              </div>
            )}
          </>
        }
      >
        {edits.error !== null && edits.conflict === null && (
          <ErrorBanner error={edits.error} isWrite onRetry={edits.repeat ?? (() => void save(edits.lastExtraValues))} />
        )}
        {outdated !== null && isUnreachable(outdated.error) && (
          <ErrorBanner error={outdated.error} onRetry={outdated.onRetry}>
            <AsOf readAtMs={outdated.readAtMs} />
          </ErrorBanner>
        )}
        {isNew && !mayWrite && (
          <div className={ui.banner} role="alert">
            <p>{t('state.notFound')}</p>
          </div>
        )}
        {isOffline && !isNew && (
          <p className={css.offline} role="status">
            {t('live.offline')}
          </p>
        )}
        {edits.isSaving && <SlowSave onCancel={edits.cancelSave} />}
      </FormHead>
      {notice !== null && (
        <div className={css.notice} role="status">
          <p>{notice.text}</p>
          {notice.canApply && <Button onClick={() => void edits.refresh()}>{t('form.apply')}</Button>}
        </div>
      )}
      {!isNew && <ApprovalBar info={info} sysId={sysId} title={title} edits={edits} />}
      {!isNew && <Jumps ids={isTalkFirst ? ['activity', 'fields'] : ['fields', 'activity']} />}
      <div className={classes(css.layout, isNew && css.single)}>
        {isTalkFirst && activity}
        {body}
        {!isNarrow && suggested}
        {!isTalkFirst && activity}
      </div>
      {edits.conflict !== null && (
        <ConflictDialog info={info} state={edits.conflict} typed={typedOthers} edits={edits} />
      )}
      {edits.required !== null && (
        <RequiredDialog
          columns={edits.required.columns}
          edits={edits}
          stateTitle={stateTitle(info, edits.required.state)}
          onSave={() => void save({ state: edits.required?.state ?? '' })}
          onCancel={edits.cancelRequired}
        />
      )}
      <LeaveDialog isDirty={edits.isDirty} files={uploads.unsent} onDiscard={edits.discard} />
    </div>
  )
}

/** Text is dropped into fields, by the browser. */
const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files')

/** A record that is gone, or no longer readable, is reported by what the user does with it. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof DocketError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** After 8 s, a sentence and a way to cancel. Typed text stays. */
function SlowSave({ onCancel }: { readonly onCancel: () => void }) {
  const isSlow = useIsLate(8_000)
  if (!isSlow) return null
  return (
    <div className={classes(ui.banner, ui.bannerNote)} role="status">
      <p>{t('state.stillWorking')}</p>
      <Button onClick={onCancel}>{t('action.cancel')}</Button>
    </div>
  )
}

/** On narrow screens fields and activity are one below the other: one tap leads there, and back. */
function Jumps({ ids }: { readonly ids: readonly ('fields' | 'activity')[] }) {
  const go = (id: string): void => {
    const target = document.getElementById(id)
    target?.focus({ preventScroll: true })
    target?.scrollIntoView({ block: 'start' })
  }
  return (
    <div className={classes(css.jumps, css.segments)}>
      {ids.map((id) => (
        <button key={id} type="button" onClick={() => go(`form-${id}`)}>
          {t(id === 'fields' ? 'form.fields' : 'activity.title')}
        </button>
      ))}
    </div>
  )
}

/** The related lists of the view. If the view has none, those of the table without technical ones. */
const configuredListsOf = (info: TableInfo, viewTitle = 'Default view'): readonly RelatedList[] =>
  info.views.get(viewTitle)?.relatedLists ?? []

/** null: the table has no column for followers. */
function followersOf(info: TableInfo, { openedTexts }: RecordEdits): readonly string[] | null {
  return info.columns.get('followers_list')?.type === 'list' ? listValues(openedTexts['followers_list'] ?? '') : null
}

const stateTitle = (info: TableInfo, state: string): string =>
  info.columns.get('state')?.choices.find(({ value }) => value === state)?.title ?? state

/** Whether the form has one column: the parts beside the fields on wide screens are below them. */
const useIsNarrow = (): boolean => useMedia('(max-width: 1080px)')
